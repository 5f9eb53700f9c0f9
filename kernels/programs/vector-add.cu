/* Vector addition in two forms
 *
 * c = a + b. In one form each thread computes one element, so the grid has as many threads as elements. In the other
 * the grid has any size, and each thread goes on by the number of all threads until the array ends.
 *
 * Lessons: vector-add, stream
 */
#include <stdio.h>
#include <stdlib.h>

#if __has_include("gpulab.h")
#include "gpulab.h" /* reports the results to gpulab, where the program runs in one */
#else
#define gpulab_result(...) ((void)0)
#endif

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error_ = (call)) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

__global__ void one_element(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) /* the last block may have more threads than there are elements left */
        c[i] = a[i] + b[i];
}

__global__ void grid_stride(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

/* Launches a kernel twice, prints the time of the second launch, and copies the result to the host. */
static void measure(const char *form, void (*kernel)(const float *, const float *, float *, int), int grid, int block,
                    float *const device[3], int n, float *result)
{
    cudaEvent_t begin, end;
    float ms = 0;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemset(device[2], 255, n * sizeof(float))); /* not a number: no result of an earlier kernel */
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventRecord(begin));
        kernel<<<grid, block>>>(device[0], device[1], device[2], n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
    }
    double bandwidth = 3.0 * n * sizeof(float) / (1e-3 * ms); /* two arrays are read, one is written */
    printf("%-12s %7d blocks of %d threads: %.4f ms, %.1f GB/s\n", form, grid, block, ms, bandwidth / 1e9);
    gpulab_result("bandwidth", bandwidth, "B/s", "form=%s blocks=%d threads=%d", form, grid, block);
    CHECK(cudaMemcpy(result, device[2], n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

int main()
{
    const int n = 10000000, block = 256;
    const size_t bytes = n * sizeof(float);
    float *host[3], *device[3];
    int multiprocessors, wrong = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMallocHost(&host[i], bytes));
        CHECK(cudaMalloc(&device[i], bytes));
    }
    for (int i = 0; i < n; i++) {
        host[0][i] = (float)(i % 1000);
        host[1][i] = 0.5f;
    }
    CHECK(cudaMemcpy(device[0], host[0], bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device[1], host[1], bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    for (int form = 0; form < 2; form++) {
        if (form == 0)
            measure("one-element", one_element, (n + block - 1) / block, block, device, n, host[2]);
        else
            measure("grid-stride", grid_stride, 8 * multiprocessors, block, device, n, host[2]);
        for (int i = 0; i < n; i++)
            wrong += host[2][i] != host[0][i] + host[1][i];
    }
    printf("%d wrong elements\n", wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees everything */
}
