/* Memory and copies of the host runtime. */
#include "support/host_harness.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

DEVICE_TEST(test_each_kind_of_memory)
{
    static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PAGEABLE, LAB_MEMORY_PINNED,
                                            LAB_MEMORY_MAPPED, LAB_MEMORY_MANAGED};
    static const size_t sizes[] = {1, 255, 4096, 4097, (2 << 20) + 1};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            unsigned char *memory = allocate(device, kinds[i], sizes[k]);
            assert_int_equal((uintptr_t)memory % 256, 0);
            memset(memory, 1, sizes[k]);
            runtime->free(device, kinds[i], memory);
        }
    }
    runtime->free(device, LAB_MEMORY_DEVICE, NULL);
}

DEVICE_TEST(test_write_combined_is_unsupported)
{
    void *memory = NULL;
    assert_false(runtime->allocate(device, LAB_MEMORY_WRITE_COMBINED, 4096, &memory));
    assert_int_equal(device->error.code, LAB_ERROR_UNSUPPORTED);
    assert_false(device->lost);
    assert_false(runtime->allocate(device, LAB_MEMORY_DEVICE, 0, &memory));
    assert_int_equal(device->error.code, LAB_ERROR_INVALID_ARGUMENT);
}

DEVICE_TEST(test_too_large_allocations_report_both_sizes)
{
    static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PAGEABLE, LAB_MEMORY_PINNED};
    size_t requested = (size_t)1 << 46;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        void *memory = NULL;
        unsigned long long reported_requested = 0, reported_free = 0;
        char kind[16];
        assert_false(runtime->allocate(device, kinds[i], requested, &memory));
        assert_int_equal(device->error.code, LAB_ERROR_INSUFFICIENT_MEMORY);
        assert_int_equal(sscanf(device->error.detail, "cannot allocate %llu bytes of %15s memory: %llu bytes are free",
                                &reported_requested, kind, &reported_free),
                         3);
        assert_int_equal(reported_requested, requested);
        assert_in_range(reported_free, 1, requested);
        assert_null(memory);
        assert_false(runtime->allocate(device, kinds[i], SIZE_MAX, &memory));
        assert_int_equal(device->error.code, LAB_ERROR_INSUFFICIENT_MEMORY);
    }
    assert_false(device->lost);
}

DEVICE_TEST(test_memory_info_follows_allocations)
{
    size_t before, during, after, total;
    enum { BYTES = 64 << 20 };
    succeed(device, runtime->memory_info(device, &before, &total));
    assert_int_equal(total, device->facts.total_memory_bytes);
    assert_in_range(before, 1, total);
    void *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    succeed(device, runtime->memory_info(device, &during, &total));
    assert_true(during <= total - BYTES);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    succeed(device, runtime->memory_info(device, &after, &total));
    assert_true(after > during);
}

/* Called in a child process that may not lock memory. Exits. */
static _Noreturn void allocate_without_locking(void)
{
    struct lab_error error = {0};
    void *memory = NULL;
    if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){0, 0}) != 0 ||
        (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0))
        _exit(2);
    if (!runtime->start(&(struct lab_runtime_options){0}, &error))
        _exit(2);
    struct lab_device *device = runtime->open(0, &error);
    if (device == NULL || device->caveat[0] != '\0')
        _exit(3);
    if (!runtime->allocate(device, LAB_MEMORY_PINNED, 1 << 20, &memory))
        _exit(4);
    memset(memory, 1, 1 << 20);
    _exit(strstr(device->caveat, "could not be locked") != NULL ? 0 : 5);
}

/* Without permission to lock pages, pinned memory can still be allocated, and the device's caveat says that it is not
 * locked. */
TEST(test_pinned_falls_back_to_unlocked)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizers' mlock does nothing and succeeds */
#endif
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        allocate_without_locking();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void write_random(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)rand_r(&seed);
}

