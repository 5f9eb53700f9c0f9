/* Fields of a request: the names, types and bounds of query parameters, headers and members of a body, as rows of a table.
 * From the rows come the check of a request before its handler is called, and its description in the OpenAPI document.
 *
 * The checks add an error for everything that is wrong: a name that is unknown, repeated or missing, a value of another
 * type or out of bounds. They do not depend on the HTTP server.
 */
#ifndef LAB_FIELD_H
#define LAB_FIELD_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lab_type {
    LAB_TYPE_STRING,  /* of `minimum` to `maximum` characters */
    LAB_TYPE_CHOICE,  /* one of `choices` */
    LAB_TYPE_TIME,    /* an RFC 3339 time, or a date, which stands for its start in UTC */
    LAB_TYPE_INTEGER, /* from `minimum` to `maximum`, whose absolute values are below 2^53 */
    LAB_TYPE_NUMBER,  /* the same with a fraction */
    LAB_TYPE_BOOLEAN,
    LAB_TYPE_STRINGS, /* in a body: a list of at most `items_max` different strings, each as LAB_TYPE_STRING */
    LAB_TYPE_LIST,    /* in a body: a list of at most `items_max` values, which the handler checks */
    LAB_TYPE_VALUE,   /* in a body: any value, which the handler checks */
    LAB_TYPE_OBJECT,  /* in a body: an object with `members`; if that is NULL, the handler checks them */
};

struct lab_field {
    const char *name;
    enum lab_type type;
    bool required;
    bool nullable;           /* OBJECT: may be null */
    double minimum, maximum; /* inclusive, unless `above` is set */
    bool above;              /* NUMBER: the value must be more than `minimum` */
    size_t items_max;
    const char *const *choices; /* ends with NULL */
    const struct lab_field *members;
    const char *fallback;    /* the value of an absent parameter of a query, as text; NULL: none */
    const char *description; /* a sentence for the OpenAPI document */
};

/* Tables end with name NULL. This one accepts every name and value. */
extern const struct lab_field lab_any_fields[];

/* The row of that name; NULL when there is none. A NULL table has no rows. */
const struct lab_field *lab_field_find(const struct lab_field *fields, const char *name);
/* Whether a row is required. */
bool lab_fields_required(const struct lab_field *fields);

struct lab_query; /* target.h */

/* Checks the parameters of a query; pointers are "/query/NAME". False when it added errors. */
bool lab_fields_check_query(const struct lab_field *fields, const struct lab_query *queries, size_t count,
                            struct lab_errors *errors);
/* Checks a header that is present; the pointer is "/headers/NAME". False when it added an error. */
bool lab_field_check_header(const struct lab_field *field, const char *value, struct lab_errors *errors);
/* Checks the members of an object; pointers are "/NAME" and, in lists, "/NAME/INDEX". False when it added errors. */
bool lab_fields_check_body(const struct lab_field *fields, const json_t *body, struct lab_errors *errors);

#endif
