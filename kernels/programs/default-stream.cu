/* What the default stream stops
 *
 * Two streams each run a kernel that takes 10 ms, and between them a third kernel is launched. In the default stream
 * it waits for all streams and all wait for it, so the three run one after the other: a library that uses the default
 * stream stops the overlap of its callers. The default stream of a thread, or streams created as non-blocking, do not
 * wait; nvcc --default-stream per-thread makes the former what a launch without a stream uses.
 *
 * Lessons: default-stream, overlap
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

/* Occupies one block for some cycles of the clock, and says that it has run. Where programs share the GPU, a block may
 * go on at another multiprocessor, whose clock has another start: without a sign, a clock that seems to go back ends
 * the loop. */
__global__ void spin(unsigned long long cycles, int *runs)
{
    for (unsigned long long start = clock64(); clock64() - start < cycles;)
        ;
    atomicAdd(runs, 1);
}

/* Runs the three kernels, the second in `between`, NULL: none; prints the time. */
static void measure(const char *title, unsigned flags, const cudaStream_t *between, unsigned long long cycles,
                    int *runs)
{
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, flags));
    CHECK(cudaStreamCreateWithFlags(&other, flags));
    auto start = std::chrono::steady_clock::now();
    spin<<<1, 1, 0, one>>>(cycles, runs);
    if (between != NULL)
        spin<<<1, 1, 0, *between>>>(cycles, runs);
    spin<<<1, 1, 0, other>>>(cycles, runs);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    printf("%-56s %6.2f ms\n", title, ms.count());
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
}

int main()
{
    const cudaStream_t legacy = cudaStreamLegacy, per_thread = cudaStreamPerThread;
    int *runs, total, clock_khz;
    CHECK(cudaMalloc(&runs, sizeof *runs));
    CHECK(cudaMemset(runs, 0, sizeof *runs));
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    unsigned long long cycles = 10ULL * clock_khz; /* 10 ms at the highest clock */
    spin<<<1, 1>>>(0, runs);                       /* the first launch is slower */
    CHECK(cudaDeviceSynchronize());
    measure("two streams", cudaStreamDefault, NULL, cycles, runs);
    measure("two streams, between them the default stream", cudaStreamDefault, &legacy, cycles, runs);
    measure("two streams, between them the thread's default stream", cudaStreamDefault, &per_thread, cycles, runs);
    measure("two non-blocking streams and the default stream", cudaStreamNonBlocking, &legacy, cycles, runs);
    CHECK(cudaMemcpy(&total, runs, sizeof total, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(runs));
    printf("%d kernels have run\n", total);
    return total == 1 + 2 + 3 + 3 + 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
