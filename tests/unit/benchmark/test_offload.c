/* kernels/benchmark/offload.c: the weight at which a kernel takes the wanted time. Arrays and results: test_overlap.c,
 * test_scaling.c.
 */
#include "benchmark/offload.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

/* A kernel that takes fixed_s and each_s for each unit of weight. */
struct device {
    double fixed_s, each_s, wanted_s;
    uint32_t heaviest; /* that was timed */
};

static bool time_kernel(void *context, uint32_t weight, double *kernel_s, double *wanted_s)
{
    struct device *device = context;
    device->heaviest = weight > device->heaviest ? weight : device->heaviest;
    *kernel_s = device->fixed_s + device->each_s * weight;
    *wanted_s = device->wanted_s;
    return true;
}

static uint32_t find_weight(struct device *device, bool coarse)
{
    static const struct lab_offload_shape shape = {.memory = LAB_MEMORY_PINNED, .bytes = 4096};
    const struct lab_offload_search search = {
        .weight_max = 1000, .coarse = coarse, .context = device, .time = time_kernel};
    atomic_bool cancel = false;
    struct lab_run run = {.cancel = &cancel, .calibrated = json_object()};
    uint32_t weight = 0, again = 0;
    assert_true(lab_offload_find_weight(&run, &shape, &search, &weight));
    device->each_s *= 2; /* a device that is now slower: the weight that was found is kept */
    assert_true(lab_offload_find_weight(&run, &shape, &search, &again));
    assert_int_equal(again, weight);
    json_decref(run.calibrated);
    return weight;
}

TEST(the_time_that_does_not_depend_on_the_weight_counts)
{
    assert_int_equal(find_weight(&(struct device){.fixed_s = 5e-6, .each_s = 1e-6, .wanted_s = 20e-6}, false), 15);
    assert_int_equal(find_weight(&(struct device){.fixed_s = 0.01, .each_s = 0.001, .wanted_s = 0.3}, false), 290);
}

TEST(weights_are_within_their_bounds)
{
    struct device slow = {.each_s = 2, .wanted_s = 1};
    assert_int_equal(find_weight(&slow, false), 1);
    assert_int_equal(slow.heaviest, 1); /* heavier kernels, which are slower still, are not timed */
    assert_int_equal(find_weight(&(struct device){.each_s = 1e-9, .wanted_s = 1}, false), 1000);
    /* timings that do not grow, because of noise: the slope is at least half of 1 s / 2, the time with weight 2 */
    assert_int_equal(find_weight(&(struct device){.fixed_s = 1, .wanted_s = 2}, false), 6);
}

TEST(coarse_weights_are_rounded_by_ratio)
{
    assert_int_equal(find_weight(&(struct device){.each_s = 1e-3, .wanted_s = 0.110}, true), 96);
    assert_int_equal(find_weight(&(struct device){.each_s = 1e-3, .wanted_s = 0.112}, true), 128);
    assert_int_equal(find_weight(&(struct device){.each_s = 1e-3, .wanted_s = 0.156}, true), 128);
    assert_int_equal(find_weight(&(struct device){.each_s = 1e-3, .wanted_s = 0.158}, true), 192);
}

TEST(a_search_ends_when_the_run_is_cancelled)
{
    struct device device = {.each_s = 1e-3, .wanted_s = 1};
    const struct lab_offload_shape shape = {.memory = LAB_MEMORY_PINNED, .bytes = 4096};
    const struct lab_offload_search search = {.weight_max = 1000, .context = &device, .time = time_kernel};
    atomic_bool cancel = true;
    struct lab_run run = {.cancel = &cancel};
    uint32_t weight;
    assert_false(lab_offload_find_weight(&run, &shape, &search, &weight));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
    assert_int_equal(device.heaviest, 0);
}
