/* Several GPUs and a barrier
 *
 * Each GPU computes its part of an array, fetches that of its neighbour, and adds both. A stream of each GPU waits for
 * events that all GPUs record after their kernels, before it copies. The job runs on one GPU, on two, and so on.
 *
 * Lessons: scaling, peer
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

const int total = 1 << 24, steps = 2000, block = 256, most = 16;
const unsigned factor = 1664525; /* multiplying by it again and again is something to compute */

__global__ void multiply(unsigned *x, unsigned first, unsigned factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, value = first + i;
    for (int step = 0; step < steps; step++)
        value *= factor;
    x[i] = value;
}

__global__ void add(unsigned *x, const unsigned *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += y[i];
}

static unsigned *parts[most], host[total]; /* on each GPU its part, and behind that the sums */
static cudaStream_t streams[most];
static cudaEvent_t finished[most];

/* Runs the job on some of the GPUs, each with n elements; returns the milliseconds that it takes. */
static double run(int gpus, int n)
{
    auto start = std::chrono::steady_clock::now();
    for (int d = 0; d < gpus; d++) {
        CHECK(cudaSetDevice(d)); /* what follows is for this GPU; its stream and its event belong to it */
        multiply<<<n / block, block, 0, streams[d]>>>(parts[d], d * n, factor);
        CHECK(cudaEventRecord(finished[d], streams[d]));
    }
    for (int d = 0; d < gpus; d++) {
        int next = (d + 1) % gpus; /* the neighbour */
        CHECK(cudaSetDevice(d));
        for (int other = 0; other < gpus; other++) /* the barrier: the stream waits, the host does not */
            CHECK(cudaStreamWaitEvent(streams[d], finished[other], 0));
        CHECK(cudaMemcpyPeerAsync(parts[d] + n, d, parts[next], next, n * sizeof(unsigned), streams[d]));
        add<<<n / block, block, 0, streams[d]>>>(parts[d] + n, parts[d]); /* the part stays: it is being fetched */
        CHECK(cudaGetLastError());
    }
    for (int d = 0; d < gpus; d++)
        CHECK(cudaStreamSynchronize(streams[d]));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int main()
{
    int count, wrong = 0;
    unsigned product = 1;
    CHECK(cudaGetDeviceCount(&count));
    count = count < most ? count : most;
    for (int d = 0; d < count; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&parts[d], 2 * total * sizeof(unsigned)));
        CHECK(cudaStreamCreate(&streams[d]));
        CHECK(cudaEventCreateWithFlags(&finished[d], cudaEventDisableTiming));
    }
    for (int step = 0; step < steps; step++)
        product *= factor;
    for (int gpus = 1; gpus <= count; gpus++) {
        int n = total / gpus / block * block; /* whole blocks */
        run(gpus, n);                         /* the first time is slower */
        double ms = run(gpus, n);
        for (int d = 0; d < gpus; d++) {
            CHECK(cudaMemcpy(host, parts[d] + n, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
            for (int i = 0; i < n; i++)
                wrong += host[i] != product * (d * n + (d + 1) % gpus * n + 2 * i);
        }
        printf("GPUs: %d, time: %.3f ms, %d wrong elements\n", gpus, ms, wrong);
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees everything */
}
