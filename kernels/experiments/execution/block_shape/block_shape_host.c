/* The kernels of block-shape for host devices: each core takes a part of the blocks, and executes their threads one
 * after the other. */
#include "benchmark/check.h"
#include "block_shape.h"

// region copy "A copy of the cube"
/* The threads of a block are three loops. A core moves whole cache lines, whatever the order. */
LAB_HOST_KERNEL(block_shape_copy)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    const uint32_t *block = part->launch->block, *grid = part->launch->grid;
    uint64_t side = arguments[2].u32, begin, end;
    lab_host_part_range(part, (uint64_t)grid[0] * grid[1] * grid[2], 1, &begin, &end);
    for (uint64_t b = begin; b < end; b++) {
        uint64_t x0 = b % grid[0] * block[0], y0 = b / grid[0] % grid[1] * block[1],
                 z0 = b / grid[0] / grid[1] * block[2];
        for (uint64_t z = z0; z < z0 + block[2] && z < side; z++)
            for (uint64_t y = y0; y < y0 + block[1] && y < side; y++)
                for (uint64_t x = x0; x < x0 + block[0] && x < side; x++)
                    out[(z * side + y) * side + x] = in[(z * side + y) * side + x] + 1.0f;
    }
}
// end

LAB_CHECK_HOST(block_shape_check, block_expected)
