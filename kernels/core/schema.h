/* What a value can be, as a row of a table: a field of a request, a parameter of an experiment, an option of a command,
 * a member of an import or of an answer. From the row come the check, its message, the JSON Schema and the help.
 *
 * A check adds an error for everything that is wrong: "wrong-type", "out-of-bounds", "unknown-value", "duplicate",
 * "missing", "unknown-field". A message begins with the row's name, says what the value must be, and shows what was
 * given: "'on' must be true or false, not 1." For a row without a name it begins with the verb: "must be true …".
 */
#ifndef LAB_SCHEMA_H
#define LAB_SCHEMA_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lab_type {
    LAB_TYPE_STRING,     /* of `minimum` to `maximum` characters */
    LAB_TYPE_CHOICE,     /* one of `choices` */
    LAB_TYPE_TIME,       /* an RFC 3339 time, or a date, which stands for its start in UTC */
    LAB_TYPE_INTEGER,    /* in digits: neither 7.0 nor 1e3 */
    LAB_TYPE_WHOLE,      /* an integer however it is written */
    LAB_TYPE_SIZE,       /* the same, or the text of a size (number.h): "64KiB" */
    LAB_TYPE_NUMBER,     /* integers too */
    LAB_TYPE_BOOLEAN,    /* as text: true or false */
    LAB_TYPE_EXPRESSION, /* a number, or a text that the reader parses */
    LAB_TYPE_SCALAR,     /* a string, a number or a boolean; of answers, which are not checked */
    LAB_TYPE_ANY,        /* which the reader checks */
    LAB_TYPE_OBJECT,     /* with `members`, and no others unless it is `open`; NULL: any */
};

enum lab_count {
    LAB_ONE,
    LAB_ONE_OR_LIST, /* a value, or a list of 1 to LAB_ITEMS_MAX distinct ones */
    LAB_LIST,        /* a list of `items_min` to `items_max` values */
};

enum { LAB_ITEMS_MAX = 10000 };

struct lab_schema {
    const char *name;
    const char *title; /* label in a form: "Smallest size" */
    const char *text;  /* for help, forms and documents; "0: WORDS, …" in it defines the number 0 for forms */
    const char *unit;  /* "B", "s", "1"; NULL: none */
    enum lab_type type;
    enum lab_count count;
    bool required;               /* the member must be present */
    bool nullable;               /* the value may be null */
    bool advanced;               /* hidden in forms until advanced settings are opened */
    bool distinct;               /* LIST of strings or numbers: no value twice */
    bool above;                  /* numbers: the value must be more than `minimum` */
    double minimum, maximum;     /* inclusive; of numbers below 2^53, INFINITY: no maximum; both 0: none */
    size_t items_min, items_max; /* LIST; 0: none */
    const char *const *choices;  /* ends with NULL */
    size_t choice_stride;        /* bytes of a row, if `choices` are the first members of rows; 0: they are an array */
    const struct lab_schema *members; /* ends with name NULL */
    bool open;                        /* OBJECT: may have other members too, of any value */
    const char *component;         /* of answers: the name of the value's schema in the OpenAPI document; NULL: none */
    const struct lab_schema *each; /* OBJECT of answers: the values of members of any name */
    bool gaps;                     /* LIST of answers: its items may be null */
    bool withheld;        /* of answers: who may not see everything does not see the value (server/api/visibility.h) */
    const char *fallback; /* the value where none is given: text of JSON or of a query, LAB_ALL_CHOICES; NULL: none */
};

/* The fallback of a LAB_ONE_OR_LIST of choices that is all of them. */
#define LAB_ALL_CHOICES "all choices"

/* The text of a number that a macro names, for the texts of rows. */
#define LAB_NUMBER_TEXT(macro) LAB_NUMBER_TEXT_OF(macro)
#define LAB_NUMBER_TEXT_OF(number) #number

