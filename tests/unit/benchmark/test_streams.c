/* kernels/benchmark/streams.c, displacement.c on devices of the host runtime: what the sides of a comparison have in
 * common, and what has another place in each block. */
#include "benchmark/displacement.h"
#include "benchmark/streams.h"
#include "host/host.h"
#include "support/peer_harness.h"
#include "support/test.h"

AROUND_EACH_TEST(.setup = open_peers, .teardown = close_devices)

TEST(the_sides_of_a_comparison_have_the_same_streams)
{
    struct lab_streams streams = {0};
    struct lab_run base = {.streams = &streams}, head = {.base = &base, .streams = &streams};
    struct lab_stream *of_base[20], *of_head[20];
    for (size_t i = 0; i < 20; i++)
        of_base[i] = lab_run_stream(&base, devices[i % 2]);
    for (size_t i = 0; i < 20; i++) {
        of_head[i] = lab_run_stream(&head, devices[i % 2]);
        assert_non_null(of_head[i]);
        assert_ptr_equal(of_head[i], of_base[i]);
        for (size_t k = 0; k < i; k++)
            assert_ptr_not_equal(of_head[i], of_head[k]);
    }
    assert_int_equal(streams.count, 20);
    lab_run_stream_return(&head, devices[0], of_head[4]);
    assert_ptr_equal(lab_run_stream(&head, devices[0]), of_base[4]);
    assert_ptr_not_equal(lab_run_stream(&base, devices[0]), of_base[4]);
    lab_run_stream_return(&head, devices[0], NULL);
    lab_streams_release(&streams);
    assert_int_equal(streams.count, 0);
}

TEST(a_run_that_compares_nothing_has_streams_of_its_own)
{
    struct lab_run run = {0};
    struct lab_stream *one = lab_run_stream(&run, devices[0]), *other = lab_run_stream(&run, devices[0]);
    assert_true(one != NULL && other != NULL && one != other);
    lab_run_stream_return(&run, devices[0], one);
    lab_run_stream_return(&run, devices[0], other);
}

/* The sizes that were asked for last, and how many allocations are not freed. */
static size_t sizes[4], size_count, held;

static bool note_allocation(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address)
{
    assert_true(size_count < sizeof sizes / sizeof *sizes);
    sizes[size_count++] = bytes;
    held++;
    return lab_host_runtime.allocate(device, kind, bytes, address);
}

static void note_free(struct lab_device *device, enum lab_memory kind, void *address)
{
    held -= address != NULL;
    lab_host_runtime.free(device, kind, address);
}

static void displace(struct lab_run *run, uint64_t number)
{
    struct lab_displacement displacement = {0};
    size_count = 0;
    lab_displacement_make(&displacement, run, number);
    assert_int_equal(held, size_count);
    lab_displacement_release(&displacement);
    assert_int_equal(held, 0);
}

TEST(a_displacement_has_the_sizes_of_its_number_and_is_released)
{
    struct lab_run run = {.device_count = 2, .devices = {devices[0], devices[1]}};
    size_t different = 0;
    changed.allocate = note_allocation;
    changed.free = note_free;
    use_runtime(&changed);
    for (uint64_t number = 0; number < 20; number++) {
        size_t before[4], count;
        displace(&run, number);
        assert_true(size_count >= run.device_count); /* pages only where they are a small part of the memory */
        count = size_count;
        memcpy(before, sizes, sizeof before);
        displace(&run, number);
        assert_int_equal(size_count, count);
        assert_int_equal(memcmp(before, sizes, count * sizeof *sizes), 0);
        displace(&run, number + 1);
        different += before[0] != sizes[0];
    }
    assert_int_equal(different, 20);
}
