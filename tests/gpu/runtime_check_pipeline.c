/* Checks of what pipelines are made of: the contents of buffers, the kernels that compute on them, the default stream,
 * graphs, and the trace.
 */
#include "runtime_check.h"

#include "runtime/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = LAB_AVERAGE_WINDOW, COUNT = 1000 * WINDOW, BYTES = 4 * COUNT };

enum { WIDTH = 96 }; /* of a transposed matrix */

static const uint64_t seed = 0xFEEDFACE12345678u;
static const uint64_t firsts[] = {0, 65536 - 256, (1ULL << 32) - 512, (1ULL << 40) + 256};
static const char *const content_names[] = {"words",       "floats",   "floats + 1", "counts",
                                            "counts + 26", "averages", "transposed"};

/* --- contents ----------------------------------------------------------------------------------------------------- */

/* An element as pattern.h has it. */
static uint32_t wanted(enum lab_content content, uint64_t first, uint64_t i)
{
    uint64_t index = first + i;
    float value = lab_pattern_float(index, seed);
    uint32_t bits;
    switch (content) {
    case LAB_CONTENT_WORDS:
        return lab_pattern_word(index, seed);
    case LAB_CONTENT_COUNTS:
        return (uint32_t)lab_pattern_count(index, seed);
    case LAB_CONTENT_COUNTS_PLUS:
        return (uint32_t)lab_pattern_count(index, seed) + LAB_INCREMENT;
    case LAB_CONTENT_AVERAGES:
        return (uint32_t)lab_pattern_average(index, seed);
    case LAB_CONTENT_TRANSPOSED:
        return lab_pattern_word(first + i % WIDTH * WIDTH + i / WIDTH, seed);
    case LAB_CONTENT_FLOATS_PLUS:
        value += 1.0f;
        break;
    case LAB_CONTENT_FLOATS:
        break;
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool fill_with(struct bench *bench, struct lab_region region, enum lab_content content, uint64_t of_seed,
                      uint64_t first)
{
    return perform(bench, &(struct lab_operation){LAB_OPERATION_FILL, region, .content = content, .seed = of_seed,
                                                  .first = first, .width = WIDTH});
}

/* UINT64_MAX when it could not be done. */
static uint64_t wrong_in(struct bench *bench, struct lab_region region, enum lab_content content, uint64_t first,
                         double *max_error)
{
    uint64_t wrong = UINT64_MAX;
    perform(bench, &(struct lab_operation){LAB_OPERATION_CHECK, region, .content = content, .seed = seed,
                                           .first = first, .width = WIDTH, .wrong = &wrong, .max_error = max_error});
    return wrong;
}

/* Every element as this CPU has it; then planted errors, each of which counts once. */
static void check_content(struct bench *bench, enum lab_memory kind, unsigned char *memory, enum lab_content content,
                          size_t offset, uint64_t first)
{
    enum { ELEMENTS = 70001 };
    uint32_t *image = malloc(4 * (size_t)ELEMENTS);
    struct lab_region region = lab_region_of(memory + offset, 4 * (size_t)ELEMENTS);
    double max_error = -1;
    uint64_t differing = 0, wrong;
    if (image == NULL || !fill_with(bench, region, content, seed, first) ||
        !read_memory(bench, kind, image, region.address, region.width))
        goto out;
    for (size_t i = 0; i < ELEMENTS; i++)
        differing += image[i] != wanted(content, first, i);
    expect(bench, differing == 0, "fill with %s, %s, offset %zu, first %llu: %llu differ", content_names[content],
           kind_names[kind], offset, (unsigned long long)first, (unsigned long long)differing);
    wrong = wrong_in(bench, region, content, first, &max_error);
    expect(bench, wrong == 0 && max_error >= 0 && max_error < 1e-7, "check of %s: %llu wrong, error %g",
           content_names[content], (unsigned long long)wrong, max_error);

    static const size_t planted[] = {0, 1, 4097, ELEMENTS / 2, ELEMENTS - 1};
    for (size_t i = 0; i < 5; i++)
        image[planted[i]] ^= 1u << 20;
    if (write_memory(bench, kind, region.address, image, region.width)) {
        wrong = wrong_in(bench, region, content, first, &max_error);
        expect(bench, wrong == 5, "check of %s, %s, offset %zu: %llu wrong of 5 planted", content_names[content],
               kind_names[kind], offset, (unsigned long long)wrong);
        expect(bench, (max_error > 0.1) == (content == LAB_CONTENT_FLOATS_PLUS), "planted: error %g", max_error);
    }
    wrong = wrong_in(bench, region, content, first + 1, NULL);
    expect(bench, wrong > ELEMENTS * 0.99, "%s shifted by one: %llu wrong", content_names[content],
           (unsigned long long)wrong);
out:
    free(image);
}

void check_contents(struct bench *bench)
{
    static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED, LAB_MEMORY_MAPPED};
    static const size_t offsets[] = {0, 4, 3};
    const struct lab_runtime *r = bench->runtime;
    for (size_t k = 0; k < 3; k++) {
        void *memory = NULL;
        if (expect_call(bench, r->allocate(bench->device, kinds[k], BYTES, &memory), "allocate"))
            for (enum lab_content content = LAB_CONTENT_WORDS; content <= LAB_CONTENT_TRANSPOSED; content++)
                for (size_t i = 0; i < 3; i++)
                    check_content(bench, kinds[k], memory, content, offsets[i], firsts[(k + i) % 4]);
        r->release(bench->device, kinds[k], memory);
    }
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

static void check_waves(struct bench *bench, float *memory, uint32_t weight, uint32_t block, uint64_t first)
{
    struct lab_region part = lab_region_of(memory, BYTES - 4);
    double max_error = -1;
    uint64_t wrong;
    float last[2] = {0, 0};
    if (!fill_with(bench, lab_region_of(memory, BYTES), LAB_CONTENT_FLOATS, seed, first) ||
        !perform(bench, &(struct lab_operation){LAB_OPERATION_WAVES, part, .first = first, .weight = weight,
                                                .block = block}) ||
        !read_memory(bench, LAB_MEMORY_DEVICE, last, memory + COUNT - 2, sizeof last))
        return;
    wrong = wrong_in(bench, part, LAB_CONTENT_FLOATS_PLUS, first, &max_error);
    expect(bench, wrong == 0 && max_error > 0 && max_error < 5e-7,
           "waves of weight %u, blocks of %u: %llu wrong, error %g", weight, block, (unsigned long long)wrong,
           max_error);
    expect(bench, last[0] >= 1 && last[1] < 1, "waves stay in their buffer: %g, %g", (double)last[0], (double)last[1]);
    if (block == 0)
        printf("waves of weight %u: error %.3g\n", weight, max_error);
}

static double seconds_of(struct bench *bench, const struct lab_operation *problem)
{
    const struct lab_runtime *r = bench->runtime;
    struct lab_device *d = bench->device;
    struct lab_event *start = r->event_create(d), *stop = r->event_create(d);
    struct lab_plan *plan = r->prepare(d, problem);
    double best = INFINITY, seconds = 0;
    for (int i = 0; i < 6 && plan != NULL; i++)
        if (r->event_record(d, start, bench->stream) && r->enqueue(d, plan, bench->stream) &&
            r->event_record(d, stop, bench->stream) && r->stream_synchronize(d, bench->stream) &&
            r->event_elapsed(d, start, stop, &seconds) && seconds < best)
            best = seconds;
    r->plan_release(d, plan);
    r->event_release(d, stop);
    r->event_release(d, start);
    return best;
}

/* Eight times the weight takes eight times as long, but for what a launch takes and other programs take away. */
static void check_proportion(struct bench *bench, float *memory)
{
    struct lab_operation problem = {LAB_OPERATION_WAVES, lab_region_of(memory, BYTES), .weight = 512};
    bool host = strcmp(bench->runtime->name, "host") == 0;
    if (host)
        problem.weight = 2;
    double light = seconds_of(bench, &problem);
    problem.weight *= 8;
    double heavy = seconds_of(bench, &problem);
    printf("waves: %g ns per element and term, %g at %u times the weight\n", 1e9 * light / COUNT / (problem.weight / 8),
           1e9 * heavy / COUNT / problem.weight, 8);
    expect(bench, heavy / light > (host ? 3 : 6) && heavy / light < (host ? 20 : 9),
           "8 times the weight takes %g times as long", heavy / light);
}

static void check_integers(struct bench *bench, int32_t *first, int32_t *second, int32_t *result, uint64_t from)
{
    struct lab_region a = lab_region_of(first, BYTES), b = lab_region_of(second, BYTES),
                      c = lab_region_of(result, BYTES);
    uint64_t wrong;
    if (!fill_with(bench, a, LAB_CONTENT_COUNTS, seed, from) ||
        !fill_with(bench, b, LAB_CONTENT_COUNTS, seed + 1, from))
        return;
    perform(bench, &(struct lab_operation){LAB_OPERATION_AVERAGE, c, .source = a, .source2 = b, .first = from,
                                           .block = from != 0 ? 96 : 0});
    wrong = wrong_in(bench, c, LAB_CONTENT_AVERAGES, from, NULL);
    expect(bench, wrong == 0, "averages from %llu: %llu wrong", (unsigned long long)from, (unsigned long long)wrong);

    struct lab_region part = lab_region_of(first, BYTES - 4);
    perform(bench,
            &(struct lab_operation){LAB_OPERATION_INCREMENT, part, .first = from, .block = from != 0 ? 1024 : 0});
    wrong = wrong_in(bench, part, LAB_CONTENT_COUNTS_PLUS, from, NULL);
    expect(bench, wrong == 0, "increments: %llu wrong", (unsigned long long)wrong);
    wrong = wrong_in(bench, a, LAB_CONTENT_COUNTS_PLUS, from, NULL);
    expect(bench, wrong == 1, "increments stay in their buffer: %llu are not incremented", (unsigned long long)wrong);
}

void check_pipeline_kernels(struct bench *bench)
{
    static const uint32_t weights[] = {1, 3, 100}, blocks[] = {0, 32, 96, 1024};
    const struct lab_runtime *r = bench->runtime;
    void *memory = NULL, *mapped = NULL;
    if (!expect_call(bench, r->allocate(bench->device, LAB_MEMORY_DEVICE, 2 * (size_t)BYTES, &memory), "allocate") ||
        !expect_call(bench, r->allocate(bench->device, LAB_MEMORY_MAPPED, BYTES, &mapped), "allocate"))
        goto out;
    bool slow = strcmp(r->name, "host") == 0;
    for (size_t w = 0; w < (slow ? 2 : 3); w++)
        for (size_t b = 0; b < 4; b++)
            check_waves(bench, memory, weights[w], blocks[b], firsts[b]);
    check_proportion(bench, memory);
    for (size_t i = 0; i < 4; i++)
        check_integers(bench, memory, (int32_t *)memory + COUNT, mapped, firsts[i]);

    struct lab_region odd = lab_region_of(memory, 1022), small = lab_region_of(memory, 512);
    expect(bench, r->prepare(bench->device, &(struct lab_operation){LAB_OPERATION_WAVES, odd, .weight = 1}) == NULL,
           "half an element is refused");
    expect(bench, r->prepare(bench->device, &(struct lab_operation){LAB_OPERATION_WAVES, .destination = small}) == NULL,
           "a weight of 0 is refused");
    expect(bench,
           r->prepare(bench->device,
                      &(struct lab_operation){LAB_OPERATION_AVERAGE, small, .source = small, .source2 = small}) == NULL,
           "half a window is refused");
    expect(bench, !bench->device->lost, "what is refused loses nothing");
out:
    r->release(bench->device, LAB_MEMORY_MAPPED, mapped);
    r->release(bench->device, LAB_MEMORY_DEVICE, memory);
}
