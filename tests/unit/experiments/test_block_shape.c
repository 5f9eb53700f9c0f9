/* kernels/experiments/execution/block_shape: the warps of a block, and what is computed for its shape. */
#include "benchmark/benchmark.h"
#include "experiments/execution/block_shape/block_shape.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { SIDE = 256 };

/* The word of element (x, y, z) for a block of these threads. */
static uint32_t expected(uint64_t width, uint64_t height, uint64_t depth, uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t parameters[3] = {BLOCK_INDEX | width << BLOCK_X_BIT | height << BLOCK_Y_BIT | depth << BLOCK_Z_BIT,
                                    SIDE};
    return block_expected((z * SIDE + y) * SIDE + x, 0, parameters);
}

TEST(a_warp_is_32_consecutive_numbers)
{
    assert_int_equal(expected(16, 16, 1, 0, 0, 0), 0);
    assert_int_equal(expected(16, 16, 1, 15, 1, 0), 31);           /* the last of the first warp, which is two rows */
    assert_int_equal(expected(16, 16, 1, 0, 2, 0), 32 * 32);       /* the first of the next one */
    assert_int_equal(expected(8, 8, 4, 7, 3, 0), 31);              /* four rows of eight */
    assert_int_equal(expected(8, 8, 4, 0, 0, 1), 64 * 32);         /* z = 1 begins after 64 threads */
    assert_int_equal(expected(8, 8, 4, 8, 8, 4), 0);               /* the first of another block */
    assert_int_equal(expected(1, 256, 1, 77, 33, 0), 32 * 32 + 1); /* the second warp, lane 1 */
}

static const struct lab_workload *describe(int64_t variant, int64_t shape)
{
    static struct lab_workload workload;
    struct lab_device_facts facts;
    struct lab_point point = {.values = {variant, shape, SIDE}};
    lab_facts_clear(&facts);
    strcpy(facts.backend, "cuda");
    facts.fp32_peak_flops = 1e12;
    workload = (struct lab_workload){0};
    lab_experiment_find("block-shape")->benchmark->describe(NULL, &facts, &point, &workload);
    return &workload;
}

TEST(sectors_and_paths_follow_from_the_shape)
{
    static const struct {
        double sectors, paths_x, paths_y;
    } shapes[] = {{4, 2, 1}, {4, 2, 1},  {4, 2, 1},  {4, 2, 1}, {4, 2, 2}, {4, 2, 2},
                  {8, 2, 2}, {16, 2, 2}, {32, 1, 2}, {4, 2, 2}, {8, 2, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        assert_true(describe(BLOCK_COPY, (int64_t)i)->figures[0].value == shapes[i].sectors);
        assert_true(describe(BLOCK_BRANCH_X, (int64_t)i)->figures[1].value == shapes[i].paths_x);
        const struct lab_workload *by_y = describe(BLOCK_BRANCH_Y, (int64_t)i);
        assert_true(by_y->figures[1].value == shapes[i].paths_y);
        double seconds = 1024.0 * SIDE * SIDE * SIDE / 1e12 * shapes[i].paths_y * 35 / 32;
        assert_true(fabs(by_y->figures[2].value / seconds - 1) < 1e-9);
    }
}

TEST(grids_cover_the_cube)
{
    for (int64_t shape = 0; shape < 11; shape++) {
        const struct lab_launch *launch = &describe(BLOCK_INDEX, shape)->steps[0].launch;
        assert_int_equal(launch->block[0] * launch->block[1] * launch->block[2], 256);
        for (unsigned d = 0; d < 3; d++)
            assert_int_equal(launch->grid[d] * launch->block[d], SIDE);
    }
}
