/* Reading the description of an own kernel: what definition.c and arguments.c share. */
#ifndef LAB_KERNEL_READING_H
#define LAB_KERNEL_READING_H

#include "definition.h"

/* The definition while it is read. */
struct kernel_reading {
    struct kernel_definition *definition;
    struct lab_errors *errors;
    const char *names[LAB_AXES_MAX + 1]; /* of the axes */
    size_t axis_count;
    json_int_t version; /* of the rules for expressions */
};

/* Adds an error of a member; its pointer is "/kernel" + `path` + "/" + `name`. Returns false. */
bool kernel_refuse(const struct kernel_reading *reading, const char *path, const char *name, enum lab_error_code code,
                   const char *detail);
/* Refuses the members of `names`, which end with NULL, that an object has. */
bool kernel_refuse_members(const struct kernel_reading *reading, const json_t *object, const char *path,
                           const char *const *names, const char *detail);

/* Reads an expression: a number, or a text. Absent: not given. `whole`: its value must be a whole number. */
bool kernel_read_expression(const struct kernel_reading *reading, const json_t *value, const char *path,
                            const char *name, bool whole, struct kernel_expression *expression);
/* Reads one to three sizes, given as a list or as one. */
bool kernel_read_sizes(const struct kernel_reading *reading, const json_t *object, const char *path, const char *name,
                       struct kernel_expression sizes[3]);

/* Whether a value is a number: an integer or, since version 2, also a real number or the text of a number. */
bool kernel_is_number(const struct kernel_reading *reading, const json_t *value, double *number);
/* Whether an argument is an integer that no expression represents, because it has more than 53 bits: a JSON integer, or
 * digits. */
bool kernel_is_literal(const json_t *argument, uint64_t *bits);
/* Whether an argument is an axis: a scalar with a list of values or with an integer, also one that is refused (1.5 of
 * i32). Floats with a text are none ("2.0"). */
bool kernel_is_axis(const struct kernel_reading *reading, const json_t *argument);

/* Reads an argument, when all axes are known. */
bool kernel_read_argument(const struct kernel_reading *reading, const json_t *object, const char *path,
                          struct kernel_argument *argument);

#endif
