/* Reads and writes at places that an array of indices gives. Each thread has one of the n indices, which differ from
 * each other. */
#include "benchmark/check.h"
#include "gather_scatter.h"

// steps use gather_scatter.h:indices

// region gather "Gather: out[i] = in[index[i]] + 1"
/* Indices and results are coalesced; the reads are where the indices say. */
extern "C" __global__ void gather_scatter_gather(const float *in, float *out, const uint32_t *index, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]] + 1.0f;
}
// end

// region scatter "Scatter: out[index[i]] = in[i] + 1"
/* Indices and reads are coalesced; the writes are where the indices say. No thread waits for a write. */
extern "C" __global__ void gather_scatter_scatter(const float *in, float *out, const uint32_t *index, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[index[i]] = in[i] + 1.0f;
}
// end

LAB_FILL_KERNEL(gather_scatter_fill, gather_index)
LAB_CHECK_KERNEL(gather_scatter_check, gather_expected)
