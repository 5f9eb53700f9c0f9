/* kernels/experiments/break_even: predicted times and break-even sizes of known times, and the buffers of the job. */
#include "experiments/break_even/break_even.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <math.h>

extern const struct lab_experiment lab_break_even;

static bool is_near(double value, double expected)
{
    return fabs(value / expected - 1) < 1e-9;
}

/* The CPU takes 1 s for each MB; the GPU 4 s, and half a second for each MB. They are equal at 8 MB. */
static struct break_even_times times_at(double megabytes)
{
    return (struct break_even_times){1e6 * megabytes, megabytes, 4 + 0.5 * megabytes};
}

TEST(the_size_is_where_the_times_are_equal)
{
    const struct break_even_times measured[] = {times_at(2), times_at(8), times_at(32)};
    const struct break_even_times around[] = {times_at(4), times_at(7.9), times_at(8.1), times_at(32)};
    assert_true(is_near(break_even_size(measured, 3), 8e6));
    assert_true(fabs(break_even_size(around, 4) / 8e6 - 1) < 1e-3);
}

TEST(a_device_that_is_always_or_never_faster_has_the_smallest_size_or_none)
{
    const struct break_even_times always[] = {times_at(16), times_at(32)}, never[] = {times_at(1), times_at(2)};
    assert_true(break_even_size(always, 2) == 16e6);
    assert_true(isnan(break_even_size(never, 2)));
    assert_true(isnan(break_even_size(never, 0)));
}

/* A device that is slower once in between is faster only from the next size on. */
TEST(the_last_crossing_counts)
{
    const struct break_even_times times[] = {{1, 2, 1}, {2, 2, 4}, {4, 4, 2}};
    assert_true(is_near(break_even_size(times, 3), 2 * sqrt(2)));
}

TEST(times_are_predicted_from_the_slower_of_memory_and_arithmetic_and_the_copies)
{
    const struct break_even_rates rates = {.core_bytes_per_s = 80,
                                           .core_rounds_per_s = 5,
                                           .cpu_bytes_per_s = 100,
                                           .cpu_rounds_per_s = 10,
                                           .cpu_start_s = 1,
                                           .device_bytes_per_s = 1000,
                                           .device_rounds_per_s = 1000,
                                           .device_start_s = 2,
                                           .link_bytes_per_s = 50,
                                           .staged_bytes_per_s = 10};
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_KERNEL, 1, 400), 2 + 0.8));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_KERNEL, 100, 400), 2 + 10));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_PINNED, 1, 400), 2 + 0.8 + 16));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_PAGEABLE, 1, 400), 2 + 0.8 + 80));
    const struct break_even_rates unknown = {.cpu_bytes_per_s = 1, .cpu_rounds_per_s = 1, .device_bytes_per_s = NAN};
    assert_true(isnan(break_even_predict(&unknown, BREAK_EVEN_KERNEL, 1, 400)));
}

/* One thread up to its grain, without a start; two have twice its rates, but not more than all have. */
TEST(the_time_of_the_host_is_that_of_as_many_threads_as_are_worth_it)
{
    const double grain = BREAK_EVEN_GRAIN * sizeof(uint32_t);
    const struct break_even_rates rates = {.core_bytes_per_s = grain,
                                           .core_rounds_per_s = BREAK_EVEN_GRAIN,
                                           .cpu_bytes_per_s = 1.5 * grain,
                                           .cpu_rounds_per_s = 4 * BREAK_EVEN_GRAIN,
                                           .cpu_start_s = 3};
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_CPU, 1, grain), 2));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_CPU, 10, grain), 10));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_CPU, 10, 2 * grain), 3 + 10));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_CPU, 10, 80 * grain), 3 + 200));
    assert_true(is_near(break_even_predict(&rates, BREAK_EVEN_CPU, 1, 3 * grain), 3 + 4));
}

static struct lab_workload describe(int64_t variant)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_break_even, NULL, &errors);
    struct lab_device_facts facts;
    struct lab_workload workload = {0};
    const struct lab_point point = {
        .values = {[BREAK_EVEN_AXIS_VARIANT] = variant, [BREAK_EVEN_AXIS_WEIGHT] = 3, [BREAK_EVEN_AXIS_BYTES] = 4096}};
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    lab_break_even.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(the_input_is_on_the_device_only_for_the_kernel_alone)
{
    struct lab_workload kernel = describe(BREAK_EVEN_KERNEL), pinned = describe(BREAK_EVEN_PINNED);
    assert_int_equal(kernel.buffer_count, 2);
    assert_int_equal(kernel.buffers[BREAK_EVEN_HOST_IN].memory, LAB_MEMORY_DEVICE);
    assert_int_equal(kernel.steps[0].arguments[0].buffer, BREAK_EVEN_HOST_IN);
    assert_int_equal(pinned.buffer_count, 4);
    assert_int_equal(pinned.buffers[BREAK_EVEN_HOST_OUT].memory, LAB_MEMORY_PINNED);
    assert_int_equal(pinned.steps[0].arguments[0].buffer, BREAK_EVEN_DEVICE_IN);
    assert_int_equal(describe(BREAK_EVEN_CPU).buffers[BREAK_EVEN_HOST_OUT].memory, LAB_MEMORY_PAGEABLE);
}
