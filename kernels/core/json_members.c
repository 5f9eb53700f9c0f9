#include "core/json_members.h"

#include "core/clock.h"

#include <math.h>

/* --- writing ------------------------------------------------------------------------------------------------------ */

json_t *lab_json_text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

json_t *lab_json_real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *lab_json_integer_or_null(int64_t value)
{
    return value != INT64_MIN ? json_integer(value) : json_null();
}

json_t *lab_json_time_or_null(int64_t at)
{
    char text[LAB_TIME_SIZE];
    lab_time_text(at, text);
    return text[0] != '\0' ? json_string(text) : json_null();
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

const char *lab_text_of(const json_t *object, const char *name)
{
    const char *text = lab_optional_text_of(object, name);
    return text != NULL ? text : "";
}

const char *lab_optional_text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

double lab_number_of(const json_t *object, const char *name)
{
    return lab_number_or_nan(json_object_get(object, name));
}

int64_t lab_integer_of(const json_t *object, const char *name, int64_t fallback)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double lab_number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}