DEVICE_TEST(test_copies_of_odd_sizes)
{
    static const size_t sizes[] = {0, 1, 3, 63, 4097, 1000003, 3000017};
    static const enum lab_memory kinds[] = {LAB_MEMORY_PAGEABLE, LAB_MEMORY_PINNED, LAB_MEMORY_MAPPED};
    enum { LARGEST = 3000017 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *first = allocate(device, LAB_MEMORY_DEVICE, LARGEST);
    unsigned char *second = allocate(device, LAB_MEMORY_DEVICE, LARGEST);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        unsigned char *from = allocate(device, kinds[kind], LARGEST);
        unsigned char *to = allocate(device, kinds[kind], LARGEST + 1);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            write_random(from, sizes[i], (unsigned)i);
            memset(to, 0xAA, LARGEST + 1);
            succeed(device, runtime->copy(device, stream, first, from, sizes[i], LAB_H2D));
            succeed(device, runtime->copy(device, stream, second, first, sizes[i], LAB_D2D));
            succeed(device, runtime->copy(device, stream, to, second, sizes[i], LAB_D2H));
            succeed(device, runtime->stream_synchronize(device, stream));
            assert_memory_equal(to, from, sizes[i]);
            assert_int_equal(to[sizes[i]], 0xAA);
        }
        runtime->free(device, kinds[kind], from);
        runtime->free(device, kinds[kind], to);
    }
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, first);
    runtime->free(device, LAB_MEMORY_DEVICE, second);
}

DEVICE_TEST(test_rectangles)
{
    enum { WIDTH = 101, HEIGHT = 37, FROM_PITCH = 128, TO_PITCH = 300 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *from = allocate(device, LAB_MEMORY_PINNED, FROM_PITCH * HEIGHT);
    unsigned char *to = allocate(device, LAB_MEMORY_DEVICE, TO_PITCH * HEIGHT);
    write_random(from, FROM_PITCH * HEIGHT, 5);
    memset(to, 0xAA, TO_PITCH * HEIGHT);
    struct lab_region source = {from, WIDTH, HEIGHT, FROM_PITCH}, destination = {to, WIDTH, HEIGHT, TO_PITCH};
    succeed(device, runtime->copy2d->copy(device, stream, destination, source, LAB_H2D));
    succeed(device, runtime->stream_synchronize(device, stream));
    for (size_t row = 0; row < HEIGHT; row++) {
        assert_memory_equal(to + row * TO_PITCH, from + row * FROM_PITCH, WIDTH);
        for (size_t column = WIDTH; column < TO_PITCH; column++)
            assert_int_equal(to[row * TO_PITCH + column], 0xAA);
    }
    memset(to, 0xAA, TO_PITCH * HEIGHT);
    succeed(device, runtime->copy2d->copy3d(device, stream, destination, source, HEIGHT, LAB_H2D));
    succeed(device, runtime->stream_synchronize(device, stream));
    for (size_t row = 0; row < HEIGHT; row++)
        assert_memory_equal(to + row * TO_PITCH, from + row * FROM_PITCH, WIDTH);
    assert_false(runtime->copy2d->copy3d(device, stream, destination, source, 2, LAB_H2D));
    assert_string_equal(device->error.detail, "37 rows are not 2 equal layers");
    destination.width--;
    assert_false(runtime->copy2d->copy(device, stream, destination, source, LAB_H2D));
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_PINNED, from);
    runtime->free(device, LAB_MEMORY_DEVICE, to);
}

DEVICE_TEST(test_copies_outside_of_the_device_are_refused)
{
    enum { BYTES = 4096 };
    struct lab_stream *stream = runtime->stream_create(device);
    unsigned char *memory = allocate(device, LAB_MEMORY_DEVICE, BYTES);
    unsigned char *host = allocate(device, LAB_MEMORY_PINNED, 2 * BYTES);
    assert_false(runtime->copy(device, stream, memory, host, BYTES + 1, LAB_H2D));
    assert_int_equal(device->error.code, LAB_ERROR_INVALID_ARGUMENT);
    assert_false(runtime->copy(device, stream, memory + 1, host, BYTES, LAB_H2D));
    assert_false(runtime->copy(device, stream, host, memory, BYTES, LAB_H2D));
    assert_false(runtime->copy(device, stream, memory, host, BYTES, LAB_D2D));
    assert_false(runtime->copy(device, stream, host, memory + BYTES, 1, LAB_D2H));
    assert_false(runtime->copy2d->copy(device, stream, (struct lab_region){memory, 64, SIZE_MAX / 32, 64},
                                       (struct lab_region){host, 64, SIZE_MAX / 32, 64}, LAB_H2D));
    assert_false(device->lost);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    runtime->free(device, LAB_MEMORY_PINNED, host);
}
