/* Averages of neighbours in one and two streams
 *
 * Each element becomes the average of neighbours in two arrays, which are copied in chunks. Old devices have one queue
 * of copies: depth first puts the copy out of a chunk, which waits for its kernel, before the copies in of the next, so
 * nothing overlaps; interleaved issues each stage of two chunks together. Today's devices overlap in both orders.
 *
 * Lessons: overlap
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

const int chunks = 20, chunk = 1 << 20, window = 256; /* the neighbours of an element are in its window */
const size_t bytes = chunk * sizeof(int);

__host__ __device__ int average(const int *a, const int *b, int i)
{
    int first = i / window * window, next = first + (i + 1) % window, after = first + (i + 2) % window;
    return (a[i] + a[next] + a[after] + b[i] + b[next] + b[after]) / 6;
}

__global__ void average_chunk(const int *a, const int *b, int *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = average(a, b, i);
}

static int *host[3], *device[2][3]; /* a, b and c: whole on the host, one chunk for each stream on the device */
static cudaStream_t streams[2];

/* Issues the copies in (stage 0), the kernel (1) or the copy out (2) of chunk k in stream s. */
static void issue(int stage, int k, int s)
{
    for (int input = 0; stage == 0 && input < 2; input++)
        CHECK(cudaMemcpyAsync(device[s][input], host[input] + (size_t)k * chunk, bytes, cudaMemcpyHostToDevice,
                              streams[s]));
    if (stage == 1)
        average_chunk<<<chunk / window, window, 0, streams[s]>>>(device[s][0], device[s][1], device[s][2]);
    if (stage == 2)
        CHECK(cudaMemcpyAsync(host[2] + (size_t)k * chunk, device[s][2], bytes, cudaMemcpyDeviceToHost, streams[s]));
}

/* Computes all averages and prints the time. Returns whether they are right. */
static bool run(const char *name, int used, bool interleaved)
{
    for (int i = 0; i < chunks * chunk; i++)
        host[2][i] = -1;
    auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < chunks; k += 2)
        for (int i = 0; i < 6; i++) /* three stages of two chunks */
            if (interleaved)
                issue(i / 2, k + i % 2, i % used);
            else
                issue(i % 3, k + i / 3, i / 3 % used);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    printf("%-26s %8.2f ms\n", name, ms.count());
    for (int i = 0; i < chunks * chunk; i++)
        if (host[2][i] != average(host[0], host[1], i))
            return false;
    return true;
}

int main()
{
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMallocHost(&host[i], chunks * bytes));
        for (int s = 0; s < 2; s++)
            CHECK(cudaMalloc(&device[s][i], bytes));
    }
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < chunks * chunk; i++) {
        host[0][i] = i % 1000;
        host[1][i] = i % 777;
    }
    bool right = run("one stream, not measured", 1, false) && run("one stream", 1, false);
    right = right && run("two streams, depth first", 2, false) && run("two streams, interleaved", 2, true);
    printf("the averages are %s\n", right ? "right" : "wrong");
    return right ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees everything */
}
