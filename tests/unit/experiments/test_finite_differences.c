/* finite-differences: errors of the order of the stencil in every direction, and what the tiles are computed to
 * load. */
#include "support/benchmark_harness.h"
#include "support/test.h"

/* Axes and variants in the order of the experiment's tables. */
enum { VARIANT, DERIVATIVE, SPACING, TYPE, N };
enum { COPY, GLOBAL, TILE_4X64, TILE_32X32, TILE_64X16, REGISTERS };
enum { X, Y, Z };
enum { FP32, FP64 };

DEVICE_TEST(the_error_has_order_eight_in_every_direction)
{
    static const char *const names[] = {"x", "y", "z"};
    static const char request[] =
        "{\"variant\": \"global\", \"type\": \"fp64\", \"n\": [32, 48], \"spacing\": \"uniform\", "
        "\"min_samples\": 1, \"max_samples\": 1, \"min_time_s\": 0, \"settle_s\": 0, \"time_budget_s\": 600}";
    struct results results;
    run_experiment(lab_experiment_find("finite-differences"), device, request, &results);
    assert_true(results.good);
    assert_false(results.any_wrong);
    for (size_t i = 0; i < 3; i++) {
        char axes[64];
        snprintf(axes, sizeof axes, "\"derivative\":\"%s\",\"load\":\"sustained\",\"n\":48", names[i]);
        const struct reported *order = find_reported(&results, "order", axes);
        const struct reported *largest = find_reported(&results, "max_error", axes);
        const struct reported *rms = find_reported(&results, "rms_error", axes);
        const struct reported *predicted = find_reported(&results, "predicted_max_error", axes);
        assert_true(order->summary.median > 7.95 && order->summary.median < 8.05);
        assert_true(largest->summary.median < predicted->summary.median);
        assert_true(largest->summary.median > 0.9 * predicted->summary.median);
        assert_true(rms->summary.median > 0 && rms->summary.median < largest->summary.median);
    }
}

/* A line whose factors are those of a uniform grid would be wrong by a quarter. */
DEVICE_TEST(a_stretched_grid_is_right_in_both_types)
{
    static const char request[] =
        "{\"variant\": [\"copy\", \"global\"], \"n\": 32, \"spacing\": \"stretched\", "
        "\"min_samples\": 1, \"max_samples\": 1, \"min_time_s\": 0, \"settle_s\": 0, \"time_budget_s\": 600}";
    struct results results;
    run_experiment(lab_experiment_find("finite-differences"), device, request, &results);
    assert_true(results.good);
    assert_false(results.any_wrong);
    size_t checked = 0;
    for (size_t i = 0; i < results.count; i++)
        checked += strcmp(results.items[i].metric, "bandwidth") == 0 && results.items[i].verified;
    assert_int_equal(checked, 2 + 3 * 2); /* copies, and derivatives of both types */
}

/* A computed figure of a variant on a GPU. */
static double figure_of(const char *metric, int64_t variant, int64_t derivative, int64_t type)
{
    const struct lab_point point = {
        {[VARIANT] = variant, [DERIVATIVE] = derivative, [SPACING] = 0, [TYPE] = type, [N] = 512}};
    struct lab_device_facts device;
    struct lab_workload workload = {0};
    lab_facts_clear(&device);
    lab_experiment_find("finite-differences")->benchmark->describe(NULL, &device, &point, &workload);
    for (size_t i = 0; i < workload.figure_count; i++)
        if (strcmp(workload.figures[i].metric, metric) == 0)
            return workload.figures[i].value;
    return NAN;
}

TEST(tiles_load_what_lies_beyond_their_ends)
{
    assert_true(figure_of("loads_per_point", GLOBAL, Z, FP32) == 8);
    assert_true(figure_of("loads_per_point", TILE_32X32, Y, FP32) == 1.25);
    assert_true(figure_of("loads_per_point", TILE_4X64, X, FP32) == 3);
    assert_true(figure_of("loads_per_point", TILE_4X64, Z, FP32) == 1.125);
    assert_true(figure_of("loads_per_point", REGISTERS, Z, FP64) == 1.0625);
    assert_true(figure_of("loads_per_point", REGISTERS, X, FP32) == 3);
    assert_true(isnan(figure_of("loads_per_point", COPY, X, FP32)));
}

TEST(a_derivative_takes_twelve_operations_for_two_values)
{
    assert_true(figure_of("intensity", GLOBAL, X, FP32) == 12.0 / 8);
    assert_true(figure_of("intensity", REGISTERS, Z, FP64) == 12.0 / 16);
    assert_true(isnan(figure_of("intensity", COPY, X, FP32)));
}

TEST(short_rows_touch_more_sectors)
{
    assert_true(figure_of("sectors_per_request", TILE_4X64, Y, FP32) == 8);
    assert_true(figure_of("sectors_per_request", TILE_4X64, Y, FP64) == 8);
    assert_true(figure_of("sectors_per_request", TILE_32X32, Y, FP32) == 4);
    assert_true(figure_of("sectors_per_request", REGISTERS, Y, FP32) == 16);
}
