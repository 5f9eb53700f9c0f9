/* kernels/benchmark/offload.c: the kernels on host devices, and the weight at which a kernel takes the wanted time.
 * Jobs of several chunks and devices: test_overlap.c, test_scaling.c.
 */
#include "benchmark/offload.h"
#include "support/host_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- the kernels -------------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 300 * LAB_AVERAGE_WINDOW, BYTES = 4 * ELEMENTS };

/* A job on all elements from `first` on, with the inputs on the device and other data elsewhere. */
static void open_job(struct lab_offload *o, struct lab_device *device, struct lab_stream *stream,
                     const struct lab_offload_kernel *kernel, uint64_t first, size_t partners)
{
    const struct lab_offload_shape shape = {
        .kernel = kernel, .memory = LAB_MEMORY_PINNED, .bytes = BYTES, .partners = partners, .first = first};
    succeed(device, lab_offload_open(o, device, stream, 42, &shape) && lab_offload_poison(o));
    for (size_t input = 0; input < kernel->inputs; input++)
        succeed(device, lab_offload_copy_in(o, stream, input, 0, 0,
                                            kernel == &lab_offload_pairs && input == 1 ? 4 * partners : BYTES));
}

/* Runs the kernel on a part of the elements, and compares all. */
static struct lab_mismatch run_part(const struct lab_offload *o, struct lab_stream *stream, size_t start, size_t bytes,
                                    uint32_t weight)
{
    struct lab_mismatch found;
    struct lab_plan *plan = lab_offload_prepare(o, start, bytes, weight, LAB_OFFLOAD_BLOCK);
    succeed(o->device, plan != NULL && runtime->enqueue(o->device, plan, stream) &&
                           lab_offload_copy_out(o, stream, 0, BYTES) && runtime->stream_synchronize(o->device, stream));
    runtime->plan_free(o->device, plan);
    succeed(o->device, lab_offload_verify(o, &found));
    return found;
}

static const struct lab_offload_kernel *const kernels[] = {&lab_offload_waves, &lab_offload_average,
                                                           &lab_offload_increment, &lab_offload_pairs};

DEVICE_TEST(each_kernel_computes_its_part_of_an_array_and_no_more)
{
    static const uint64_t firsts[] = {0, 256, 65536 - 256, (UINT64_C(1) << 32) - 512, 77 * 256};
    enum { PARTNERS = 101, PART = BYTES - 2 * 1024 };
    struct lab_stream *stream = runtime->stream_create(device);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
            struct lab_offload o;
            open_job(&o, device, stream, kernels[k], firsts[f], PARTNERS);
            assert_int_equal(run_part(&o, stream, 1024, PART, PARTNERS).wrong, (BYTES - PART) / 4);
            lab_offload_close(&o);
            open_job(&o, device, stream, kernels[k], firsts[f], PARTNERS);
            struct lab_mismatch found = run_part(&o, stream, 0, BYTES, PARTNERS);
            assert_int_equal(found.wrong, 0);
            assert_int_equal(found.max_error > 0, kernels[k] == &lab_offload_waves);
            assert_true(found.max_error < 5e-7);
            lab_offload_close(&o);
        }
    runtime->stream_free(device, stream);
}

/* The mean must be as exact with many terms as with few. */
DEVICE_TEST(large_weights_are_exact)
{
    enum { FEW = 64 };
    struct lab_stream *stream = runtime->stream_create(device);
    struct lab_offload o;
    open_job(&o, device, stream, &lab_offload_waves, 65500, 0);
    run_part(&o, stream, 0, 4 * FEW, 20000);
    const float *inputs = lab_buffers_region(&o.buffers, 0).address, *results = lab_offload_result(&o).address;
    for (size_t i = 0; i < FEW; i++)
        assert_true(fabs((double)results[i] - ((double)inputs[i] + 1)) < 3e-7);
    lab_offload_close(&o);
    runtime->stream_free(device, stream);
}

static double shortest_time(const struct lab_offload *o, struct lab_stream *stream, uint32_t weight)
{
    struct lab_device *device = o->device;
    struct lab_event *start = runtime->event_create(device), *stop = runtime->event_create(device);
    struct lab_plan *plan = lab_offload_prepare(o, 0, BYTES, weight, LAB_OFFLOAD_BLOCK);
    double seconds = 0, best = INFINITY;
    for (int i = 0; i < 5; i++) {
        succeed(device, plan != NULL && runtime->event_record(device, start, stream) &&
                            runtime->enqueue(device, plan, stream) && runtime->event_record(device, stop, stream) &&
                            runtime->stream_synchronize(device, stream) &&
                            runtime->event_elapsed(device, start, stop, &seconds));
        best = fmin(best, seconds);
    }
    runtime->plan_free(device, plan);
    runtime->event_free(device, start);
    runtime->event_free(device, stop);
    return best;
}

DEVICE_TEST(time_grows_with_the_weight)
{
    struct lab_stream *stream = runtime->stream_create(device);
    struct lab_offload o;
    open_job(&o, device, stream, &lab_offload_waves, 0, 0);
    /* about 64 times, but other programs may disturb the measurements */
    assert_true(shortest_time(&o, stream, 128) > 4 * shortest_time(&o, stream, 2));
    lab_offload_close(&o);
    runtime->stream_free(device, stream);
}

DEVICE_TEST(a_device_that_cannot_load_kernels_is_named_as_the_reason)
{
    const struct lab_offload_shape shape = {.kernel = &lab_offload_waves, .memory = LAB_MEMORY_PINNED, .bytes = BYTES};
    struct lab_stream *stream = runtime->stream_create(device);
    struct lab_runtime without = lab_host_runtime;
    struct lab_offload o;
    without.module = NULL;
    device->runtime = &without;
    assert_false(lab_offload_open(&o, device, stream, 42, &shape));
    assert_int_equal(device->error.code, LAB_ERROR_UNSUPPORTED);
    assert_string_equal(device->error.detail, LAB_MODULES_MISSING);
    lab_offload_close(&o);
    device->runtime = runtime;
    runtime->stream_free(device, stream);
}

/* --- the weight --------------------------------------------------------------------------------------------------- */

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
