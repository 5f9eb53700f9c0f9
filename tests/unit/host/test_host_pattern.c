/* The buffer contents that the host runtime writes and compares with. */
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
        /* Three deliberately wrong elements are counted; for another first index or seed nearly every element is
         * wrong. */
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

DEVICE_TEST(test_invalid_contents_are_refused)
{
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, 4096);
    uint64_t wrong;
    struct lab_region kib = lab_region_of(memory, 1024), odd = lab_region_of(memory, 1023);
    const struct {
        struct lab_operation operation;
        const char *code;
    } cases[] = {
        {{LAB_OPERATION_FILL, kib, .content = LAB_CONTENTS}, "unsupported"},
        {{LAB_OPERATION_FILL, odd, .content = LAB_CONTENT_FLOATS}, "invalid-argument"},
        {{LAB_OPERATION_CHECK, odd, .content = LAB_CONTENT_INTS, .wrong = &wrong}, "invalid-argument"},
        {{LAB_OPERATION_FILL, kib, .content = LAB_CONTENT_TRANSPOSED}, "invalid-argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lab_plan *plan = runtime->prepare(device, &cases[i].operation);
        if (plan != NULL)
            fail_msg("case %zu was accepted", i);
        assert_string_equal(lab_error_name(device->error.code), cases[i].code);
    }
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

TEST(test_a_planted_fault_is_found)
{
    struct lab_device *device = open_with(0, "wrong-result@2"); /* after the fill */
    struct lab_stream *stream = runtime->stream_create(device);
    uint32_t *memory = allocate(device, LAB_MEMORY_DEVICE, 2 * (size_t)BYTES);
    struct lab_region copy = lab_region_of(memory + COUNT, BYTES);
    fill_with(device, stream, memory, LAB_CONTENT_FLOATS, seed, 0);
    run_operation(device, stream,
                  (struct lab_operation){LAB_OPERATION_COPY, copy, .source = lab_region_of(memory, BYTES)});
    assert_int_equal(check(device, stream, copy, LAB_CONTENT_FLOATS, seed, 0).wrong, 1);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    close_and_stop(device);
}
