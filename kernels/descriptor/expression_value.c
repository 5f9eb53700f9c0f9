/* Evaluates expressions on a stack. */
#include "descriptor/expression.h"

#include "core/number.h"

#include <math.h>

static const char overflows[] = "exceeds 64 bits", divides_by_0[] = "divides by 0";

static struct lab_number real_of(double value)
{
    return (struct lab_number){.is_real = true, .real = value};
}

static struct lab_number integer_of(int64_t value)
{
    return (struct lab_number){.real = (double)value, .integer = value};
}

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) <= LAB_INTEGER_MAX;
}

/* The functions below set *result to that of an operation. They return NULL, or what the operation does that it must
 * not. */

static const char *divide(int kind, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return divides_by_0;
    if (b == -1) { /* the quotient of the least integer has no place in 64 bits */
        *result = 0;
        return kind != LAB_STEP_REMAINDER && __builtin_sub_overflow(0, a, result) ? overflows : NULL;
    }
    bool exact = a % b == 0, positive = (a < 0) == (b < 0);
    *result = kind == LAB_STEP_REMAINDER ? a % b : a / b + (kind == LAB_STEP_CEIL_DIV && !exact && positive);
    return NULL;
}

static const char *shift(int kind, int64_t a, int64_t b, int64_t *result)
{
    if (b < 0 || b > 63)
        return "shifts by fewer than 0 or more than 63 bits";
    if (kind == LAB_STEP_SHIFT_RIGHT) {
        *result = a >> b;
        return NULL;
    }
    if (a < 0)
        return "shifts a negative number to the left";
    if (a > INT64_MAX >> b)
        return overflows;
    *result = a << b;
    return NULL;
}

static const char *apply_integer(int kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case LAB_STEP_ADD:
        return __builtin_add_overflow(a, b, result) ? overflows : NULL;
    case LAB_STEP_SUBTRACT:
        return __builtin_sub_overflow(a, b, result) ? overflows : NULL;
    case LAB_STEP_MULTIPLY:
        return __builtin_mul_overflow(a, b, result) ? overflows : NULL;
    case LAB_STEP_MIN:
        *result = a < b ? a : b;
        return NULL;
    case LAB_STEP_MAX:
        *result = a > b ? a : b;
        return NULL;
    case LAB_STEP_SHIFT_LEFT:
    case LAB_STEP_SHIFT_RIGHT:
        return shift(kind, a, b, result);
    default:
        return divide(kind, a, b, result);
    }
}

static const char *apply_real(int kind, double a, double b, double *result)
{
    int64_t shifted = 0;
    const char *problem = NULL;
    switch (kind) {
    case LAB_STEP_ADD:
        *result = a + b;
        return NULL;
    case LAB_STEP_SUBTRACT:
        *result = a - b;
        return NULL;
    case LAB_STEP_MULTIPLY:
        *result = a * b;
        return NULL;
    case LAB_STEP_MIN:
        *result = fmin(a, b);
        return NULL;
    case LAB_STEP_MAX:
        *result = fmax(a, b);
        return NULL;
    case LAB_STEP_SHIFT_LEFT:
    case LAB_STEP_SHIFT_RIGHT:
        if (!is_whole(a) || !is_whole(b))
            return "shifts a number that is not a whole one below 2^53";
        problem = shift(kind, (int64_t)a, (int64_t)b, &shifted);
        *result = (double)shifted;
        return problem;
    default:
        if (b == 0)
            return divides_by_0;
        *result = kind == LAB_STEP_REMAINDER ? fmod(a, b) : kind == LAB_STEP_DIVIDE ? a / b : ceil(a / b);
        return NULL;
    }
}

static const char *apply(int kind, struct lab_number *a, const struct lab_number *b)
{
    const char *problem;
    if (a->is_real || b->is_real) {
        double real = 0;
        problem = apply_real(kind, a->real, b->real, &real);
        *a = real_of(real);
        return problem == NULL && !isfinite(real) ? "is too large" : problem;
    }
    int64_t integer = 0;
    problem = apply_integer(kind, a->integer, b->integer, &integer);
    *a = integer_of(integer);
    return problem;
}

bool lab_expression_value(const struct lab_expression *expression, enum lab_arithmetic arithmetic,
                          const int64_t *values, double *value, const char **problem)
{
    struct lab_number stack[LAB_EXPRESSION_STEPS_MAX] = {0};
    size_t depth = 0;
    *problem = NULL;
    for (size_t i = 0; i < expression->count && *problem == NULL; i++) {
        const struct lab_expression_step *step = &expression->steps[i];
        if (step->kind == LAB_STEP_NUMBER || step->kind == LAB_STEP_NAME) {
            stack[depth] = step->kind == LAB_STEP_NUMBER ? step->number : integer_of(values[step->name]);
            if (arithmetic == LAB_ARITHMETIC_REAL)
                stack[depth].is_real = true;
            depth++;
        } else if (step->kind == LAB_STEP_NEGATE) {
            struct lab_number negated = integer_of(0);
            *problem = apply(LAB_STEP_SUBTRACT, &negated, &stack[depth - 1]);
            stack[depth - 1] = negated;
        } else {
            depth--;
            *problem = apply(step->kind, &stack[depth - 1], &stack[depth]);
        }
    }
    *value = stack[0].real;
    return *problem == NULL;
}
