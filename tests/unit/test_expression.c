/* kernels/experiment/expression.c: values, precedence, and texts that are no expressions. */
#include "experiment/expression.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"n", "tile", NULL};
static const int64_t values[] = {1000, 32};

static void texts_have_values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } examples[] = {
        {"7", 7},
        {" 1.5e3 ", 1500},
        {".5", 0.5},
        {"n", 1000},
        {"n*4+2", 4002},
        {"2+n*4", 4002},
        {"(2+n)*4", 4008},
        {"100-10-1", 89},
        {"64/4/2", 8},
        {"n / tile", 31.25},
        {"n % tile", 8},
        {"ceil_div(n, tile)", 32},
        {"ceil_div(n - 8, tile)", 31},
        {"min(n, tile) + max(n,tile)", 1032},
        {"-n + --n", 0},
        {"-2*-3", 6},
        {"2 - -3", 5},
        {"ceil_div(2*n*n*n, max(1, tile))", 62500000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_expression expression;
        struct lab_error error = {0};
        if (!lab_expression_parse(&expression, examples[i].text, names, &error))
            fail_msg("%s: %s", examples[i].text, error.detail);
        double value = lab_expression_value(&expression, values);
        if (value != examples[i].value)
            fail_msg("%s is %g, not %g", examples[i].text, value, examples[i].value);
    }
}

static void a_division_by_zero_is_not_finite(void **state)
{
    struct lab_expression expression;
    struct lab_error error;
    (void)state;
    assert_true(lab_expression_parse(&expression, "1 / (n - 1000)", names, &error));
    assert_true(!isfinite(lab_expression_value(&expression, values)));
    assert_true(lab_expression_parse(&expression, "n % 0", names, &error));
    assert_true(!isfinite(lab_expression_value(&expression, values)));
}

static void other_texts_are_refused_with_the_position(void **state)
{
    static const struct {
        const char *text, *detail;
    } examples[] = {
        {"", "expected a number, a name or '(' at character 1"},
        {"n +", "expected a number, a name or '(' at character 4"},
        {"n m", "expected an operator or the end at character 3"},
        {"2 * size", "unknown name at character 5"},
        {"ceil_div(n)", "expected ',' at character 11"},
        {"min n", "expected '(' at character 5"},
        {"(n", "expected ')' at character 3"},
        {"n)", "expected an operator or the end at character 2"},
        {"0x10", "expected a decimal number at character 1"},
        {"1e999", "too large a number at character 1"},
        {".", "expected a digit at character 1"},
        {"n; 1", "expected an operator or the end at character 2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_expression expression;
        struct lab_error error = {0};
        assert_false(lab_expression_parse(&expression, examples[i].text, names, &error));
        if (strstr(error.detail, examples[i].detail) == NULL)
            fail_msg("%s: %s", examples[i].text, error.detail);
    }
}

static void length_and_depth_are_bounded(void **state)
{
    char deep[2 * LAB_EXPRESSION_DEPTH_MAX + 4] = "", negated[2 * LAB_EXPRESSION_DEPTH_MAX] = "", text[4096] = "1";
    struct lab_expression expression;
    struct lab_error error;
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_values),
        cmocka_unit_test(a_division_by_zero_is_not_finite),
        cmocka_unit_test(other_texts_are_refused_with_the_position),
        cmocka_unit_test(length_and_depth_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
