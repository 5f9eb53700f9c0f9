/* The kernel of async-copy for host devices: each core takes a contiguous part of the tiles. */
#include "async_copy.h"
#include "benchmark/check.h"

// steps use async_copy.h:sizes

// region direct "A loop"
/* The caches of a CPU fetch the next lines by themselves when they see that a loop reads forwards. */
LAB_HOST_KERNEL(async_copy_direct)
{
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64, 1, &begin, &end);
    for (uint64_t tile = begin; tile < end; tile++) {
        const float *restrict in = (const float *)arguments[0].pointer + tile * TILE;
        float *restrict out = (float *)arguments[1].pointer + tile * TILE;
        out[0] = in[TILE - 1] + in[0] + in[1];
        for (uint64_t i = 1; i < TILE - 1; i++)
            out[i] = in[i - 1] + in[i] + in[i + 1];
        out[TILE - 1] = in[TILE - 2] + in[TILE - 1] + in[0];
    }
}
// end

LAB_CHECK_HOST(async_copy_check, async_copy_expected)
