/* Pinned and pageable memory
 *
 * Copies the same bytes between host and device from two kinds of host memory. The operating system may move pageable
 * memory, so the driver copies it through a buffer of its own; pinned memory stays where it is, and the device reads
 * and writes it directly. The copies are timed by events, and what comes back is compared with what was sent.
 *
 * Lessons: transfer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const size_t count = 16 << 20, bytes = count * sizeof(int);
const int copies = 10;

/* Copies several times and returns the bytes per second. */
static double copy(void *to, const void *from, cudaMemcpyKind direction)
{
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemcpy(to, from, bytes, direction)); /* not timed: the first copy is slower */
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < copies; i++)
        CHECK(cudaMemcpy(to, from, bytes, direction));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return copies * (double)bytes / (1e-3 * ms);
}

/* Sends numbers to the device and back. Returns whether they came back. */
static bool measure(const char *memory, int *host, int *device)
{
    for (size_t i = 0; i < count; i++)
        host[i] = (int)i;
    double to_device = copy(device, host, cudaMemcpyHostToDevice);
    memset(host, 0, bytes); /* so that only a copy can bring the numbers back */
    double to_host = copy(host, device, cudaMemcpyDeviceToHost);
    printf("%-8s  to the device %6.2f GB/s, to the host %6.2f GB/s\n", memory, to_device / 1e9, to_host / 1e9);
    gpulab_result("bandwidth", to_device, "B/s", "memory=%s direction=h2d bytes=%zu", memory, bytes);
    gpulab_result("bandwidth", to_host, "B/s", "memory=%s direction=d2h bytes=%zu", memory, bytes);
    for (size_t i = 0; i < count; i++) {
        if (host[i] != (int)i) {
            fprintf(stderr, "%s: element %zu is %d\n", memory, i, host[i]);
            return false;
        }
    }
    return true;
}

int main()
{
    int *device, *pinned, *pageable = (int *)malloc(bytes);
    if (pageable == NULL)
        return EXIT_FAILURE;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMallocHost(&pinned, bytes)); /* pin little: other programs cannot use this memory */
    bool right = measure("pageable", pageable, device) && measure("pinned", pinned, device);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    free(pageable);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
