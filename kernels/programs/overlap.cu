/* Copies and kernels at the same time
 *
 * An array is copied in, changed by a kernel and copied out in chunks, each in a stream of its own. Depth first issues
 * all of a chunk before the next chunk; breadth first issues all copies in, then all kernels, then all copies out. In
 * one stream nothing overlaps. The host memory is pinned: copies of pageable memory would wait for the CPU.
 *
 * Lessons: overlap
 */
#include <chrono>
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

enum order { depth_first, breadth_first, one_stream };
const char *const names[] = {"depth-first", "breadth-first", "one-stream"};
const int chunks = 4, chunk = 1 << 20, steps = 1000, block = 256;
const size_t bytes = chunk * sizeof(unsigned);
const unsigned factor = 1664525; /* multiplying by it again and again is something to compute */

__global__ void multiply(unsigned *x, unsigned factor)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int step = 0; step < steps; step++)
        value *= factor;
    x[i] = value;
}

/* Issues the copy in (stage 0), the kernel (1) or the copy out (2) of a chunk, and returns before it is done. */
static void issue(int stage, unsigned *host, unsigned *device, cudaStream_t stream)
{
    if (stage == 0)
        CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    else if (stage == 1)
        multiply<<<chunk / block, block, 0, stream>>>(device, factor);
    else
        CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

/* Runs all stages of all chunks; returns the seconds that they take. */
static double run(int order, unsigned *host, unsigned *device, const cudaStream_t *streams)
{
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 3 * chunks; i++) {
        int k = order == breadth_first ? i % chunks : i / 3, stage = order == breadth_first ? i / chunks : i % 3;
        issue(stage, host + k * chunk, device + k * chunk, streams[order == one_stream ? 0 : k]);
    }
    CHECK(cudaGetLastError()); /* of the launches */
    CHECK(cudaDeviceSynchronize());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main()
{
    unsigned *host, *device, product = 1, wrong = 0;
    cudaStream_t streams[chunks];
    CHECK(cudaMallocHost(&host, chunks * bytes));
    CHECK(cudaMalloc(&device, chunks * bytes));
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    for (int step = 0; step < steps; step++)
        product *= factor;
    for (int i = 0; i < 6; i++) { /* each order twice: the first time is slower */
        for (int j = 0; j < chunks * chunk; j++)
            host[j] = j;
        double seconds = run(i / 2, host, device, streams);
        for (int j = 0; j < chunks * chunk; j++)
            wrong += host[j] != product * j;
        if (i % 2 == 1) {
            printf("%-13s %8.3f ms, %u wrong elements\n", names[i / 2], seconds * 1e3, wrong);
            gpulab_result("time", seconds, "s", "order=%s chunks=%d", names[i / 2], chunks);
        }
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees everything */
}
