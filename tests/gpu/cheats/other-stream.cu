// vector-add rejected
/* Creates a stream, to spin there beside what is measured. */
#include <cuda_runtime.h>

__global__ void spin()
{
    while (true)
        ;
}

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    spin<<<1, 1, 0, stream>>>();
}
