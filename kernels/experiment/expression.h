/* Arithmetic expressions of people's own kernels: sizes of a grid, elements of a buffer, bytes of a launch, in terms of the
 * axes: "ceil_div(n, 256)".
 *
 *     sum     = product { ("+" | "-") product }
 *     product = unary { ("*" | "/" | "%") unary }
 *     unary   = { "-" } primary
 *     primary = number | name | "(" sum ")" | ("min" | "max" | "ceil_div") "(" sum "," sum ")"
 *
 * All values are doubles, so integers are exact up to 2^53. "/" does not round; ceil_div(a, b) is the smallest integer that is
 * not less than a / b.
 */
#ifndef LAB_EXPRESSION_H
#define LAB_EXPRESSION_H

#include "core/errors.h"

#include <stdint.h>

enum { LAB_EXPRESSION_STEPS_MAX = 64, LAB_EXPRESSION_DEPTH_MAX = 16 };

/* A parsed expression: operations on a stack, in order. */
struct lab_expression {
    size_t count;
    struct lab_expression_step {
        enum {
            LAB_STEP_NUMBER, /* pushes `number` */
            LAB_STEP_NAME,   /* pushes the value with the index `name` */
            LAB_STEP_NEGATE, /* this and the next replace one or two values by the result */
            LAB_STEP_ADD,
            LAB_STEP_SUBTRACT,
            LAB_STEP_MULTIPLY,
            LAB_STEP_DIVIDE,
            LAB_STEP_REMAINDER,
            LAB_STEP_MIN,
            LAB_STEP_MAX,
            LAB_STEP_CEIL_DIV
        } kind;
        double number;
        size_t name;
    } steps[LAB_EXPRESSION_STEPS_MAX];
};

/* Parses a text with the names `names`, which end with NULL. Returns false with error->detail set, which says what is wrong at
 * which character. */
bool lab_expression_parse(struct lab_expression *expression, const char *text, const char *const *names,
                          struct lab_error *error);

/* The value for `values`, which belong to the names; not finite after a division by 0. */
double lab_expression_value(const struct lab_expression *expression, const int64_t *values);

#endif
