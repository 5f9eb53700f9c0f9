/* kernels/measure/verify.c and runtime/pattern.h: a wrong byte is found at any position, by CPU threads and by a
 * device. */
#include "measure/verify.h"
#include "support/test.h"

#include "host/host.h"
#include "runtime/pattern.h"

#include <stdint.h>
#include <string.h>

static struct lab_device *device;
static struct lab_stream *stream;

static const size_t sizes[] = {1, 3, 4, 5, 127, 4096, 1048577, 9999999};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* A buffer of the runtime, because a device accepts only memory that it has allocated. */
static unsigned char *allocate(enum lab_memory kind, size_t bytes)
{
    void *address = NULL;
    assert_true(lab_host_runtime.allocate(device, kind, bytes, &address));
    return address;
}

static uint64_t wrong_in(enum lab_memory kind, struct lab_region region, uint64_t seed)
{
    struct lab_mismatch comparison = {.wrong = 12345};
    assert_true(lab_verify_check(device, stream, kind, region, (struct lab_expectation){.seed = seed}, &comparison));
    return comparison.wrong;
}

static void check_fill_and_changed_bytes(enum lab_memory kind)
{
    for (size_t i = 0; i < SIZES; i++) {
        unsigned char *bytes = allocate(kind, sizes[i]);
        struct lab_region region = lab_region_of(bytes, sizes[i]);
        assert_true(lab_verify_fill(device, stream, kind, region, (struct lab_expectation){.seed = 7}));
        assert_int_equal(wrong_in(kind, region, 7), 0);
        assert_int_not_equal(wrong_in(kind, region, 8), 0);
        const size_t places[] = {0, sizes[i] / 2, sizes[i] - 1};
        for (size_t p = 0; p < 3; p++) {
            bytes[places[p]] ^= 0x10;
            assert_int_equal(wrong_in(kind, region, 7), 1);
            bytes[places[p]] ^= 0x10;
        }
        lab_host_runtime.free(device, kind, bytes);
    }
}

TEST(cpu_threads_find_every_changed_byte)
{
    check_fill_and_changed_bytes(LAB_MEMORY_PAGEABLE);
}

TEST(the_device_finds_every_changed_byte)
{
    check_fill_and_changed_bytes(LAB_MEMORY_PINNED);
}

TEST(cpu_and_device_write_the_same)
{
    for (size_t i = 0; i < SIZES; i++) {
        unsigned char *a = allocate(LAB_MEMORY_PAGEABLE, sizes[i]), *b = allocate(LAB_MEMORY_PINNED, sizes[i]);
        assert_true(lab_verify_fill(device, stream, LAB_MEMORY_PAGEABLE, lab_region_of(a, sizes[i]),
                                    (struct lab_expectation){.seed = 99}));
        assert_true(lab_verify_fill(device, stream, LAB_MEMORY_PINNED, lab_region_of(b, sizes[i]),
                                    (struct lab_expectation){.seed = 99}));
        assert_memory_equal(a, b, sizes[i]);
        lab_host_runtime.free(device, LAB_MEMORY_PAGEABLE, a);
        lab_host_runtime.free(device, LAB_MEMORY_PINNED, b);
    }
}

TEST(rows_are_filled_and_the_bytes_between_them_kept)
{
    enum { WIDTH = 30, PITCH = 47, HEIGHT = 1000 };
    static const enum lab_memory kinds[] = {LAB_MEMORY_PAGEABLE, LAB_MEMORY_PINNED};
    for (size_t k = 0; k < 2; k++) {
        unsigned char *bytes = allocate(kinds[k], PITCH * HEIGHT);
        memset(bytes, 0xEE, PITCH * HEIGHT);
        struct lab_region region = {bytes, WIDTH, HEIGHT, PITCH};
        assert_true(lab_verify_fill(device, stream, kinds[k], region, (struct lab_expectation){.seed = 5}));
        assert_int_equal(wrong_in(kinds[k], region, 5), 0);
        for (size_t i = 0; i < PITCH * HEIGHT; i++)
            if (i % PITCH >= WIDTH && bytes[i] != 0xEE)
                fail_msg("byte %zu between the rows was written", i);
        /* the pattern continues from row to row: byte 0 of row 1 is byte WIDTH of the pattern */
        uint32_t word = lab_pattern_word(WIDTH / 4, 5);
        assert_int_equal(bytes[PITCH], ((const unsigned char *)&word)[WIDTH % 4]);
        bytes[PITCH * 500 + 3] ^= 1;
        assert_int_equal(wrong_in(kinds[k], region, 5), 1);
        lab_host_runtime.free(device, kinds[k], bytes);
    }
}

TEST(poison_makes_every_element_wrong)
{
    enum { BYTES = 4 * 1000 };
    unsigned char *bytes = allocate(LAB_MEMORY_PAGEABLE, BYTES);
    struct lab_region region = lab_region_of(bytes, BYTES);
    assert_true(lab_verify_fill(device, stream, LAB_MEMORY_PAGEABLE, region, (struct lab_expectation){.seed = 1}));
    assert_true(lab_verify_poison(device, stream, LAB_MEMORY_PAGEABLE, region, (struct lab_expectation){.seed = 1}));
    assert_int_equal(wrong_in(LAB_MEMORY_PAGEABLE, region, 1), 1000);
    lab_host_runtime.free(device, LAB_MEMORY_PAGEABLE, bytes);
}

TEST(a_shifted_buffer_is_wrong_almost_everywhere)
{
    enum { BYTES = 4 * 1000 };
    unsigned char *bytes = allocate(LAB_MEMORY_PAGEABLE, BYTES + 4);
    assert_true(lab_verify_fill(device, stream, LAB_MEMORY_PAGEABLE, lab_region_of(bytes, BYTES + 4),
                                (struct lab_expectation){.seed = 1}));
    assert_true(wrong_in(LAB_MEMORY_PAGEABLE, lab_region_of(bytes + 4, BYTES), 1) > 990);
    lab_host_runtime.free(device, LAB_MEMORY_PAGEABLE, bytes);
}

static int open_device(void **state)
{
    (void)state;
    struct lab_error error;
    if (!lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = 1}, &error))
        return -1;
    device = lab_host_runtime.open(0, &error);
    stream = device != NULL ? lab_host_runtime.stream_create(device) : NULL;
    return stream != NULL ? 0 : -1;
}

static int close_device(void **state)
{
    (void)state;
    lab_host_runtime.stream_free(device, stream);
    lab_host_runtime.close(device);
    lab_host_runtime.stop();
    return 0;
}

AROUND_EACH_TEST(.setup = open_device, .teardown = close_device)
