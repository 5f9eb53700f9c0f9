/* kernels/core/shape.c. How often the rules find what is not there is measured by tests/bench/bench_shape.c. */
#include "core/shape.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 1000 };

/* Values from `level` - `width` to `level` + `width`, whose order is not that of their size. */
static void spread(double *values, size_t count, double level, double width)
{
    for (size_t i = 0; i < count; i++)
        values[i] = level + width * (2 * fmod(0.618034 * (double)i, 1) - 1);
}

static struct lab_shape shape_of(const double *values, size_t count)
{
    struct lab_shape shape;
    assert_true(lab_shape_find(values, count, &shape));
    return shape;
}

TEST(even_samples_have_nothing_to_show)
{
    double values[COUNT_MAX];
    static const size_t counts[] = {1, 2, 3, 5, 12, 100, COUNT_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        spread(values, counts[i], 50, 1);
        struct lab_shape shape = shape_of(values, counts[i]);
        assert_int_equal(shape.outliers, 0);
        assert_true(isnan(shape.farthest_outlier));
        assert_false(shape.has_modes);
        assert_true(isnan(shape.drift) || (shape.drift_low <= 0 && shape.drift_high >= 0));
    }
    spread(values, COUNT_MAX, 50, 0); /* all are equal */
    struct lab_shape shape = shape_of(values, COUNT_MAX);
    assert_true(shape.outliers == 0 && !shape.has_modes && shape.drift == 0);
}

TEST(outliers_are_counted_on_both_sides)
{
    double values[100];
    spread(values, 100, 50, 1); /* the quartiles are 49.5 and 50.5; beyond 46.5 and 53.5 is far */
    values[3] = 46.4;
    values[50] = 54;
    values[70] = 30;
    values[71] = 46.6; /* not far enough */
    struct lab_shape shape = shape_of(values, 100);
    assert_int_equal(shape.outliers, 3);
    assert_true(shape.farthest_outlier == 30);
    assert_true(fabs(shape.fence_low - 46.5) < 0.2 && fabs(shape.fence_high - 53.5) < 0.2);
}

TEST(what_is_within_one_percent_is_no_outlier)
{
    double values[20];
    spread(values, 20, 100, 0);
    values[4] = 100.9;
    values[9] = 99.1;
    assert_int_equal(shape_of(values, 20).outliers, 0);
    values[12] = 101.1;
    assert_int_equal(shape_of(values, 20).outliers, 1);
    assert_true(shape_of(values, 20).farthest_outlier == 101.1);
}

TEST(two_levels_are_found_with_their_shares)
{
    double values[120], high[30];
    spread(values, 90, 50, 0.5);
    spread(high, 30, 55, 0.5);
    for (size_t i = 0; i < 30; i++) { /* every fourth sample */
        double value = values[3 * i];
        values[3 * i] = high[i];
        values[90 + i] = value;
    }
    struct lab_shape shape = shape_of(values, 120);
    assert_true(shape.has_modes);
    assert_true(fabs(shape.modes[0] - 50) < 0.1 && fabs(shape.modes[1] - 55) < 0.1);
    assert_true(shape.mode_shares[0] == 0.75 && shape.mode_shares[1] == 0.25);
    assert_int_equal(shape.outliers, 0); /* the smaller mode is none */
}

TEST(an_outlier_is_beyond_both_levels)
{
    double values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = i % 2 == 0 ? 50 : 60;
    values[10] = 55; /* between them */
    values[20] = 70;
    struct lab_shape shape = shape_of(values, 100);
    assert_true(shape.has_modes);
    assert_int_equal(shape.outliers, 1);
    assert_true(shape.farthest_outlier == 70);
}

TEST(levels_that_do_not_matter_or_are_few_are_none)
{
    double values[200];
    for (size_t i = 0; i < 200; i++)
        values[i] = i % 2 == 0 ? 100 : 100.9; /* less than 1 % apart */
    assert_false(shape_of(values, 200).has_modes);
    for (size_t i = 0; i < 200; i++)
        values[i] = i % 20 == 0 ? 120 : 100; /* a twentieth: outliers */
    struct lab_shape shape = shape_of(values, 200);
    assert_false(shape.has_modes);
    assert_int_equal(shape.outliers, 10);
    for (size_t i = 0; i < 200; i++)
        values[i] = 100 + 5 * (double)(i % 3); /* three levels are not two */
    assert_false(shape_of(values, 200).has_modes);
    for (size_t i = 0; i < 20; i++)
        values[i] = i % 2 == 0 ? 100 : 120;
    assert_true(shape_of(values, 20).has_modes);
    assert_false(shape_of(values, 18).has_modes); /* too few to tell */
}

TEST(a_drift_has_size_and_interval)
{
    double values[300];
    spread(values, 300, 100, 0.5);
    for (size_t i = 0; i < 300; i++)
        values[i] -= 4 * (double)i / 300;
    struct lab_shape shape = shape_of(values, 300);
    /* From the middle of the first tenth to that of the last one: nine tenths of 4 %. */
    assert_true(fabs(shape.drift + 0.0367) < 0.002);
    assert_true(shape.drift_low <= shape.drift && shape.drift <= shape.drift_high && shape.drift_high < -0.02);
    values[299] = 1e6; /* one sample does not make a drift */
    assert_true(fabs(shape_of(values, 300).drift - shape.drift) < 0.002);
}

TEST(few_samples_show_no_drift)
{
    double values[21];
    for (size_t i = 0; i < 21; i++)
        values[i] = 100 + (double)i;
    assert_true(isnan(shape_of(values, 20).drift));
    assert_true(shape_of(values, 21).drift_low > 0);
    spread(values, 21, 0, 1); /* relative to a median of 0 nothing has a size */
    values[0] = 0;
    assert_true(isnan(shape_of((const double[21]){0}, 21).drift));
}

TEST(samples_that_are_not_finite_do_not_count)
{
    const double values[] = {1, (double)NAN, 1, (double)INFINITY, 1, 1, 1, 5};
    struct lab_shape shape = shape_of(values, 8);
    assert_int_equal(shape.outliers, 1);
    shape = shape_of(values + 1, 1);
    assert_true(shape.outliers == 0 && isnan(shape.drift));
}

TEST(the_text_is_json_with_null_for_what_is_not_known)
{
    double values[40];
    char *text = lab_shape_text((const double[]){1, 1, 5, 1}, 4);
    assert_string_equal(
        text,
        "{\"outliers\":0,\"fence_low\":-2,\"fence_high\":5,\"farthest_outlier\":null,\"drift\":null,\"drift_low\":null,"
        "\"drift_high\":null,\"modes\":null,\"mode_shares\":null}");
    free(text);
    for (size_t i = 0; i < 40; i++)
        values[i] = i % 2 == 0 ? 100 : 125;
    text = lab_shape_text(values, 40);
    assert_non_null(strstr(text, "\"modes\":[100,125],\"mode_shares\":[0.5,0.5]}"));
    free(text);
    assert_null(lab_shape_text(NULL, 0));
}
