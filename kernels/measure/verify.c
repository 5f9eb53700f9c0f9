/* Fills and checks buffers: on the device where it can access the memory, otherwise on CPU threads. */
#include "measure/verify.h"

#include "runtime/pattern.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 8, BYTES_PER_THREAD_MIN = 1 << 20 };

/* --- on the CPU --------------------------------------------------------------------------------------------------- */

/* The part of a region that one thread processes. */
struct part {
    struct lab_region region; /* the complete region */
    struct lab_expectation expected;
    size_t begin, end; /* rows [begin, end) of a region of several rows, bytes [begin, end) of a region of one row;
                        * `begin` is a multiple of 4 */
    bool check;        /* compare with the expected content; false: write it */
    struct lab_comparison comparison; /* output, if `check` */
};

/* Compares a result of LAB_OPERATION_SINE_COSINE, which may differ by rounding. A NaN is wrong. */
static void compare_float(uint32_t found, uint64_t index, uint64_t seed, struct lab_comparison *comparison)
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
static void process_fragment(struct part *part, unsigned char *address, size_t offset, size_t bytes)
{
    uint32_t word = lab_expected_bits(&part->expected, offset / 4);
    const unsigned char *wanted = (const unsigned char *)&word + offset % 4;
    if (!part->check)
        memcpy(address, wanted, bytes);
    else if (memcmp(address, wanted, bytes) != 0)
        part->comparison.wrong++;
}

/* Fills or checks `count` elements, starting at element `index`. Each memcpy has a constant length, so that it compiles to
 * a single instruction. */
static void process_elements(struct part *part, unsigned char *address, size_t index, size_t count)
{
    const struct lab_expectation *expected = &part->expected;
    for (size_t i = 0; i < count; i++) {
        uint32_t wanted = lab_expected_bits(expected, index + i), found;
        if (!part->check) {
            memcpy(address + 4 * i, &wanted, 4);
            continue;
        }
        memcpy(&found, address + 4 * i, 4);
        if (expected->content == LAB_CONTENT_FLOATS_PLUS_ONE)
            compare_float(found, expected->first + index + i, expected->seed, &part->comparison);
        else
            part->comparison.wrong += found != wanted;
    }
}

/* Fills or checks `bytes` bytes at `address`, whose first byte is byte `offset` of the content. */
static void process_bytes(struct part *part, unsigned char *address, size_t offset, size_t bytes)
{
    size_t head = (4 - offset % 4) % 4;
    if (head > bytes)
        head = bytes;
    if (head > 0)
        process_fragment(part, address, offset, head);
    size_t elements = (bytes - head) / 4;
    process_elements(part, address + head, (offset + head) / 4, elements);
    size_t done = head + 4 * elements;
    if (done < bytes)
        process_fragment(part, address + done, offset + done, bytes - done);
}

static void *process_part(void *argument)
{
    struct part *part = argument;
    const struct lab_region *region = &part->region;
    unsigned char *base = region->address;
    if (region->height == 1)
        process_bytes(part, base + part->begin, part->begin, part->end - part->begin);
    for (size_t row = part->begin; region->height > 1 && row < part->end; row++)
        process_bytes(part, base + row * region->pitch, row * region->width, region->width);
    return NULL;
}

static size_t thread_count(size_t bytes)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = bytes / BYTES_PER_THREAD_MIN;
    if (processors > 0 && count > (size_t)processors)
        count = (size_t)processors;
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
}

/* Divides the region among threads and adds up their results. The part of a thread that cannot be started is
 * processed by the calling thread. */
static struct lab_comparison process_on_cpu(struct lab_region region, struct lab_expectation expected, bool check)
{
    struct part parts[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    struct lab_comparison all = {0};
    size_t count = thread_count(region.width * region.height);
    size_t units = region.height > 1 ? region.height : region.width;
    size_t step = units / count / 4 * 4;

    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){region, expected, i * step, i + 1 == count ? units : (i + 1) * step, check, {0}};
        started[i] = i > 0 && pthread_create(&threads[i], NULL, process_part, &parts[i]) == 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            process_part(&parts[i]);
        all.wrong += parts[i].comparison.wrong;
        all.max_error = fmax(all.max_error, parts[i].comparison.max_error);
    }
    return all;
}

/* --- on the device ------------------------------------------------------------------------------------------------ */

static bool run_on_device(struct lab_device *device, struct lab_stream *stream, const struct lab_operation *operation)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_plan *plan = runtime->prepare(device, operation);
    if (plan == NULL)
        return false;
    bool good = runtime->enqueue(device, plan, stream) && runtime->stream_synchronize(device, stream);
    runtime->plan_release(device, plan);
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
                      struct lab_region region, struct lab_expectation expected, struct lab_comparison *comparison)
{
    *comparison = (struct lab_comparison){0};
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
