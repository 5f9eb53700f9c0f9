/* Fuzzes numbers and expressions. The first byte of an input selects: 'N' a number or size (core/number.h), 'E' an
 * expression of own kernels, which is evaluated in both arithmetics.
 */
#include "check.h"
#include "core/number.h"
#include "descriptor/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_number(const char *text)
{
    double value = 0, decimal = 0, read = 0;
    size_t unit, length = lab_size_read(text, &read, &unit);
    must(unit <= length && length <= strlen(text), "a size ends within the text");
    must(!isnan(read) && read >= 0, "a size has a value");
    bool is_size = lab_size_parse(text, &value);
    must(!isnan(value), "a literal has a value");
    must(length == 0 || text[length] != '\0' || (is_size && value == read), "a text that is a size is a literal");
    must(!lab_decimal_parse(text, &decimal) || (is_size && value == decimal), "a decimal is a literal");
}

/* Values of the axes, at and beyond the limits of what an axis has. */
static const int64_t points[][4] = {
    {1000, 32, 0, 1},
    {-1, -1, -1, -1},
    {9007199254740991, -9007199254740991, 63, 64},
    {INT64_MAX, INT64_MIN, 62, -7},
};

static void evaluate(const struct lab_expression *expression, enum lab_arithmetic arithmetic)
{
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double value;
        const char *problem;
        bool good = lab_expression_value(expression, arithmetic, points[i], &value, &problem);
        must(good == (problem == NULL), "an expression has a value or a problem");
        must(!good || isfinite(value), "a value is finite");
    }
}

static void fuzz_expression(const char *text)
{
    static const char *const names[] = {"n", "m", "k", "tile_size", NULL};
    struct lab_expression expression;
    struct lab_error error = {0};
    if (lab_expression_parse(&expression, text, names, &error)) {
        must(expression.count > 0 && expression.count <= LAB_EXPRESSION_STEPS_MAX, "an expression has steps");
        evaluate(&expression, LAB_ARITHMETIC_REAL);
        evaluate(&expression, LAB_ARITHMETIC_INTEGER);
    } else {
        check_error(&error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = malloc(size);
    must(text != NULL, "memory is sufficient");
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (data[0] == 'N')
        fuzz_number(text);
    else if (data[0] == 'E')
        fuzz_expression(text);
    free(text);
    return 0;
}
