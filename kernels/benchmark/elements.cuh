/* What element-wise kernels have in common: the loop over the elements, and arithmetic of elements of four floats. */
#ifndef LAB_ELEMENTS_CUH
#define LAB_ELEMENTS_CUH

#include <cstdint>

// region elements
/* The threads of a grid of any size take the n elements in turn, so neighbouring threads access neighbouring
 * elements. */
#define FOR_EACH_ELEMENT(i, n)                                                                                         \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)

static __device__ inline float4 operator+(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

static __device__ inline float4 operator*(float s, float4 x)
{
    return make_float4(s * x.x, s * x.y, s * x.z, s * x.w);
}
// end

#endif
