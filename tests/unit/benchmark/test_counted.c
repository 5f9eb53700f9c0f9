/* kernels/benchmark/counted.c: figures of hardware counters. */
#include "benchmark/benchmark.h"
#include "support/test.h"

#include <math.h>

static struct lab_hardware_counts counts = {
    .items = {[LAB_HARDWARE_LOAD_SECTORS] = {.value = 96},
              [LAB_HARDWARE_LOAD_REQUESTS] = {.value = 24},
              [LAB_HARDWARE_DRAM_READ_BYTES] = {.value = 1000},
              [LAB_HARDWARE_DRAM_WRITTEN_BYTES] = {.value = 500},
              [LAB_HARDWARE_STALL_GMMA] = {.value = NAN}},
};

TEST(a_figure_is_a_factor_times_a_ratio_of_sums)
{
    const struct lab_counted_figure sectors = {"sectors", 1, LAB_SUM_OF(LAB_HARDWARE_LOAD_SECTORS),
                                               LAB_SUM_OF(LAB_HARDWARE_LOAD_REQUESTS)};
    const struct lab_counted_figure traffic = {
        "traffic", 1 / 3000.0, LAB_SUM_OF(LAB_HARDWARE_DRAM_READ_BYTES, LAB_HARDWARE_DRAM_WRITTEN_BYTES),
        LAB_SUM_OF_NONE};
    const struct lab_counted_figure intensity = {
        "intensity", 3000, LAB_SUM_OF_NONE, LAB_SUM_OF(LAB_HARDWARE_DRAM_READ_BYTES, LAB_HARDWARE_DRAM_WRITTEN_BYTES)};
    assert_float_equal(lab_counted_value(&sectors, &counts), 4, 0);
    assert_float_equal(lab_counted_value(&traffic, &counts), 0.5, 1e-12);
    assert_float_equal(lab_counted_value(&intensity, &counts), 2, 1e-12);
}

TEST(a_counter_that_is_not_known_and_a_divisor_of_0_have_no_value)
{
    const struct lab_counted_figure unknown = {"unknown", 1, LAB_SUM_OF(LAB_HARDWARE_STALL_GMMA), LAB_SUM_OF_NONE};
    const struct lab_counted_figure nothing = {"nothing", 1, LAB_SUM_OF(LAB_HARDWARE_LOAD_SECTORS),
                                               LAB_SUM_OF(LAB_HARDWARE_STORE_REQUESTS)};
    assert_true(isnan(lab_counted_value(&unknown, &counts)));
    assert_true(isnan(lab_counted_value(&nothing, &counts)));
}

TEST(an_intensity_is_assumed_with_bytes_and_counted_without)
{
    struct lab_workload both = {.counts = {[LAB_COUNT_OPERATIONS] = 3000, [LAB_COUNT_BYTES] = 1000}};
    struct lab_workload counted = {.counts = {[LAB_COUNT_OPERATIONS] = 3000}};
    struct lab_workload neither = {.counts = {[LAB_COUNT_BYTES] = 1000}};
    lab_workload_add_intensity(&both);
    lab_workload_add_intensity(&counted);
    lab_workload_add_intensity(&neither);
    assert_int_equal(both.figure_count, 1);
    assert_string_equal(both.figures[0].metric, "intensity");
    assert_float_equal(both.figures[0].value, 3, 0);
    assert_int_equal(both.counted_count, 1);
    assert_int_equal(counted.figure_count, 0);
    assert_float_equal(lab_counted_value(&counted.counted[0], &counts), 2, 1e-12);
    assert_int_equal(neither.figure_count + neither.counted_count, 0);
}
