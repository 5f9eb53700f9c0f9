/* Members of JSON objects, with a value where a member is null, missing or of another type. */
#ifndef LAB_JSON_MEMBERS_H
#define LAB_JSON_MEMBERS_H

#include <jansson.h>
#include <math.h>
#include <stdint.h>

/* Borrowed from the object; NULL by default. */
static inline const char *lab_json_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* NAN by default. */
static inline double lab_json_number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static inline int64_t lab_json_integer(const json_t *object, const char *name, int64_t fallback)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : fallback;
}

#endif
