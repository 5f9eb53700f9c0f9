/* kernels/descriptor/expression.c, expression_value.c: values in both arithmetics, precedence, and texts that are no
 * expressions. */
#include "descriptor/expression.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"n", "tile", NULL};
static const int64_t values[] = {1000, 32};

/* The value of a text, or what it does that it must not as *problem. */
static double value_of(const char *text, enum lab_arithmetic arithmetic, const char **problem)
{
    struct lab_expression expression;
    struct lab_error error = {0};
    double value = NAN;
    if (!lab_expression_parse(&expression, text, names, &error))
        fail_msg("%s: %s", text, error.detail);
    if (lab_expression_value(&expression, arithmetic, values, &value, problem) != (*problem == NULL))
        fail_msg("%s has a value and a problem, or none", text);
    return value;
}

TEST(texts_have_values)
{
    static const struct {
        const char *text;
        double value, integer;
    } examples[] = {
        {"7", 7, 7},
        {" 1.5e3 ", 1500, 1500},
        {".5", 0.5, 0.5},
        {"n", 1000, 1000},
        {"n*4+2", 4002, 4002},
        {"2+n*4", 4002, 4002},
        {"(2+n)*4", 4008, 4008},
        {"100-10-1", 89, 89},
        {"64/4/2", 8, 8},
        {"n / tile", 31.25, 31},
        {"(n + 255) / 256", 4.90234375, 4},
        {"-n / tile", -31.25, -31},
        {"n / -tile", -31.25, -31},
        {"n / 32.0", 31.25, 31.25},
        {"n * 1.5", 1500, 1500},
        {"7 / 2 * 2.0", 7, 6},
        {"n % tile", 8, 8},
        {"-n % tile", -8, -8},
        {"n % -tile", 8, 8},
        {"-7 % -1", 0, 0},
        {"1 << 20", 1048576, 1048576},
        {"1<<2+3", 32, 32},
        {"n >> 3", 125, 125},
        {"-7 >> 1", -4, -4},
        {"256 >> 2 >> 1", 32, 32},
        {"1 << 2 << 3", 32, 32},
        {"2 * (1 << 4)", 32, 32},
        {"n - 1 << 1", 1998, 1998},
        {"1 << 62", 4611686018427387904.0, 4611686018427387904.0},
        {"ceil_div(n, tile)", 32, 32},
        {"ceil_div(-n, tile)", -31, -31},
        {"ceil_div(-n, -tile)", 32, 32},
        {"ceil_div(n - 8, tile)", 31, 31},
        {"ceil_div(1 << 4, 1 << 2)", 4, 4},
        {"min(n, tile) + max(n,tile)", 1032, 1032},
        {"max(1.5, 1)", 1.5, 1.5},
        {"-n + --n", 0, 0},
        {"-2*-3", 6, 6},
        {"2 - -3", 5, 5},
        {"ceil_div(2*n*n*n, max(1, tile))", 62500000, 62500000},
        {"48KiB", 49152, 49152},
        {"n * 1 KiB + 1.5K", 1025536, 1025536},
        {"1MB / 1KB", 1000, 1000},
        {"4B*n", 4000, 4000},
        {"2^20", 1048576, 1048576},
        {" 10 ^ 3 ", 1000, 1000},
        {"1e6", 1000000, 1000000},
        {"9007199254740991 / 2", 4503599627370495.5, 4503599627370495},
    };
    const char *problem;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        double real = value_of(examples[i].text, LAB_ARITHMETIC_REAL, &problem);
        double integer = value_of(examples[i].text, LAB_ARITHMETIC_INTEGER, &problem);
        if (real != examples[i].value || integer != examples[i].integer)
            fail_msg("%s is %.17g and %.17g, not %.17g and %.17g", examples[i].text, real, integer, examples[i].value,
                     examples[i].integer);
    }
}

#define SHIFTS "shifts by fewer than 0 or more than 63 bits"
#define DIVIDES "divides by 0"
#define EXCEEDS "exceeds 64 bits"

