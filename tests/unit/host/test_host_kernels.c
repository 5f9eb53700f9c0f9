/* The compute kernels of the host runtime, and the buffer contents with which their results are compared. */
#include "support/host_harness.h"
#include "support/test.h"

#include "runtime/pattern.h"

#include <math.h>
#include <string.h>

enum { WINDOW = LAB_AVERAGE_WINDOW, COUNT = 300 * WINDOW, BYTES = 4 * COUNT, WIDTH = 64 };

static const uint64_t seed = 0x5EED0FC0FFEE1234u;
static const uint64_t firsts[] = {0, 256, 65536 - 256, (1ULL << 32) - 512, 77 * 256};

static struct lab_mismatch check(struct lab_device *device, struct lab_stream *stream, struct lab_region region,
                                 enum lab_content content, uint64_t content_seed, uint64_t first)
{
    struct lab_mismatch found = {.wrong = UINT64_MAX, .max_error = -1};
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_CHECK, .destination = region, .content = content,
                                         .seed = content_seed, .first = first, .width = WIDTH, .wrong = &found.wrong,
                                         .max_error = &found.max_error});
    return found;
}

static void fill_with(struct lab_device *device, struct lab_stream *stream, void *memory, enum lab_content content,
                      uint64_t content_seed, uint64_t first)
{
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_FILL, .destination = lab_region_of(memory, BYTES),
                                         .content = content, .seed = content_seed, .first = first, .width = WIDTH});
}

