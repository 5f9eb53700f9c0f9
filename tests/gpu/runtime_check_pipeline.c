/* Checks of the contents of buffers and of the kernels that pipelines run on them.
 */
#include "runtime_check.h"

#include "benchmark/offload.h"
#include "runtime/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = LAB_AVERAGE_WINDOW, COUNT = 1000 * WINDOW, BYTES = 4 * COUNT };

enum { WIDTH = 96 }; /* width of a transposed matrix, in elements */

static const uint64_t seed = 0xFEEDFACE12345678u;
static const uint64_t firsts[] = {0, 65536 - 256, (1ULL << 32) - 512, (1ULL << 40) + 256};
static const char *const content_names[] = {"words",         "floats",   "floats + 1", "integers",
                                            "integers + 26", "averages", "transposed"};

/* --- contents ----------------------------------------------------------------------------------------------------- */

/* The bits of an element according to pattern.h. */
static uint32_t expected_bits(enum lab_content content, uint64_t first, uint64_t i)
{
    uint64_t index = first + i;
    float value = lab_pattern_float(index, seed);
    uint32_t bits;
    switch (content) {
    case LAB_CONTENT_WORDS:
        return lab_pattern_word(index, seed);
    case LAB_CONTENT_INTS:
        return (uint32_t)lab_pattern_int(index, seed);
    case LAB_CONTENT_INTS_INCREMENTED:
        return (uint32_t)lab_pattern_int(index, seed) + LAB_INCREMENT;
    case LAB_CONTENT_AVERAGES:
        return (uint32_t)lab_pattern_average(index, seed);
    case LAB_CONTENT_TRANSPOSED:
        return lab_pattern_word(first + i % WIDTH * WIDTH + i / WIDTH, seed);
    case LAB_CONTENT_FLOATS_PLUS_ONE:
        value += 1.0f;
        break;
    case LAB_CONTENT_FLOATS:
        break;
    case LAB_CONTENT_ZEROS:
    case LAB_CONTENTS:
        return 0;
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool fill_with(struct fixture *fixture, struct lab_region region, enum lab_content content, uint64_t of_seed,
                      uint64_t first)
{
    return perform(fixture, &(struct lab_operation){LAB_OPERATION_FILL, region, .content = content, .seed = of_seed,
                                                    .first = first, .width = WIDTH});
}

/* The number of wrong elements; UINT64_MAX if the check failed. */
static uint64_t count_wrong(struct fixture *fixture, struct lab_region region, enum lab_content content, uint64_t first,
                            double *max_error)
{
    uint64_t wrong = UINT64_MAX;
    perform(fixture, &(struct lab_operation){LAB_OPERATION_CHECK, region, .content = content, .seed = seed,
                                             .first = first, .width = WIDTH, .wrong = &wrong, .max_error = max_error});
    return wrong;
}

/* Every element must equal the CPU's. Then each of several deliberately wrong elements must be counted once. */
static void check_content(struct fixture *fixture, enum lab_memory kind, unsigned char *memory,
                          enum lab_content content, size_t offset, uint64_t first)
{
    enum { ELEMENTS = 70001 };
    uint32_t *image = malloc(4 * (size_t)ELEMENTS);
    struct lab_region region = lab_region_of(memory + offset, 4 * (size_t)ELEMENTS);
    double max_error = -1;
    uint64_t differing = 0, wrong;
    if (image == NULL || !fill_with(fixture, region, content, seed, first) ||
        !read_memory(fixture, kind, image, region.address, region.width))
        goto out;
    for (size_t i = 0; i < ELEMENTS; i++)
        differing += image[i] != expected_bits(content, first, i);
    expect(fixture, differing == 0, "fill with %s, %s, offset %zu, first %llu: %llu differ", content_names[content],
           kind_names[kind], offset, (unsigned long long)first, (unsigned long long)differing);
    wrong = count_wrong(fixture, region, content, first, &max_error);
    expect(fixture, wrong == 0 && max_error >= 0 && max_error < 1e-7, "check of %s: %llu wrong, error %g",
           content_names[content], (unsigned long long)wrong, max_error);

    static const size_t planted[] = {0, 1, 4097, ELEMENTS / 2, ELEMENTS - 1};
    for (size_t i = 0; i < 5; i++)
        image[planted[i]] ^= 1u << 20;
    if (write_memory(fixture, kind, region.address, image, region.width)) {
        wrong = count_wrong(fixture, region, content, first, &max_error);
        expect(fixture, wrong == 5, "check of %s, %s, offset %zu: counts %llu wrong elements of 5",
               content_names[content], kind_names[kind], offset, (unsigned long long)wrong);
        expect(fixture, (max_error > 0.1) == (content == LAB_CONTENT_FLOATS_PLUS_ONE),
               "max_error must show the wrong elements of floats + 1 only, but is %g", max_error);
    }
    wrong = count_wrong(fixture, region, content, first + 1, NULL);
    expect(fixture, wrong > ELEMENTS * 0.99, "%s shifted by one: %llu wrong", content_names[content],
           (unsigned long long)wrong);
out:
    free(image);
}

void check_contents(struct fixture *fixture)
{
    static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED, LAB_MEMORY_MAPPED};
    static const size_t offsets[] = {0, 4, 3};
    const struct lab_runtime *r = fixture->runtime;
    for (size_t k = 0; k < 3; k++) {
        void *memory = NULL;
        if (expect_call(fixture, r->allocate(fixture->device, kinds[k], BYTES, &memory), "allocate"))
            for (enum lab_content content = LAB_CONTENT_WORDS; content <= LAB_CONTENT_TRANSPOSED; content++)
                for (size_t i = 0; i < 3; i++)
                    check_content(fixture, kinds[k], memory, content, offsets[i], firsts[(k + i) % 4]);
        r->free(fixture->device, kinds[k], memory);
    }
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

static void check_sine_cosine(struct fixture *fixture, float *memory, uint32_t weight, uint32_t block, uint64_t first)
{
    struct lab_region part = lab_region_of(memory, BYTES - 4);
    double max_error = -1;
    uint64_t wrong;
    float last[2] = {0, 0};
    if (!fill_with(fixture, lab_region_of(memory, BYTES), LAB_CONTENT_FLOATS, seed, first) ||
        !perform_plan(fixture, prepare_sine_cosine(fixture, memory, COUNT - 1, first, weight, block)) ||
        !read_memory(fixture, LAB_MEMORY_DEVICE, last, memory + COUNT - 2, sizeof last))
        return;
    wrong = count_wrong(fixture, part, LAB_CONTENT_FLOATS_PLUS_ONE, first, &max_error);
    expect(fixture, wrong == 0 && max_error > 0 && max_error < 5e-7,
           "sine/cosine of weight %u, blocks of %u: %llu wrong, error %g", weight, block, (unsigned long long)wrong,
           max_error);
    expect(fixture, last[0] >= 1 && last[1] < 1, "sine/cosine must not write beyond the buffer: %g, %g",
           (double)last[0], (double)last[1]);
    if (block == LAB_OFFLOAD_BLOCK)
        printf("sine/cosine of weight %u: error %.3g\n", weight, max_error);
}

static double seconds_of(struct fixture *fixture, float *memory, uint64_t count, uint32_t weight)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct lab_event *start = r->event_create(d), *stop = r->event_create(d);
    struct lab_plan *plan = prepare_sine_cosine(fixture, memory, count, 0, weight, LAB_OFFLOAD_BLOCK);
    double best = INFINITY, seconds = 0;
    for (int i = 0; i < 6 && plan != NULL; i++)
        if (r->event_record(d, start, fixture->stream) && r->enqueue(d, plan, fixture->stream) &&
            r->event_record(d, stop, fixture->stream) && r->stream_synchronize(d, fixture->stream) &&
            r->event_elapsed(d, start, stop, &seconds) && seconds < best)
            best = seconds;
    r->plan_free(d, plan);
    r->event_free(d, stop);
    r->event_free(d, start);
    return best;
}

/* Eight times the weight must take about eight times as long; the launch and other programs cause deviations. The
 * shortest time of several rounds counts, because other programs may take the cores for the whole of one. On the host
 * the operation is short, so that some rounds are not interrupted. */
static void check_proportion(struct fixture *fixture, float *memory)
{
    bool host = strcmp(fixture->runtime->name, "host") == 0;
    size_t count = host ? COUNT / 8 : COUNT;
    uint32_t weight = host ? 2 : 512;
    double light = INFINITY, heavy = INFINITY, ratio = 0, least = host ? 3 : 6, most = host ? 20 : 9;
    for (int round = 0; round < 4 || (round < 100 && !(ratio > least && ratio < most)); round++) {
        light = fmin(light, seconds_of(fixture, memory, count, weight));
        heavy = fmin(heavy, seconds_of(fixture, memory, count, 8 * weight));
        ratio = heavy / light;
    }
    printf("sine/cosine: %g ns per element and term, %g at 8 times the weight\n", 1e9 * light / (double)count / weight,
           1e9 * heavy / (double)count / (8 * weight));
    expect(fixture, ratio > least && ratio < most, "8 times the weight must take about 8 times as long, not %g times",
           ratio);
}

static void check_integers(struct fixture *fixture, int32_t *first, int32_t *second, int32_t *result, uint64_t from)
{
    struct lab_region a = lab_region_of(first, BYTES), b = lab_region_of(second, BYTES),
                      c = lab_region_of(result, BYTES);
    uint64_t wrong;
    if (!fill_with(fixture, a, LAB_CONTENT_INTS, seed, from) ||
        !fill_with(fixture, b, LAB_CONTENT_INTS, seed + 1, from))
        return;
    const struct lab_argument of_average[] = {lab_argument_pointer(result), lab_argument_pointer(first),
                                              lab_argument_pointer(second), lab_argument_u64(COUNT)};
    perform_plan(fixture, prepare_kernel(fixture, "average", COUNT, from != 0 ? 96 : LAB_OFFLOAD_BLOCK, of_average, 4));
    wrong = count_wrong(fixture, c, LAB_CONTENT_AVERAGES, from, NULL);
    expect(fixture, wrong == 0, "average from %llu: %llu wrong", (unsigned long long)from, (unsigned long long)wrong);

    struct lab_region part = lab_region_of(first, BYTES - 4);
    const struct lab_argument of_increment[] = {lab_argument_pointer(first), lab_argument_u64(COUNT - 1)};
    perform_plan(fixture, prepare_kernel(fixture, "increment", COUNT - 1, from != 0 ? 1024 : LAB_OFFLOAD_BLOCK,
                                         of_increment, 2));
    wrong = count_wrong(fixture, part, LAB_CONTENT_INTS_INCREMENTED, from, NULL);
    expect(fixture, wrong == 0, "increment: %llu wrong", (unsigned long long)wrong);
    wrong = count_wrong(fixture, a, LAB_CONTENT_INTS_INCREMENTED, from, NULL);
    expect(fixture, wrong == 1, "increment must not write beyond the buffer: %llu elements are not incremented",
           (unsigned long long)wrong);
}

void check_pipeline_kernels(struct fixture *fixture)
{
    static const uint32_t weights[] = {1, 3, 100}, blocks[] = {LAB_OFFLOAD_BLOCK, 32, 96, 1024};
    const struct lab_runtime *r = fixture->runtime;
    void *memory = NULL, *mapped = NULL;
    if (fixture->kernels == NULL)
        return;
    if (!expect_call(fixture, r->allocate(fixture->device, LAB_MEMORY_DEVICE, 2 * (size_t)BYTES, &memory),
                     "allocate") ||
        !expect_call(fixture, r->allocate(fixture->device, LAB_MEMORY_MAPPED, BYTES, &mapped), "allocate"))
        goto out;
    bool slow = strcmp(r->name, "host") == 0;
    for (size_t w = 0; w < (slow ? 2 : 3); w++)
        for (size_t b = 0; b < 4; b++)
            check_sine_cosine(fixture, memory, weights[w], blocks[b], firsts[b]);
    check_proportion(fixture, memory);
    for (size_t i = 0; i < 4; i++)
        check_integers(fixture, memory, (int32_t *)memory + COUNT, mapped, firsts[i]);
out:
    r->free(fixture->device, LAB_MEMORY_MAPPED, mapped);
    r->free(fixture->device, LAB_MEMORY_DEVICE, memory);
}
