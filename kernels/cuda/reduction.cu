/* Sums by CUB, NVIDIA's library of parallel algorithms for kernels and blocks, which is part of the toolkit. */
#include "kernels.h"

#include <cub/device/device_reduce.cuh>

// region sum
/* Adds up `count` elements by as many kernels as CUB chooses. Without `scratch` it only sets *scratch_bytes, the size
 * of the memory that it needs. */
template <typename T>
static cudaError_t sum_of(void *scratch, size_t *scratch_bytes, const void *elements, void *sum, uint64_t count,
                          cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(scratch, *scratch_bytes, static_cast<const T *>(elements), static_cast<T *>(sum),
                                  count, stream);
}
// end

extern "C" cudaError_t lab_cuda_launch_sum(cudaStream_t stream, enum lab_reduction_type type, void *scratch,
                                           size_t *scratch_bytes, const void *elements, void *sum, uint64_t count)
{
    return type == LAB_REDUCTION_INT32 ? sum_of<uint32_t>(scratch, scratch_bytes, elements, sum, count, stream)
                                       : sum_of<float>(scratch, scratch_bytes, elements, sum, count, stream);
}