/* The bits of an element according to pattern.h. */
static uint32_t expected_bits(enum lab_content content, uint64_t first, uint64_t i)
{
    uint64_t index = first + i;
    float value = lab_pattern_float(index, seed);
    uint32_t bits;
    if (content == LAB_CONTENT_WORDS)
        return lab_pattern_word(index, seed);
    if (content == LAB_CONTENT_INTS || content == LAB_CONTENT_INTS_INCREMENTED)
        return (uint32_t)lab_pattern_int(index, seed) + (content == LAB_CONTENT_INTS_INCREMENTED ? 26 : 0);
    if (content == LAB_CONTENT_AVERAGES)
        return (uint32_t)lab_pattern_average(index, seed);
    if (content == LAB_CONTENT_TRANSPOSED)
        return lab_pattern_word(first + i % WIDTH * WIDTH + i / WIDTH, seed);
    if (content == LAB_CONTENT_FLOATS_PLUS_ONE)
        value += 1;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

DEVICE_TEST(test_contents_are_filled_and_checked)
{
    struct lab_stream *stream = runtime->stream_create(device);
    uint32_t *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    for (enum lab_content content = 0; content <= LAB_CONTENT_TRANSPOSED; content++) {
        uint64_t first = firsts[content % 5];
        fill_with(device, stream, memory, content, seed, first);
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(memory[i], expected_bits(content, first, i));
        struct lab_region whole = lab_region_of(memory, BYTES);
        struct lab_mismatch found = check(device, stream, whole, content, seed, first);
        assert_int_equal(found.wrong, 0);
        assert_true(found.max_error >= 0 && found.max_error < 1e-7);
        /* A chunk from the middle has a larger `first`; in a transposed matrix it increases by the number of skipped
         * rows. */
        uint64_t later = first + (content == LAB_CONTENT_TRANSPOSED ? WINDOW / WIDTH : WINDOW);
        assert_int_equal(check(device, stream, lab_region_of(memory + WINDOW, BYTES / 2), content, seed, later).wrong,
                         0);
        /* Three deliberately wrong elements are counted; for another first index or seed nearly every element is wrong. */
        memory[0] ^= 1U << 22;
        memory[COUNT / 2 + 1] ^= 1U << 22;
        memory[COUNT - 1] ^= 1U << 22;
        assert_int_equal(check(device, stream, whole, content, seed, first).wrong, 3);
        assert_true(check(device, stream, whole, content, seed, first + 1).wrong > COUNT * 0.99);
        assert_true(check(device, stream, whole, content, seed + 2, first).wrong > COUNT * 0.99);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

/* An element may begin in one row and end in the next. */
DEVICE_TEST(test_contents_in_rows)
{
    enum { ROWS = 64, ROW = 102 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, (size_t)ROWS * 128);
    struct lab_region rows = {memory, ROW, ROWS, 128};
    for (enum lab_content content = 0; content <= LAB_CONTENT_TRANSPOSED; content++) {
        run_operation(device, stream,
                      (struct lab_operation){LAB_OPERATION_FILL, .destination = rows, .content = content, .seed = seed,
                                             .first = 512, .width = WIDTH});
        assert_int_equal(check(device, stream, rows, content, seed, 512).wrong, 0);
        uint32_t split = expected_bits(content, 512, ROW / 4); /* two bytes in the first row, two in the second */
        assert_memory_equal(memory + ROW - 2, &split, 2);
        assert_memory_equal(memory + 128, (unsigned char *)&split + 2, 2);
        memory[129] ^= 0x40;
        assert_int_equal(check(device, stream, rows, content, seed, 512).wrong, 1);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

DEVICE_TEST(test_errors_of_floats_are_measured)
{
    struct lab_stream *stream = runtime->stream_create(device);
    float *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    struct lab_region whole = lab_region_of(memory, BYTES);
    fill_with(device, stream, memory, LAB_CONTENT_FLOATS_PLUS_ONE, seed, 0);

    memory[COUNT - 2] += 5e-7F; /* within the tolerance */
    struct lab_mismatch found = check(device, stream, whole, LAB_CONTENT_FLOATS_PLUS_ONE, seed, 0);
    assert_int_equal(found.wrong, 0);
    assert_true(found.max_error > 3e-7 && found.max_error < 7e-7);

    memory[1] -= 0.25F;
    memory[COUNT / 3] += 3e-6F;
    found = check(device, stream, whole, LAB_CONTENT_FLOATS_PLUS_ONE, seed, 0);
    assert_int_equal(found.wrong, 2);
    assert_true(fabs(found.max_error - 0.25) < 1e-6);

    memory[7] = NAN;
    memory[8] = INFINITY;
    found = check(device, stream, whole, LAB_CONTENT_FLOATS_PLUS_ONE, seed, 0);
    assert_int_equal(found.wrong, 4);
    assert_true(isinf(found.max_error));

    /* Inputs that have not been processed are too small by 1. */
    fill_with(device, stream, memory, LAB_CONTENT_FLOATS, seed, 0);
    found = check(device, stream, whole, LAB_CONTENT_FLOATS_PLUS_ONE, seed, 0);
    assert_int_equal(found.wrong, COUNT);
    assert_true(fabs(found.max_error - 1) < 1e-6);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

DEVICE_TEST(test_sine_cosine)
{
    static const uint32_t weights[] = {1, 2, 7, 64};
    struct lab_stream *stream = runtime->stream_create(device);
    float *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        fill_with(device, stream, memory, LAB_CONTENT_FLOATS, seed, firsts[i]);
        run_operation(device, stream,
                      (struct lab_operation){LAB_OPERATION_SINE_COSINE, .destination = lab_region_of(memory, BYTES - 4),
                                             .first = firsts[i], .weight = weights[i], .block = i % 2 ? 128 : 0});
        struct lab_mismatch found =
            check(device, stream, lab_region_of(memory, BYTES - 4), LAB_CONTENT_FLOATS_PLUS_ONE, seed, firsts[i]);
        assert_int_equal(found.wrong, 0);
        assert_true(found.max_error > 0 && found.max_error < 5e-7);
        assert_true(memory[COUNT - 1] < 1); /* beyond the buffer */
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

/* The mean must be as exact with many terms as with few. */
DEVICE_TEST(test_large_weights_are_exact)
{
    enum { FEW = 64 };
    struct lab_stream *stream = runtime->stream_create(device);
    float *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    fill_with(device, stream, memory, LAB_CONTENT_FLOATS, seed, 65500);
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_SINE_COSINE, .destination = lab_region_of(memory, 4 * FEW),
                                         .first = 65500, .weight = 20000});
    struct lab_mismatch found =
        check(device, stream, lab_region_of(memory, 4 * FEW), LAB_CONTENT_FLOATS_PLUS_ONE, seed, 65500);
    assert_int_equal(found.wrong, 0);
    assert_true(found.max_error < 3e-7);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

static double seconds_of(struct lab_device *device, struct lab_stream *stream, struct lab_operation operation)
{
    struct lab_event *start = runtime->event_create(device), *stop = runtime->event_create(device);
    struct lab_plan *plan = prepare(device, operation);
    double seconds = 0, best = INFINITY;
    for (int i = 0; i < 5; i++) {
        succeed(device, runtime->event_record(device, start, stream));
        succeed(device, runtime->enqueue(device, plan, stream));
        succeed(device, runtime->event_record(device, stop, stream));
        succeed(device, runtime->stream_synchronize(device, stream));
        succeed(device, runtime->event_elapsed(device, start, stop, &seconds));
        best = seconds < best ? seconds : best;
    }
    runtime->plan_free(device, plan);
    runtime->event_free(device, start);
    runtime->event_free(device, stop);
    return best;
}

DEVICE_TEST(test_time_grows_with_the_weight)
{
    struct lab_stream *stream = runtime->stream_create(device);
    float *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    fill_with(device, stream, memory, LAB_CONTENT_FLOATS, seed, 0);
    struct lab_operation operation = {LAB_OPERATION_SINE_COSINE, .destination = lab_region_of(memory, BYTES),
                                      .weight = 2};
    double light_s = seconds_of(device, stream, operation);
    operation.weight = 128;
    double heavy_s = seconds_of(device, stream, operation);
    assert_true(heavy_s > 4 * light_s); /* about 64 times, but other programs may disturb the measurements */
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

DEVICE_TEST(test_average)
{
    struct lab_stream *stream = runtime->stream_create(device);
    int32_t *memory = allocate(device, LAB_MEMORY_DEVICE, 3 * (size_t)BYTES);
    int32_t *first = memory, *second = memory + COUNT, *result = memory + 2 * (size_t)COUNT;
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        fill_with(device, stream, first, LAB_CONTENT_INTS, seed, firsts[i]);
        fill_with(device, stream, second, LAB_CONTENT_INTS, seed + 1, firsts[i]);
        run_operation(device, stream,
                      (struct lab_operation){LAB_OPERATION_AVERAGE, .destination = lab_region_of(result, BYTES),
                                             .source = lab_region_of(first, BYTES),
                                             .source2 = lab_region_of(second, BYTES), .first = firsts[i]});
        assert_int_equal(
            check(device, stream, lab_region_of(result, BYTES), LAB_CONTENT_AVERAGES, seed, firsts[i]).wrong, 0);
        assert_int_equal(result[255],
                         ((int64_t)first[255] + first[0] + first[1] + second[255] + second[0] + second[1]) / 6);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

DEVICE_TEST(test_increment)
{
    struct lab_stream *stream = runtime->stream_create(device);
    int32_t *memory = allocate(device, LAB_MEMORY_MAPPED, BYTES);
    fill_with(device, stream, memory, LAB_CONTENT_INTS, seed, 12345);
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_INCREMENT, .destination = lab_region_of(memory, BYTES - 4),
                                         .first = 12345});
    assert_int_equal(
        check(device, stream, lab_region_of(memory, BYTES - 4), LAB_CONTENT_INTS_INCREMENTED, seed, 12345).wrong, 0);
    assert_int_equal(
        check(device, stream, lab_region_of(memory, BYTES), LAB_CONTENT_INTS_INCREMENTED, seed, 12345).wrong, 1);
    assert_int_equal(memory[COUNT - 1], lab_pattern_int(12345 + COUNT - 1, seed));
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_MAPPED, memory);
}

DEVICE_TEST(test_invalid_operations_are_refused)
{
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, 4096);
    unsigned char *pageable = allocate(device, LAB_MEMORY_PAGEABLE, 4096);
    uint64_t wrong;
    struct lab_region kib = lab_region_of(memory, 1024), odd = lab_region_of(memory, 1023),
                      askew = lab_region_of(memory + 1, 1024), rows = {memory, 64, 16, 128},
                      away = lab_region_of(pageable, 1024), half = lab_region_of(memory, 512);
    const struct {
        struct lab_operation operation;
        const char *code;
    } cases[] = {
        {{LAB_OPERATION_FILL, kib, .content = LAB_CONTENTS}, "unsupported"},
        {{LAB_OPERATION_FILL, odd, .content = LAB_CONTENT_FLOATS}, "invalid-argument"},
        {{LAB_OPERATION_CHECK, odd, .content = LAB_CONTENT_INTS, .wrong = &wrong}, "invalid-argument"},
        {{LAB_OPERATION_FILL, kib, .content = LAB_CONTENT_TRANSPOSED}, "invalid-argument"},
        {{LAB_OPERATION_ALL_PAIRS, kib, .source = kib, .source2 = kib}, "invalid-argument"},
        {{LAB_OPERATION_ALL_PAIRS, kib, .source = half, .source2 = kib, .weight = 256}, "invalid-argument"},
        {{LAB_OPERATION_ALL_PAIRS, kib, .source = kib, .source2 = kib, .weight = 255}, "invalid-argument"},
        {{LAB_OPERATION_ALL_PAIRS, kib, .source = away, .source2 = kib, .weight = 256}, "invalid-argument"},
        {{LAB_OPERATION_TRANSPOSE, kib, .source = kib}, "invalid-argument"},
        {{LAB_OPERATION_TRANSPOSE, rows, .source = kib}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, .destination = kib}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, odd, .weight = 1}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, askew, .weight = 1}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, rows, .weight = 1}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, away, .weight = 1}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, kib, .weight = 1, .block = 31}, "invalid-argument"},
        {{LAB_OPERATION_SINE_COSINE, kib, .weight = 1, .block = 1025}, "invalid-argument"},
        {{LAB_OPERATION_INCREMENT, .destination = odd}, "invalid-argument"},
        {{LAB_OPERATION_AVERAGE, kib, .source = kib, .source2 = half}, "invalid-argument"},
        {{LAB_OPERATION_AVERAGE, kib, .source = kib, .source2 = away}, "invalid-argument"},
        {{LAB_OPERATION_AVERAGE, half, .source = half, .source2 = half}, "invalid-argument"},
        {{LAB_OPERATION_AVERAGE, kib, .source = kib, .source2 = kib, .first = 128}, "invalid-argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lab_plan *plan = runtime->prepare(device, &cases[i].operation);
        if (plan != NULL)
            fail_msg("case %zu was accepted", i);
        assert_string_equal(lab_error_name(device->error.code), cases[i].code);
    }
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PAGEABLE, pageable);
}