TEST(what_has_no_value_says_why)
{
    static const struct {
        const char *text, *real, *integer;
    } examples[] = {
        {"1 / (n - 1000)", DIVIDES, DIVIDES},
        {"n % 0", DIVIDES, DIVIDES},
        {"ceil_div(n, 0)", DIVIDES, DIVIDES},
        {"n / 0.0", DIVIDES, DIVIDES},
        {"1 << -1", SHIFTS, SHIFTS},
        {"1 << 64", SHIFTS, SHIFTS},
        {"1 >> n", SHIFTS, SHIFTS},
        {"1 << 63", EXCEEDS, EXCEEDS},
        {"n << 60", EXCEEDS, EXCEEDS},
        {"-1 << 1", "shifts a negative number to the left", "shifts a negative number to the left"},
        {"1.5 << 1", "shifts a number that is not a whole one below 2^53",
         "shifts a number that is not a whole one below 2^53"},
        {"(1 << 62) + (1 << 62)", NULL, EXCEEDS},
        {"-(1 << 62) - (1 << 62) - 1", NULL, EXCEEDS},
        {"(1 << 62) * 2", NULL, EXCEEDS},
        {"n*n*n*n*n*n*n", NULL, EXCEEDS},
        {"-(-(1 << 62) - (1 << 62))", NULL, EXCEEDS},
        {"(-(1 << 62) - (1 << 62)) / -1", NULL, EXCEEDS},
        {"ceil_div(-(1 << 62) - (1 << 62), -1)", NULL, EXCEEDS},
        {"(-(1 << 62) - (1 << 62)) % -1", NULL, NULL},
        {"1e300 * 1e300", "is too large", "is too large"},
        {"(0 - 1e300) * 1e300", "is too large", "is too large"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *wanted[] = {
            [LAB_ARITHMETIC_REAL] = examples[i].real, [LAB_ARITHMETIC_INTEGER] = examples[i].integer};
        for (enum lab_arithmetic a = LAB_ARITHMETIC_REAL; a <= LAB_ARITHMETIC_INTEGER; a++) {
            const char *problem;
            value_of(examples[i].text, a, &problem);
            if ((problem == NULL) != (wanted[a] == NULL) || (problem != NULL && strcmp(problem, wanted[a]) != 0))
                fail_msg("%s: %s", examples[i].text, problem != NULL ? problem : "has a value");
        }
    }
}

TEST(other_texts_are_refused_with_the_position)
{
    static const struct {
        const char *text, *detail;
    } examples[] = {
        {"", "expected a number, a name or '(' at character 1"},
        {"n +", "expected a number, a name or '(' at character 4"},
        {"n m", "expected an operator or the end at character 3"},
        {"2 * size", "not the name of an axis at character 5"},
        {"ceil_div(n)", "expected ',' at character 11"},
        {"min n", "expected '(' at character 5"},
        {"(n", "expected ')' at character 3"},
        {"n)", "expected an operator or the end at character 2"},
        {"0x10", "expected a decimal number at character 1"},
        {"1e999", "too large a number at character 1"},
        {".", "expected a digit at character 1"},
        {"n; 1", "expected an operator or the end at character 2"},
        {"n^2", "'^' is no operator (2 to the power of 20 is 1 << 20) at character 2"},
        {"(2 ^20)", "'^' is no operator (2 to the power of 20 is 1 << 20) at character 4"},
        {"2^20 * n", "'^' is no operator (2 to the power of 20 is 1 << 20) at character 2"},
        {"2^2000", "'^' is no operator"},
        {"n < 2", "expected an operator or the end at character 3"},
        {"n >< 2", "expected an operator or the end at character 3"},
        {"n <<< 2", "expected a number, a name or '(' at character 5"},
        {"2 ** n", "expected a number, a name or '(' at character 4"},
        {"1  MiB", "expected an operator or the end at character 4"},
        {"1 XiB", "expected an operator or the end at character 3"},
        {"4n", "expected an operator or the end at character 2"},
        {"1e400", "too large a number at character 1"},
        {"9e307KiB", "too large a number at character 1"},
        {"n + \xc3\xa9", "expected a number, a name or '(' at character 5"},
        {"n\xc3\xa9 +", "expected an operator or the end at character 2"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_expression expression;
        struct lab_error error = {0};
        assert_false(lab_expression_parse(&expression, examples[i].text, names, &error));
        if (strstr(error.detail, examples[i].detail) == NULL)
            fail_msg("%s: %s", examples[i].text, error.detail);
    }
}

TEST(the_unit_that_names_an_axis_is_refused)
{
    static const char *const of_matrices[] = {"m", "k", NULL};
    static const int64_t sizes[] = {3, 5};
    struct lab_expression expression;
    struct lab_error error;
    const char *problem;
    double value;
    assert_false(lab_expression_parse(&expression, "4k", of_matrices, &error));
    assert_string_equal(error.detail, "expected an operator before the name of an axis at character 2 of \"4k\"");
    assert_false(lab_expression_parse(&expression, "m * 4 k", of_matrices, &error));
    assert_true(lab_expression_parse(&expression, "4K + 4 * k", of_matrices, &error));
    assert_true(lab_expression_value(&expression, LAB_ARITHMETIC_INTEGER, sizes, &value, &problem));
    assert_true(value == 4116);
}

TEST(length_and_depth_are_bounded)
{
    char deep[2 * LAB_EXPRESSION_DEPTH_MAX + 4] = "", negated[2 * LAB_EXPRESSION_DEPTH_MAX] = "", text[4096] = "1";
    struct lab_expression expression;
    struct lab_error error;
    memset(deep, '(', LAB_EXPRESSION_DEPTH_MAX + 1);
    assert_false(lab_expression_parse(&expression, deep, names, &error));
    assert_non_null(strstr(error.detail, "nesting"));
    memset(negated, '-', sizeof negated - 1);
    assert_false(lab_expression_parse(&expression, negated, names, &error));
    assert_non_null(strstr(error.detail, "nesting"));
    for (size_t i = 0; i < LAB_EXPRESSION_STEPS_MAX; i++)
        strcat(text, "+1");
    assert_false(lab_expression_parse(&expression, text, names, &error));
    assert_non_null(strstr(error.detail, "too long"));
}
