/* server/analysis/sides.c: which measurements of a run belong together, and what is compared. */
#include "analysis/sides.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct lab_comparison_options options = LAB_COMPARISON_DEFAULTS;

/* Adds a measurement with eight rounds about `median`; no rounds if it is 0. */
static void add(json_t *list, const char *side, const char *metric, const char *unit, int point, double median)
{
    json_t *rounds = median > 0 ? json_array() : json_null();
    for (int i = 0; median > 0 && i < 8; i++)
        json_array_append_new(rounds, json_real(median * (1 + 1e-5 * (i % 3))));
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:{s:i}, s:f, s:o}", "side", side, "metric", metric, "unit",
                                          unit, "axes", "point", point, "median", median, "rounds", rounds));
}

static json_t *compare(json_t *measurements)
{
    json_t *result = lab_compare_sides(measurements, &options);
    json_decref(measurements);
    assert_non_null(result);
    return result;
}

/* Checks a point: its metric, its value on the axis of head and base, and its verdict. */
static void assert_point(const json_t *result, size_t index, const char *metric, int head, int base,
                         const char *verdict)
{
    const char *found_metric, *found_verdict;
    int found_head, found_base;
    json_t *point = json_array_get(json_object_get(result, "points"), index);
    assert_int_equal(json_unpack(point, "{s:s, s:s, s:{s:i}, s:{s:{s:i}}}", "metric", &found_metric, "verdict",
                                 &found_verdict, "axes", "point", &found_head, "base", "axes", "point", &found_base),
                     0);
    assert_string_equal(found_metric, metric);
    assert_string_equal(found_verdict, verdict);
    assert_int_equal(found_head, head);
    assert_int_equal(found_base, base);
}

static json_int_t count_of(const json_t *result, const char *verdict)
{
    return json_integer_value(json_object_get(json_object_get(result, "summary"), verdict));
}

static void measurements_of_a_pair_belong_together(void **state)
{
    (void)state;
    json_t *list = json_array();
    add(list, "base", "bandwidth", "GB/s", 1, 10);
    add(list, "base", "time", "s", 1, 1);
    add(list, "head", "bandwidth", "GB/s", 2, 20);
    add(list, "head", "time", "s", 2, 0.5);
    add(list, "base", "bandwidth", "GB/s", 1, 10);
    add(list, "base", "time", "s", 1, 1);
    add(list, "head", "bandwidth", "GB/s", 3, 5);
    add(list, "head", "time", "s", 3, 2);
    json_t *result = compare(list);
    assert_int_equal(json_array_size(json_object_get(result, "points")), 4);
    assert_point(result, 0, "bandwidth", 2, 1, "faster");
    assert_point(result, 1, "time", 2, 1, "faster"); /* half the time */
    assert_point(result, 2, "bandwidth", 3, 1, "slower");
    assert_point(result, 3, "time", 3, 1, "slower");
    assert_int_equal(count_of(result, "faster"), 2);
    assert_int_equal(count_of(result, "slower"), 2);
    json_decref(result);
}

static void measurements_of_the_same_metric_are_paired_in_order(void **state)
{
    (void)state;
    json_t *list = json_array();
    add(list, "base", "time", "s", 1, 1);
    add(list, "base", "time", "s", 2, 2);
    add(list, "head", "time", "s", 1, 1);
    add(list, "head", "time", "s", 2, 2);
    json_t *result = compare(list);
    assert_point(result, 0, "time", 1, 1, "same");
    assert_point(result, 1, "time", 2, 2, "same");
    assert_int_equal(count_of(result, "same"), 2);
    json_decref(result);
}

static void figures_without_rounds_are_left_out(void **state)
{
    (void)state;
    json_t *list = json_array();
    add(list, "base", "time", "s", 1, 1);
    add(list, "base", "phase_time", "s", 1, 0);
    add(list, "head", "phase_time", "s", 1, 0);
    add(list, "head", "time", "s", 1, 1); /* its pair is the same */
    add(list, "head", "bandwidth", "GB/s", 1, 3);
    json_t *result = compare(list);
    assert_int_equal(json_array_size(json_object_get(result, "points")), 1);
    assert_point(result, 0, "time", 1, 1, "same");
    json_decref(result);
}

static void a_base_of_another_pair_is_no_partner(void **state)
{
    (void)state;
    json_t *list = json_array();
    add(list, "base", "bandwidth", "GB/s", 1, 10);
    add(list, "head", "time", "s", 1, 1);
    add(list, "base", "time", "s", 2, 1);
    add(list, "head", "bandwidth", "GB/s", 2, 10);
    json_t *result = compare(list);
    assert_int_equal(json_array_size(json_object_get(result, "points")), 0);
    json_decref(result);
}

static void rounds_that_one_side_has_more_are_not_compared(void **state)
{
    (void)state;
    json_t *list = json_array();
    add(list, "base", "time", "s", 1, 1);
    add(list, "head", "time", "s", 1, 1);
    json_array_append_new(json_object_get(json_array_get(list, 0), "rounds"), json_real(1000));
    json_t *result = compare(list);
    assert_point(result, 0, "time", 1, 1, "same");
    json_decref(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measurements_of_a_pair_belong_together),
        cmocka_unit_test(measurements_of_the_same_metric_are_paired_in_order),
        cmocka_unit_test(figures_without_rounds_are_left_out),
        cmocka_unit_test(a_base_of_another_pair_is_no_partner),
        cmocka_unit_test(rounds_that_one_side_has_more_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
