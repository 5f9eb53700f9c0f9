/* reduction: the launches of a sum, and the predicted passes through shared memory. */
#include "benchmark/benchmark.h"
#include "experiment/experiment.h"
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

TEST(conflicts_cost_as_much_as_divergence)
{
    static const double passes[] = {[DIVERGENT] = 188, [INTERLEAVED] = 188, [SEQUENTIAL] = 48, [FIRST_ADD] = 24};
    for (int64_t step = DIVERGENT; step <= FIRST_ADD; step++) {
        struct lab_workload workload = workload_of(step, 1 << 20);
        assert_int_equal(workload.figure_count, 1);
        assert_string_equal(workload.figures[0].metric, "shared_passes");
        assert_true(workload.figures[0].value == passes[step]);
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
