/* The kernels of gather-scatter for host devices: each core takes a contiguous part of the indices. */
#include "benchmark/check.h"
#include "gather_scatter.h"

enum { LINE = 16 }; /* elements of a cache line, so that no two cores write to one of a contiguous array */

// steps use gather_scatter.h:indices

// region gather
LAB_HOST_KERNEL(gather_scatter_gather)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    const uint32_t *restrict index = arguments[2].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[3].u64, LINE, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[index[i]] + 1.0f;
}
// end

// region scatter
LAB_HOST_KERNEL(gather_scatter_scatter)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    const uint32_t *restrict index = arguments[2].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[3].u64, LINE, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[index[i]] = in[i] + 1.0f;
}
// end

LAB_FILL_HOST(gather_scatter_fill, gather_index)
LAB_CHECK_HOST(gather_scatter_check, gather_expected)