/* The sum over all partners of the squared difference, modulo 2^32. */
DEVICE_TEST(test_pairs)
{
    enum { PARTNERS = 1001, ELEMENTS = 3000 };
    struct lab_stream *stream = runtime->stream_create(device);
    uint32_t *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    uint32_t *result = memory + ELEMENTS + PARTNERS;
    fill_with(device, stream, memory, LAB_CONTENT_WORDS, seed, 0);
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_ALL_PAIRS, lab_region_of(result, 4 * ELEMENTS),
                                         .source = lab_region_of(memory, 4 * ELEMENTS),
                                         .source2 = lab_region_of(memory + ELEMENTS, 4 * PARTNERS),
                                         .weight = PARTNERS});
    for (size_t i = 0; i < ELEMENTS; i++) {
        uint64_t sum = 0;
        for (size_t p = 0; p < PARTNERS; p++) {
            uint32_t difference = memory[i] - memory[ELEMENTS + p];
            sum += (uint64_t)difference * difference;
        }
        assert_int_equal(result[i], (uint32_t)sum);
    }
    assert_int_equal(result[ELEMENTS], lab_pattern_word(2 * ELEMENTS + PARTNERS, seed)); /* not overwritten */
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

DEVICE_TEST(test_transpose)
{
    static const size_t sides[] = {1, 2, 31, 64, 100};
    struct lab_stream *stream = runtime->stream_create(device);
    uint32_t *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
        size_t side = sides[s];
        uint32_t *result = memory + COUNT / 2;
        struct lab_region from = lab_region_of(memory, 4 * side * side);
        run_operation(device, stream,
                      (struct lab_operation){LAB_OPERATION_FILL, .destination = from, .seed = seed, .first = 7});
        run_operation(device, stream,
                      (struct lab_operation){LAB_OPERATION_TRANSPOSE,
                                             {result, 4 * side, side, 4 * side + 12},
                                             .source = {memory, 4 * side, side, 4 * side}});
        for (size_t row = 0; row < side; row++)
            for (size_t column = 0; column < side; column++)
                assert_int_equal(result[row * (side + 3) + column], memory[column * side + row]);
        struct lab_operation operation = {
            LAB_OPERATION_CHECK, {result, 4 * side, side, 4 * side + 12}, .seed = seed, .first = 7};
        uint64_t wrong = UINT64_MAX;
        operation.content = LAB_CONTENT_TRANSPOSED;
        operation.width = side;
        operation.wrong = &wrong;
        run_operation(device, stream, operation);
        assert_int_equal(wrong, 0);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

TEST(test_a_planted_fault_is_found)
{
    struct lab_device *device = open_with(0, "wrong-result@2"); /* after the fill */
    struct lab_stream *stream = runtime->stream_create(device);
    float *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    fill_with(device, stream, memory, LAB_CONTENT_FLOATS, seed, 0);
    run_operation(
        device, stream,
        (struct lab_operation){LAB_OPERATION_SINE_COSINE, .destination = lab_region_of(memory, BYTES), .weight = 1});
    assert_int_equal(check(device, stream, lab_region_of(memory, BYTES), LAB_CONTENT_FLOATS_PLUS_ONE, seed, 0).wrong,
                     1);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    close_and_stop(device);
}
