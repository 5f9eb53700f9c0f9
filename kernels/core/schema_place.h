/* A value that schema.c checks, and the messages that schema_messages.c writes about it. Internal to the two. */
#ifndef LAB_SCHEMA_PLACE_H
#define LAB_SCHEMA_PLACE_H

#include "core/errors.h"
#include "core/schema.h"

/* A value as it was given: JSON, or a text that stands for a value of the row's type. */
struct lab_schema_given {
    const json_t *json;
    const char *text;
};

/* The value that is checked. Its pointer is made where an error is. */
struct lab_schema_place {
    const struct lab_schema *row;
    const struct lab_schema_place *outer; /* the object or list that has the value; NULL: `pointer` leads to it */
    const char *pointer;
    const char *name; /* of a member; NULL: an item of a list */
    size_t index;     /* of an item */
    struct lab_errors *errors;
};

static inline bool lab_schema_has_bounds(const struct lab_schema *row)
{
    return row->minimum != 0 || row->maximum != 0;
}

/* Writes the JSON pointer that leads to the value, and returns it. */
const char *lab_place_pointer(const struct lab_schema_place *place, char pointer[LAB_POINTER_MAX]);

/* Adds the error that what was given is not what the row wants, and returns false. `as_list`: the value as a whole,
 * which is a list. */
bool lab_place_refuse(const struct lab_schema_place *place, enum lab_error_code code, bool as_list,
                      const struct lab_schema_given *given);

/* Adds the error that an item is given twice, and returns false. */
bool lab_place_refuse_again(const struct lab_schema_place *place, const struct lab_schema_given *given);

#endif
