/* Arithmetic expressions of people's own kernels: sizes of a grid, elements of a buffer, bytes of a launch, in terms of
 * the axes: "(n + 255) / 256".
 *
 *     shift   = sum { ("<<" | ">>") sum }
 *     sum     = product { ("+" | "-") product }
 *     product = unary { ("*" | "/" | "%") unary }
 *     unary   = { "-" } primary
 *     primary = size | name | "(" shift ")" | ("min" | "max" | "ceil_div") "(" shift "," shift ")"
 *
 * A size may have a unit ("48KiB", core/number.h), and a whole expression may be a literal such as "2^20".
 *
 * There are two kinds of arithmetic. LAB_ARITHMETIC_INTEGER is that of C: integers have 64 bits, "/" of two integers
 * rounds towards 0, and an operand with a decimal point and no unit makes a result real ("n / 2.0"). In
 * LAB_ARITHMETIC_REAL all values are doubles, and "/" does not round. ceil_div(a, b) is the smallest integer that is
 * not less than a / b.
 */
#ifndef LAB_EXPRESSION_H
#define LAB_EXPRESSION_H

#include "core/errors.h"

#include <stdint.h>

enum { LAB_EXPRESSION_STEPS_MAX = 64, LAB_EXPRESSION_DEPTH_MAX = 16 };

enum lab_arithmetic { LAB_ARITHMETIC_REAL, LAB_ARITHMETIC_INTEGER };

/* A number while an expression is evaluated. */
struct lab_number {
    bool is_real;
    double real;     /* also of an integer, rounded */
    int64_t integer; /* unless is_real */
};

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
            LAB_STEP_SHIFT_LEFT,
            LAB_STEP_SHIFT_RIGHT,
            LAB_STEP_MIN,
            LAB_STEP_MAX,
            LAB_STEP_CEIL_DIV
        } kind;
        struct lab_number number;
        size_t name;
    } steps[LAB_EXPRESSION_STEPS_MAX];
};

/* Parses a text with the names `names`, which end with NULL. Returns false with error->detail set, which says what is
 * wrong at which character. */
bool lab_expression_parse(struct lab_expression *expression, const char *text, const char *const *names,
                          struct lab_error *error);

/* The expression that is one number. */
struct lab_expression lab_expression_of(double number);

/* Sets *value to the value for `values`, which belong to the names. Returns false if there is none, with *problem set
 * to a verb phrase: "divides by 0". */
bool lab_expression_value(const struct lab_expression *expression, enum lab_arithmetic arithmetic,
                          const int64_t *values, double *value, const char **problem);

#endif
