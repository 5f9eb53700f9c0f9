/* kernels/experiments/streams/concurrent_kernels: the predicted numbers and times against schedules that are known. */
#include "experiments/streams/concurrent_kernels/concurrent_kernels.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <string.h>

enum { KERNELS = 32, QUEUES = 8, SLOTS = 132, MOST = 128 };
enum { BREADTH_FIRST, DEPTH_FIRST };
enum { VARIANT, BLOCKS_PER_MULTIPROCESSOR, BLOCKS, STREAMS };

extern const struct lab_experiment lab_concurrent_kernels;

static struct concurrent_kernels_times predict(int variant, size_t streams, size_t blocks, size_t most)
{
    struct concurrent_kernels kernels = {
        .count = KERNELS, .blocks = blocks, .queues = QUEUES, .slots = SLOTS, .most = most};
    for (size_t k = 0; k < KERNELS; k++)
        kernels.streams[k] = variant == BREADTH_FIRST ? k % streams : k * streams / KERNELS;
    return concurrent_kernels_predict(&kernels);
}

static void assert_times(struct concurrent_kernels_times times, size_t at_once, size_t units)
{
    assert_int_equal(times.at_once, at_once);
    assert_int_equal(times.units, units);
}

TEST(small_kernels_run_at_once_in_as_many_streams_as_there_are)
{
    for (size_t streams = 1; streams <= KERNELS; streams *= 2)
        assert_times(predict(BREADTH_FIRST, streams, 1, MOST), streams, KERNELS / streams);
}

/* 8 kernels of 16 blocks fit and the ninth begins; all blocks take as many waves as fit. */
TEST(larger_kernels_run_at_once_as_far_as_there_is_room)
{
    assert_times(predict(BREADTH_FIRST, 32, 16, MOST), 9, (KERNELS * 16 + SLOTS - 1) / SLOTS);
    assert_times(predict(BREADTH_FIRST, 32, SLOTS, MOST), 1, KERNELS);
    assert_times(predict(BREADTH_FIRST, 1, 2 * SLOTS, MOST), 1, 2 * KERNELS);
}

/* 16 streams of 2 kernels in 8 queues: A1, A2, B1, B2 in a queue. B1 waits until A2 has started, behind A1. */
TEST(kernels_of_a_shared_queue_hold_up_those_of_other_streams)
{
    assert_times(predict(BREADTH_FIRST, 16, 1, MOST), 16, 2);
    assert_times(predict(DEPTH_FIRST, 16, 1, MOST), 16, 3);
    assert_times(predict(DEPTH_FIRST, QUEUES, 1, MOST), QUEUES, KERNELS / QUEUES);
    assert_times(predict(DEPTH_FIRST, KERNELS, 1, MOST), KERNELS, 1);
}

TEST(a_device_that_executes_one_kernel_needs_the_same_time_in_any_streams)
{
    for (size_t streams = 1; streams <= KERNELS; streams *= 2)
        assert_times(predict(DEPTH_FIRST, streams, SLOTS + 1, 1), 1, 2 * KERNELS);
}

static struct lab_workload describe(const char *backend, int64_t variant, int64_t resident, int64_t streams)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(&lab_concurrent_kernels, NULL, &errors);
    struct lab_device_facts facts;
    struct lab_workload workload = {0};
    const struct lab_point point = {
        .values = {[VARIANT] = variant, [BLOCKS_PER_MULTIPROCESSOR] = resident, [BLOCKS] = 16, [STREAMS] = streams}};
    assert_non_null(parameters);
    lab_facts_clear(&facts);
    strcpy(facts.backend, backend);
    facts.multiprocessors = SLOTS;
    facts.max_threads_per_multiprocessor = strcmp(backend, "cuda") == 0 ? 2048 : LAB_UNKNOWN;
    lab_concurrent_kernels.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(kernels_are_in_the_streams_of_their_order)
{
    struct lab_workload breadth = describe("cuda", BREADTH_FIRST, 1, 4), depth = describe("cuda", DEPTH_FIRST, 1, 4);
    assert_int_equal(breadth.step_count, KERNELS);
    assert_int_equal(breadth.stream_count, 4);
    for (size_t k = 0; k < KERNELS; k++) {
        assert_int_equal(breadth.steps[k].stream, k % 4);
        assert_int_equal(depth.steps[k].stream, k / 8);
        assert_int_equal(breadth.steps[k].launch.grid[0], 16);
    }
}

TEST(predictions_are_those_of_the_device)
{
    struct lab_workload gpu = describe("cuda", BREADTH_FIRST, 1, 16), two = describe("cuda", BREADTH_FIRST, 2, 32);
    assert_string_equal(gpu.figures[1].metric, "predicted_at_once");
    assert_true(gpu.figures[1].value == 9);
    assert_true(two.figures[1].value == 17);
    assert_string_equal(gpu.figures[0].metric, "predicted_time");
    assert_true(gpu.figures[0].value == gpu.seconds);
    struct lab_workload host = describe("host", BREADTH_FIRST, 1, 16);
    assert_true(host.figures[1].value == 1);
    assert_non_null(strstr(describe("host", BREADTH_FIRST, 2, 16).skipped, "at most 1 "));
}
