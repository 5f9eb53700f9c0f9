/* Typed operations of the host runtime, on buffers and rectangles of odd shapes. */
#include "support/host_harness.h"
#include "support/test.h"

#include "runtime/pattern.h"

#include <stdlib.h>
#include <string.h>

AROUND_EACH_TEST(.setup = open_one, .teardown = close_one)

/* Shapes of regions: small and odd shapes, shapes with words that span rows, and shapes that are divided among
 * cores. */
static const struct {
    size_t width, height, pitch;
} shapes[] = {
    {1, 1, 1}, {3, 1, 3}, {4, 1, 4},      {5, 1, 9}, {4097, 1, 1},       {1, 11, 5},      {2, 7, 2},
    {3, 5, 8}, {6, 9, 7}, {101, 13, 128}, {4, 4, 4}, {1003, 2001, 1024}, {2097155, 1, 0}, {3, 100003, 4},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0], LARGEST = 1024 * 2001 + 4096 * 64 };

static const uint64_t seeds[] = {0, 1, 0xFFFFFFFFu, 0x123456789ABCDEF0u};

static struct lab_region region_of(size_t shape, unsigned char *memory)
{
    return (struct lab_region){memory, shapes[shape].width, shapes[shape].height, shapes[shape].pitch};
}

static size_t bytes_of(const struct lab_region *region)
{
    return region->width * region->height;
}

/* The address of byte `index` of the region. Bytes are numbered from row to row, without the gaps between rows. */
static unsigned char *byte_at(const struct lab_region *region, size_t index)
{
    return (unsigned char *)region->address + index / region->width * region->pitch + index % region->width;
}

static unsigned char expected_byte(size_t index, uint64_t seed)
{
    return (unsigned char)(lab_pattern_word(index / 4, seed) >> (8 * (index % 4)));
}

TEST_WITH(test_fill_writes_the_pattern_and_nothing_else, struct lab_device *device)
{
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, LARGEST);
    for (size_t shape = 0; shape < SHAPES; shape++) {
        struct lab_region region = region_of(shape, memory);
        uint64_t seed = seeds[shape % 4];
        memset(memory, 0xAA, LARGEST);
        fill(device, stream, region, seed);
        for (size_t i = 0; i < bytes_of(&region); i++) {
            assert_int_equal(*byte_at(&region, i), expected_byte(i, seed));
            *byte_at(&region, i) = 0xAA;
        }
        for (size_t i = 0; i < LARGEST; i++)
            if (memory[i] != 0xAA)
                fail_msg("shape %zu: byte %zu outside of the region was written", shape, i);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

/* Writes the pattern without the runtime. */
static void write_pattern(const struct lab_region *region, uint64_t seed)
{
    for (size_t i = 0; i < bytes_of(region); i++)
        *byte_at(region, i) = expected_byte(i, seed);
}

TEST_WITH(test_check_counts_planted_words, struct lab_device *device)
{
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_MAPPED, LARGEST);
    for (size_t shape = 0; shape < SHAPES; shape++) {
        struct lab_region region = region_of(shape, memory);
        size_t bytes = bytes_of(&region), words = (bytes + 3) / 4;
        write_pattern(&region, 7);
        assert_int_equal(count_wrong(device, stream, region, 7), 0);
        *byte_at(&region, 0) ^= 1;
        assert_int_equal(count_wrong(device, stream, region, 7), 1);
        *byte_at(&region, bytes - 1) ^= 0x80; /* in the last word, or again in the only word */
        assert_int_equal(count_wrong(device, stream, region, 7), words > 1 ? 2 : 1);
        *byte_at(&region, bytes / 2) ^= 2;
        uint64_t planted = words > 1 ? 2 : 1;
        if (bytes / 2 / 4 != 0 && bytes / 2 / 4 != (bytes - 1) / 4)
            planted++;
        assert_int_equal(count_wrong(device, stream, region, 7), planted);
        assert_in_range(count_wrong(device, stream, region, 8), words > 1 ? words / 2 : 0, words);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_MAPPED, memory);
}

/* The pattern must reveal words that are shifted or swapped (pattern.h). */
TEST_WITH(test_check_finds_shifts_and_swaps, struct lab_device *device)
{
    enum { BYTES = 1 << 20, CHUNK = 4096 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES), chunk[CHUNK];
    struct lab_region region = lab_region_of(memory, BYTES);
    fill(device, stream, region, 3);
    memcpy(chunk, memory, CHUNK);
    memcpy(memory, memory + CHUNK, CHUNK);
    memcpy(memory + CHUNK, chunk, CHUNK);
    assert_int_equal(count_wrong(device, stream, region, 3), 2 * CHUNK / 4);
    fill(device, stream, region, 3);
    memmove(memory, memory + 4, BYTES - 4);
    assert_int_equal(count_wrong(device, stream, region, 3), BYTES / 4 - 1);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

/* A plan can be enqueued several times; each time sets the count, and does not add to it. */
TEST_WITH(test_plans_can_be_enqueued_again, struct lab_device *device)
{
    enum { BYTES = 10007 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_PINNED, BYTES);
    struct lab_region region = lab_region_of(memory, BYTES);
    uint64_t wrong = 12345;
    memset(memory, 0, BYTES);
    struct lab_plan *plan =
        prepare(device, (struct lab_operation){LAB_OPERATION_CHECK, .destination = region, .seed = 9, .wrong = &wrong});
    for (int i = 0; i < 3; i++) {
        succeed(device, runtime->enqueue(device, plan, stream));
        succeed(device, runtime->stream_synchronize(device, stream));
        assert_in_range(wrong, BYTES / 4 - 4, (BYTES + 3) / 4);
    }
    write_pattern(&region, 9);
    succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    assert_int_equal(wrong, 0);
    runtime->plan_free(device, plan);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_PINNED, memory);
}

