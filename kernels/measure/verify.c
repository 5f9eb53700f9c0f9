/* Fills and checks buffers: on the device where it can access the memory, otherwise on CPU threads. */
#include "measure/verify.h"

#include "core/parallel.h"
#include "runtime/pattern.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { BYTES_PER_THREAD_MIN = 1 << 20 };

/* --- on the CPU --------------------------------------------------------------------------------------------------- */

/* Filling or checking a region. */
struct pass {
    struct lab_region region;
    struct lab_expectation expected;
    bool check; /* compare with the expected content; false: write it */
    pthread_mutex_t mutex;
    struct lab_mismatch comparison; /* output of a check; the mutex protects it */
};

/* Compares an element of LAB_CONTENT_FLOATS_PLUS_ONE, which may differ by rounding. A NaN is wrong. */
static void compare_float(uint32_t found, uint64_t index, uint64_t seed, struct lab_mismatch *comparison)
{
    float value;
    memcpy(&value, &found, sizeof value);
    double error = fabs((double)value - ((double)lab_pattern_float(index, seed) + 1));
    if (!(error <= LAB_FLOAT_ERROR_MAX))
        comparison->wrong++;
    if (error > comparison->max_error)
        comparison->max_error = error;
}

/* Fills or checks `bytes` bytes of a single element, starting at byte `offset` of the content. */
static void process_fragment(const struct pass *pass, struct lab_mismatch *comparison, unsigned char *address,
                             size_t offset, size_t bytes)
{
    uint32_t word = lab_expected_bits(&pass->expected, offset / 4);
    const unsigned char *wanted = (const unsigned char *)&word + offset % 4;
    if (!pass->check)
        memcpy(address, wanted, bytes);
    else if (memcmp(address, wanted, bytes) != 0)
        comparison->wrong++;
}

/* Fills or checks `count` elements, starting at element `index`. Each memcpy has a constant length, so that it compiles
 * to a single instruction. */
static void process_elements(const struct pass *pass, struct lab_mismatch *comparison, unsigned char *address,
                             size_t index, size_t count)
{
    const struct lab_expectation *expected = &pass->expected;
    for (size_t i = 0; i < count; i++) {
        uint32_t wanted = lab_expected_bits(expected, index + i), found;
        if (!pass->check) {
            memcpy(address + 4 * i, &wanted, 4);
            continue;
        }
        memcpy(&found, address + 4 * i, 4);
        if (expected->content == LAB_CONTENT_FLOATS_PLUS_ONE)
            compare_float(found, expected->first + index + i, expected->seed, comparison);
        else
            comparison->wrong += found != wanted;
    }
}

/* Fills or checks `bytes` bytes at `address`, whose first byte is byte `offset` of the content. */
static void process_bytes(const struct pass *pass, struct lab_mismatch *comparison, unsigned char *address,
                          size_t offset, size_t bytes)
{
    size_t head = (4 - offset % 4) % 4;
    if (head > bytes)
        head = bytes;
    if (head > 0)
        process_fragment(pass, comparison, address, offset, head);
    size_t elements = (bytes - head) / 4;
    process_elements(pass, comparison, address + head, (offset + head) / 4, elements);
    size_t done = head + 4 * elements;
    if (done < bytes)
        process_fragment(pass, comparison, address + done, offset + done, bytes - done);
}

/* Processes the rows [begin, end) of a region of several rows, the bytes [begin, end) of a region of one row. */
static void process_range(void *context, size_t begin, size_t end)
{
    struct pass *pass = context;
    const struct lab_region *region = &pass->region;
    struct lab_mismatch comparison = {0};
    unsigned char *base = region->address;
    if (region->height == 1)
        process_bytes(pass, &comparison, base + begin, begin, end - begin);
    for (size_t row = begin; region->height > 1 && row < end; row++)
        process_bytes(pass, &comparison, base + row * region->pitch, row * region->width, region->width);
    pthread_mutex_lock(&pass->mutex);
    pass->comparison.wrong += comparison.wrong;
    pass->comparison.max_error = fmax(pass->comparison.max_error, comparison.max_error);
    pthread_mutex_unlock(&pass->mutex);
}

static struct lab_mismatch process_on_cpu(struct lab_region region, struct lab_expectation expected, bool check)
{
    struct pass pass = {region, expected, check, PTHREAD_MUTEX_INITIALIZER, {0}};
    if (region.height == 1)
        lab_parallel_for(region.width, BYTES_PER_THREAD_MIN, process_range, &pass);
    else
        lab_parallel_for(region.height, BYTES_PER_THREAD_MIN / (region.width + 1) + 1, process_range, &pass);
    return pass.comparison;
}

/* --- on the device ------------------------------------------------------------------------------------------------ */

static bool run_on_device(struct lab_device *device, struct lab_stream *stream, const struct lab_operation *operation)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_plan *plan = runtime->prepare(device, operation);
    if (plan == NULL)
        return false;
    bool good = runtime->enqueue(device, plan, stream) && runtime->stream_synchronize(device, stream);
    runtime->plan_free(device, plan);
    return good;
}

bool lab_verify_fill(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                     struct lab_region region, struct lab_expectation expected)
{
    if (kind == LAB_MEMORY_PAGEABLE) {
        process_on_cpu(region, expected, false);
        return true;
    }
    struct lab_operation operation = {.kind = LAB_OPERATION_FILL,
                                      .destination = region,
                                      .content = expected.content,
                                      .seed = expected.seed,
                                      .first = expected.first,
                                      .width = expected.width};
    return run_on_device(device, stream, &operation);
}

bool lab_verify_poison(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                       struct lab_region region, struct lab_expectation expected)
{
    return lab_verify_fill(device, stream, kind, region, (struct lab_expectation){.seed = ~expected.seed});
}

bool lab_verify_check(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                      struct lab_region region, struct lab_expectation expected, struct lab_mismatch *comparison)
{
    *comparison = (struct lab_mismatch){0};
    if (kind == LAB_MEMORY_PAGEABLE) {
        *comparison = process_on_cpu(region, expected, true);
        return true;
    }
    struct lab_operation operation = {.kind = LAB_OPERATION_CHECK,
                                      .destination = region,
                                      .content = expected.content,
                                      .seed = expected.seed,
                                      .first = expected.first,
                                      .width = expected.width,
                                      .wrong = &comparison->wrong,
                                      .max_error = &comparison->max_error};
    return run_on_device(device, stream, &operation);
}

/* --- several devices ---------------------------------------------------------------------------------------------- */

bool lab_destinations_poison(const struct lab_destinations *destinations, struct lab_device *first)
{
    for (size_t i = 0; i < destinations->count; i++) {
        const struct lab_destination *d = &destinations->items[i];
        if (!lab_device_forward_error(
                first, d->lane.device,
                lab_verify_poison(d->lane.device, d->lane.stream, d->memory, d->region, d->expected)))
            return false;
    }
    return true;
}

bool lab_destinations_check(const struct lab_destinations *destinations, struct lab_device *first, uint64_t *wrong)
{
    *wrong = 0;
    for (size_t i = 0; i < destinations->count; i++) {
        const struct lab_destination *d = &destinations->items[i];
        struct lab_mismatch comparison;
        if (!lab_device_forward_error(
                first, d->lane.device,
                lab_verify_check(d->lane.device, d->lane.stream, d->memory, d->region, d->expected, &comparison)))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}
