/* reduction: the launches of a sum, and the predicted passes through shared memory. */
#include "benchmark/benchmark.h"
#include "descriptor/experiment.h"
#include "experiments/execution/reduction/reduction.h"
#include "support/test.h"

#include <string.h>

/* Axes and steps in the order of the experiment's tables. */
enum { BYTES, TYPE, STEP };
enum { DIVERGENT, INTERLEAVED, SEQUENTIAL, FIRST_ADD, WARP_SHUFFLE, GRID_STRIDE, ONE_PASS, COOPERATIVE };

enum { MULTIPROCESSORS = 100 };

static struct lab_workload workload_of(int64_t step, int64_t bytes)
{
    struct lab_device_facts device;
    struct lab_workload workload = {0};
    lab_facts_clear(&device);
    device.multiprocessors = MULTIPROCESSORS;
    device.cooperative_launch = 0;
    lab_experiment_find("reduction")
        ->benchmark->describe(NULL, &device, &(struct lab_point){{[BYTES] = bytes, [STEP] = step}}, &workload);
    return workload;
}

/* The word to which a thread adds in the round of a distance, or NO_WORD. */
enum { NO_WORD = -1 };
static int target(int64_t step, int thread, int distance)
{
    int interleaved = 2 * distance * thread;
    if (step == DIVERGENT)
        return thread % (2 * distance) == 0 ? thread : NO_WORD;
    if (step == INTERLEAVED)
        return interleaved < REDUCTION_BLOCK ? interleaved : NO_WORD;
    return thread < distance ? thread : NO_WORD;
}

/* Passes of a warp in a round: the largest number of words that its threads access in one bank. */
static int warp_passes(int64_t step, int warp, int distance)
{
    enum { LANES = 32, BANKS = 32 };
    int words[BANKS] = {0}, most = 0;
    for (int lane = 0; lane < LANES; lane++) {
        int word = target(step, warp * LANES + lane, distance);
        if (word != NO_WORD && ++words[word % BANKS] > most)
            most = words[word % BANKS];
    }
    return most;
}

TEST(passes_are_those_of_the_warps_and_their_bank_conflicts)
{
    for (int64_t step = DIVERGENT; step <= FIRST_ADD; step++) {
        struct lab_workload workload = workload_of(step, 1 << 20);
        int passes = 0, elements = step == FIRST_ADD ? 2 * REDUCTION_BLOCK : REDUCTION_BLOCK;
        for (int distance = 1; distance < REDUCTION_BLOCK; distance *= 2)
            for (int warp = 0; warp < REDUCTION_BLOCK / 32; warp++)
                passes += warp_passes(step, warp, distance);
        assert_int_equal(workload.figure_count, 1);
        assert_string_equal(workload.figures[0].metric, "shared_passes");
        assert_true(workload.figures[0].value == passes * 1024.0 / elements);
    }
    assert_int_equal(workload_of(WARP_SHUFFLE, 1 << 20).figure_count, 0);
}

/* The blocks of each launch of a step; the last one makes the result. */
static void check_blocks(int64_t step, int64_t bytes, size_t count, const uint32_t *blocks)
{
    struct lab_workload workload = workload_of(step, bytes);
    assert_int_equal(workload.step_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(workload.steps[i].launch.grid[0], blocks[i]);
}

TEST(launches_have_as_many_blocks_as_needed)
{
    check_blocks(DIVERGENT, 1 << 24, 2, (const uint32_t[]){1 << 14, 1});
    check_blocks(DIVERGENT, 1 << 30, 3, (const uint32_t[]){1 << 20, 1 << 12, 1});
    check_blocks(FIRST_ADD, 1 << 24, 2, (const uint32_t[]){1 << 13, 1});
    check_blocks(GRID_STRIDE, 1 << 30, 2, (const uint32_t[]){4 * MULTIPROCESSORS, 1});
    check_blocks(ONE_PASS, 1 << 30, 1, (const uint32_t[]){4 * MULTIPROCESSORS});
    check_blocks(ONE_PASS, 1 << 20, 1, (const uint32_t[]){32});
}

TEST(a_cooperative_grid_is_skipped_where_it_cannot_be_launched)
{
    assert_string_equal(workload_of(GRID_STRIDE, 1 << 20).skipped, "");
    assert_non_null(strstr(workload_of(COOPERATIVE, 1 << 20).skipped, "cooperative"));
}
