/* Several kernels at once
 *
 * Small kernels of one block leave most of the GPU idle. In one stream they run one after the other; each in a stream
 * of its own, they run at the same time, as long as there is room for their blocks and the device has queues for them.
 * The largest number that was seen at once is counted on the device.
 *
 * Lessons: concurrent-kernels, thread-map, overlap
 */
#include <chrono>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error_ = (call)) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

const int most = 32;

struct counts {
    int running, at_once, done;
};

/* Occupies one block for some cycles of the clock. Where programs share the GPU, a block may go on at another
 * multiprocessor, whose clock has another start: without a sign, a clock that seems to go back ends the loop. */
__global__ void spin(unsigned long long cycles, counts *counts)
{
    atomicMax(&counts->at_once, atomicAdd(&counts->running, 1) + 1);
    for (unsigned long long start = clock64(); clock64() - start < cycles;)
        ;
    atomicSub(&counts->running, 1);
    atomicAdd(&counts->done, 1);
}

/* Runs kernels in the first `used` streams, in turn, and prints the time. Returns whether all have run. */
static bool run(int kernels, int used, const cudaStream_t *streams, unsigned long long cycles, counts *device)
{
    counts host;
    CHECK(cudaMemset(device, 0, sizeof *device));
    CHECK(cudaDeviceSynchronize());
    auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kernels; k++)
        spin<<<1, 1, 0, streams[k % used]>>>(cycles, device);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%2d kernels in %2d streams: %7.2f ms, at most %2d at once\n", kernels, used, ms.count(), host.at_once);
    return host.done == kernels && host.running == 0;
}

int main()
{
    cudaStream_t streams[most];
    counts *device;
    int clock_khz;
    CHECK(cudaMalloc(&device, sizeof *device));
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    bool right = true;
    spin<<<1, 1>>>(0, device); /* the first launch is slower */
    for (int kernels = 2; kernels <= most; kernels *= 4) {
        right = run(kernels, 1, streams, 2LL * clock_khz, device) && right; /* each takes 2 ms at the highest clock */
        right = run(kernels, kernels, streams, 2LL * clock_khz, device) && right;
    }
    for (cudaStream_t stream : streams)
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    puts(right ? "all kernels have run" : "kernels are missing");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
