/* kernels/benchmark/streams.c, displacement.c on devices of the host runtime: what the sides of a comparison have in common, and what
 * has another place in each block. */
#include "benchmark/displacement.h"
#include "benchmark/streams.h"
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

TEST(a_displacement_is_the_same_for_the_same_number_and_is_released)
{
    struct lab_run run = {.device_count = 2, .devices = {devices[0], devices[1]}};
    struct lab_displacement displacement = {0};
    for (uint64_t number = 0; number < 100; number++) {
        lab_displacement_make(&displacement, &run, number);
        for (size_t i = 0; i < run.device_count; i++) {
            assert_non_null(displacement.addresses[i][0]);
            assert_int_equal(run.devices[i]->error.code, LAB_ERROR_NONE);
        }
        lab_displacement_release(&displacement);
        assert_null(displacement.run);
    }
}
