/* kernels/experiment/headline.c: the headlines of a run are the best of its measurements that count. */
#include "experiment/headline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Read", "bandwidth"), .axis = "variant", .value = "read"},
    {LAB_HEADLINE("Latency", "latency"), .lowest = true},
    {LAB_HEADLINE("Opposed", "bandwidth"), .axis = "opposing", .value = "true"},
    {LAB_HEADLINE("From memory", "throughput"), .largest = "bytes"},
    {0},
};
static const struct lab_experiment experiment = {.name = "test", .headlines = headlines};

static void consider(json_t *list, const char *text)
{
    json_t *measurement = json_loads(text, 0, NULL);
    assert_non_null(measurement);
    lab_headlines_consider(list, &experiment, measurement);
    json_decref(measurement);
}

static const char *title(const json_t *list, size_t index)
{
    return json_string_value(json_object_get(json_array_get(list, index), "title"));
}

static double value(const json_t *list, size_t index)
{
    return json_number_value(json_object_get(json_array_get(list, index), "value"));
}

static void the_best_measurement_is_kept_with_its_point(void **state)
{
    (void)state;
    json_t *list = lab_headlines_create(&experiment);
    consider(
        list,
        "{\"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"median\": 10, \"axes\": {\"variant\": \"read\", \"n\": 1}}");
    consider(
        list,
        "{\"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"median\": 30, \"axes\": {\"variant\": \"read\", \"n\": 2}}");
    consider(
        list,
        "{\"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"median\": 20, \"axes\": {\"variant\": \"read\", \"n\": 3}}");
    consider(list,
             "{\"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"median\": 99, \"axes\": {\"variant\": \"write\"}}");
    consider(list, "{\"metric\": \"latency\", \"unit\": \"s\", \"median\": 2e-6, \"axes\": {}}");
    consider(list, "{\"metric\": \"latency\", \"unit\": \"s\", \"median\": 1e-6, \"axes\": {}}");
    lab_headlines_finish(list);
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(title(list, 0), "Read");
    assert_true(value(list, 0) == 30);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json_array_get(list, 0), "axes"), "n")), 2);
    assert_string_equal(title(list, 1), "Latency");
    assert_true(value(list, 1) == 1e-6);
    json_decref(list);
}

static void the_largest_size_counts_even_if_a_smaller_one_is_better(void **state)
{
    (void)state;
    json_t *list = lab_headlines_create(&experiment);
    consider(list, "{\"metric\": \"throughput\", \"unit\": \"GB/s\", \"median\": 9, \"axes\": {\"bytes\": 16}}");
    consider(list, "{\"metric\": \"throughput\", \"unit\": \"GB/s\", \"median\": 4, \"axes\": {\"bytes\": 256}}");
    consider(list, "{\"metric\": \"throughput\", \"unit\": \"GB/s\", \"median\": 5, \"axes\": {\"bytes\": 256}}");
    consider(list, "{\"metric\": \"throughput\", \"unit\": \"GB/s\", \"median\": 8, \"axes\": {\"bytes\": 64}}");
    lab_headlines_finish(list);
    assert_int_equal(json_array_size(list), 1);
    assert_true(value(list, 0) == 5);
    json_decref(list);
}

static void bursts_count_only_without_sustained_figures(void **state)
{
    (void)state;
    static const char *const medians[][2] = {{"burst", "9"}, {"sustained", "4"}, {"burst", "8"}, {"sustained", "5"}};
    static const double wanted[] = {9, 4, 4, 5};
    json_t *list = lab_headlines_create(&experiment);
    for (size_t i = 0; i < 4; i++) {
        char text[160];
        snprintf(text, sizeof text,
                 "{\"metric\": \"throughput\", \"unit\": \"GFLOP/s\", \"median\": %s, \"axes\": {\"load\": \"%s\"}}",
                 medians[i][1], medians[i][0]);
        consider(list, text);
        assert_true(value(list, 3) == wanted[i]);
    }
    json_decref(list);
}

static void a_boolean_axis_is_compared_as_text(void **state)
{
    (void)state;
    json_t *list = lab_headlines_create(&experiment);
    consider(list, "{\"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"median\": 5, \"axes\": {\"opposing\": false}}");
    consider(list, "{\"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"median\": 4, \"axes\": {\"opposing\": true}}");
    lab_headlines_finish(list);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(title(list, 0), "Opposed");
    assert_true(value(list, 0) == 4);
    json_decref(list);
}

static void measurements_without_a_right_result_do_not_count(void **state)
{
    (void)state;
    static const char *const rejected[] = {
        "{\"metric\": \"latency\", \"unit\": \"s\", \"median\": null, \"axes\": {}}",
        "{\"metric\": \"latency\", \"unit\": \"s\", \"median\": 1, \"axes\": {}, \"skipped\": \"too large\"}",
        "{\"metric\": \"latency\", \"unit\": \"s\", \"median\": 1, \"axes\": {}, \"verified\": false}",
        "{\"metric\": \"latency\", \"unit\": \"s\", \"median\": 1, \"axes\": {}, \"side\": \"base\"}",
        "{\"metric\": \"time\", \"unit\": \"s\", \"median\": 1, \"axes\": {}}",
    };
    json_t *list = lab_headlines_create(&experiment);
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        consider(list, rejected[i]);
    lab_headlines_finish(list);
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_measurement_is_kept_with_its_point),
        cmocka_unit_test(the_largest_size_counts_even_if_a_smaller_one_is_better),
        cmocka_unit_test(bursts_count_only_without_sustained_figures),
        cmocka_unit_test(a_boolean_axis_is_compared_as_text),
        cmocka_unit_test(measurements_without_a_right_result_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
