/* Managed memory
 *
 * CPU and GPU use one pointer, and the pages of the memory move to whichever accesses them. The first kernel waits for
 * the pages, one fault after another; the second finds them on the GPU; then the CPU fetches them back, and a prefetch
 * moves them before the third kernel needs them. This needs a device that can access managed memory at the same time
 * as the CPU; elsewhere the program says so and ends.
 *
 * Lessons: managed-memory
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

const int count = 16 << 20, block = 256;

__global__ void increment(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x]++;
}

/* Moves the array to the GPU before a kernel needs it. */
static void prefetch(const int *x)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation gpu = {};
    gpu.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPrefetchAsync(x, count * sizeof *x, gpu, 0, NULL));
#else
    CHECK(cudaMemPrefetchAsync(x, count * sizeof *x, 0, NULL));
#endif
}

/* Runs the kernel, and waits: the CPU must not use what a kernel is changing. */
static void run(const char *title, int *x)
{
    auto start = std::chrono::steady_clock::now();
    increment<<<count / block, block>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    printf("%-34s %8.3f ms\n", title, ms.count());
}

int main()
{
    int concurrent, wrong = 0, *x, *other;
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    if (!concurrent) {
        puts("This device cannot access managed memory at the same time as the CPU.");
        return EXIT_SUCCESS;
    }
    CHECK(cudaMalloc(&other, count * sizeof *other));
    CHECK(cudaMemset(other, 0, count * sizeof *other));
    run("not managed, with the first launch", other);
    run("not managed", other);

    CHECK(cudaMallocManaged(&x, count * sizeof *x));
    for (int i = 0; i < count; i++)
        x[i] = i; /* the pages are the CPU's */
    run("managed, the pages at the CPU", x);
    run("managed, the pages at the GPU", x);
    for (int i = 0; i < count; i++)
        x[i]++; /* fetches them back */
    prefetch(x);
    CHECK(cudaDeviceSynchronize());
    run("managed, after a prefetch", x);
    for (int i = 0; i < count; i++)
        wrong += x[i] != i + 4;
    printf("%d wrong elements\n", wrong);
    CHECK(cudaFree(x));
    CHECK(cudaFree(other));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