TEST_WITH(test_copy_by_cores, struct lab_device *device)
{
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, LARGEST);
    unsigned char *host = allocate(device, LAB_MEMORY_MAPPED, LARGEST);
    for (size_t shape = 0; shape < SHAPES; shape++) {
        struct lab_region source = region_of(shape, host), destination = region_of(shape, memory);
        destination.pitch = destination.width; /* contiguous on one side */
        write_pattern(&source, shape);
        memset(memory, 0xAA, LARGEST);
        run_operation(device, stream,
                      (struct lab_operation){LAB_OPERATION_COPY, .destination = destination, .source = source});
        assert_int_equal(count_wrong(device, stream, destination, shape), 0);
        assert_int_equal(memory[bytes_of(&destination)], 0xAA);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_MAPPED, host);
}

TEST_WITH(test_set_writes_the_rows_and_nothing_between, struct lab_device *device)
{
    enum { WIDTH = 1001, HEIGHT = 700, PITCH = 1024 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, PITCH * HEIGHT);
    memset(memory, 0xAA, PITCH * HEIGHT);
    struct lab_plan *plan = prepare(
        device,
        (struct lab_operation){.kind = LAB_OPERATION_SET, .destination = {memory, WIDTH, HEIGHT, PITCH}, .value = 255});
    succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    for (size_t i = 0; i < PITCH * HEIGHT; i++)
        assert_int_equal(memory[i], i % PITCH < WIDTH ? 255 : 0xAA);
    runtime->plan_free(device, plan);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

TEST_WITH(test_flush_changes_no_results, struct lab_device *device)
{
    enum { BYTES = 1 << 20 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    struct lab_event *start = runtime->event_create(device), *stop = runtime->event_create(device);
    fill(device, stream, lab_region_of(memory, BYTES), 4);
    struct lab_plan *plan = prepare(device, (struct lab_operation){.kind = LAB_OPERATION_FLUSH});
    double seconds = 0;
    succeed(device, runtime->event_record(device, start, stream));
    succeed(device, runtime->enqueue(device, plan, stream));
    succeed(device, runtime->event_record(device, stop, stream));
    succeed(device, runtime->stream_synchronize(device, stream));
    succeed(device, runtime->event_elapsed(device, start, stop, &seconds));
    /* A flush writes more than the size of the caches, which cannot be faster than 10 TB/s. */
    assert_true(seconds > (double)device->facts.l2_bytes / 1e13);
    assert_int_equal(count_wrong(device, stream, lab_region_of(memory, BYTES), 4), 0);
    runtime->plan_free(device, plan);
    runtime->event_free(device, start);
    runtime->event_free(device, stop);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
}

static void assert_refused(struct lab_device *device, struct lab_operation operation, const char *code)
{
    assert_null(runtime->prepare(device, &operation));
    assert_string_equal(lab_error_name(device->error.code), code);
    assert_false(device->lost);
}

TEST_WITH(test_invalid_operations_are_refused, struct lab_device *device)
{
    enum { BYTES = 4096 };
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    unsigned char *pageable = allocate(device, LAB_MEMORY_PAGEABLE, BYTES);
    struct lab_region whole = lab_region_of(memory, BYTES), half = lab_region_of(memory, BYTES / 2);
    struct lab_region beyond = lab_region_of(memory, BYTES + 1), narrow = {memory, 64, 4, 63};
    assert_refused(device, (struct lab_operation){.kind = (enum lab_operation_kind)99}, "unsupported");
    assert_refused(device, (struct lab_operation){LAB_OPERATION_FILL, .destination = beyond}, "invalid-argument");
    assert_refused(device, (struct lab_operation){LAB_OPERATION_FILL, .destination = narrow}, "invalid-argument");
    assert_refused(device, (struct lab_operation){LAB_OPERATION_FILL, .destination = lab_region_of(pageable, BYTES)},
                   "invalid-argument");
    assert_refused(device, (struct lab_operation){LAB_OPERATION_CHECK, .destination = whole}, "invalid-argument");
    assert_refused(device, (struct lab_operation){LAB_OPERATION_COPY, .destination = whole, .source = half},
                   "invalid-argument");
    assert_refused(
        device,
        (struct lab_operation){LAB_OPERATION_COPY, .destination = whole, .source = lab_region_of(pageable, BYTES)},
        "invalid-argument");
    runtime->plan_free(device, NULL);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PAGEABLE, pageable);
}

TEST_WITH(test_clock_is_plausible, struct lab_device *device)
{
    double hz = 0;
    if (runtime->clock == NULL)
        skip();
    succeed(device, runtime->clock->measure(device, &hz));
    assert_true(hz > 1e8 && hz < 1e10);
}
