/* The kernels of gpulab-plain-launch, compiled twice: into an image that gpulab's module table loads, and into the
 * program, which launches them with <<<>>>. */
#include <cstdint>

extern "C" __global__ void launch_empty()
{
}

/* A gather as public examples write it. */
extern "C" __global__ void launch_gather(const float *in, float *out, uint32_t n, uint32_t stride)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[static_cast<uint64_t>(i) * stride % n] + 1.0f;
}

extern "C" cudaError_t plain_launch_empty(cudaStream_t stream)
{
    launch_empty<<<1, 32, 0, stream>>>();
    return cudaGetLastError();
}

extern "C" cudaError_t plain_launch_gather(const float *in, float *out, uint32_t n, uint32_t stride,
                                           cudaStream_t stream)
{
    launch_gather<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n, stride);
    return cudaGetLastError();
}