/* The beginning of a row that is required. */
#define LAB_GIVEN(type_, name_) .name = (name_), .type = LAB_TYPE_##type_, .required = true
/* The beginning of a row with a text. */
#define LAB_MEMBER(type_, name_, text_) .name = (name_), .type = LAB_TYPE_##type_, .text = (text_)

/* A value that was read. */
struct lab_value {
    int64_t integer;  /* INTEGER, WHOLE, SIZE; BOOLEAN as 0 or 1; CHOICE as an index into `choices` */
    double number;    /* of all numbers */
    const char *text; /* of all strings; borrowed from what was given */
};

/* One value, or those of a list. */
struct lab_values {
    bool given; /* false: they are the fallback; set by the caller */
    size_t count;
    struct lab_value *items; /* to be freed, also after an error */
};

/* The list that a LAB_ONE_OR_LIST may be, as a row. */
static inline struct lab_schema lab_schema_as_list(const struct lab_schema *row)
{
    struct lab_schema list = *row;
    list.count = LAB_LIST;
    if (row->count == LAB_ONE_OR_LIST) {
        list.items_min = 1;
        list.items_max = LAB_ITEMS_MAX;
        list.distinct = true;
    }
    return list;
}

/* The texts of choices, of a row or of an axis. */
struct lab_choices {
    const char *const *texts; /* NULL: there are none */
    size_t stride;            /* as in struct lab_schema */
};

static inline struct lab_choices lab_schema_choices(const struct lab_schema *row)
{
    return (struct lab_choices){row->choices, row->choice_stride};
}

/* The text of choice `i`; NULL after the last one. */
static inline const char *lab_choice_text(struct lab_choices choices, size_t i)
{
    return choices.stride > 0 ? *(const char *const *)((const char *)choices.texts + i * choices.stride)
                              : choices.texts[i];
}

/* The index of a text among the choices; their number if it is none of them. */
size_t lab_choice_find(struct lab_choices choices, const char *text);

/* A table that accepts every name and value. */
extern const struct lab_schema lab_any_members[];

/* The row of that name; NULL if there is none. A NULL table has no rows. */
const struct lab_schema *lab_schema_find(const struct lab_schema *rows, const char *name);
/* Whether a row is required. */
bool lab_schema_has_required(const struct lab_schema *rows);

/* Check a value, or the members of an object. Pointers of errors begin with `pointer`, that of the value or object.
 * False when errors were added. */
bool lab_schema_check_value(const struct lab_schema *row, const json_t *value, const char *pointer,
                            struct lab_errors *errors);
bool lab_schema_check_members(const struct lab_schema *rows, const json_t *object, const char *pointer,
                              struct lab_errors *errors);
/* Checks a value and returns what was read. Not for objects. */
bool lab_schema_read(const struct lab_schema *row, const json_t *value, const char *pointer, struct lab_values *values,
                     struct lab_errors *errors);
/* Reads a value from text: of a query, a header or a command line. `value` may be NULL. */
bool lab_schema_read_text(const struct lab_schema *row, const char *text, const char *pointer, struct lab_value *value,
                          struct lab_errors *errors);

/* The index of the choice that a checked member of an object is; where it is absent, that of the row's fallback. */
size_t lab_schema_choice(const struct lab_schema *rows, const json_t *object, const char *name);

/* Add an error about a row that is required and missing, and about a name that no row has: `what` is "field", for
 * example. They return false. */
bool lab_schema_refuse_missing(const struct lab_schema *row, const char *pointer, struct lab_errors *errors);
bool lab_schema_refuse_unknown(const struct lab_schema *rows, const char *what, enum lab_error_code code,
                               const char *name, const char *pointer, struct lab_errors *errors);

/* A row's fallback: a new reference, or NULL if it has none. */
json_t *lab_schema_fallback_to_json(const struct lab_schema *row);

/* The JSON Schema (2020-12) of a row's value, and of an object with the members of a table and no others: new
 * references. A row's has title, description, default, x-unit and x-advanced, where the row has them. */
json_t *lab_schema_to_json(const struct lab_schema *row);
json_t *lab_schema_members_to_json(const struct lab_schema *rows);

#endif
