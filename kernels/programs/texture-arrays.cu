/* Copies to and from the array of a texture
 *
 * An array (`cudaArray_t`) holds an image for a texture, in an order that the driver chooses, so that pixels that are
 * near in both directions are near in memory. A program cannot address it: `cudaMemcpy2DToArray` copies rows into it,
 * `cudaMemcpy2DFromArray` copies them out, and `cudaMemcpy2DArrayToArray` copies between two. The same rows to and from
 * plain memory are timed beside them: does the other order cost anything?
 *
 * Lessons: constant-texture, transfer, pitch
 */
#include <chrono>
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

enum { SIDE = 4096 };
static const size_t width = SIDE * sizeof(float), bytes = SIDE * width;

static float *host, *device[2];
static cudaArray_t array[2];

/* Step 0 copies from the host to the device, step 1 there, step 2 to the host. */
static cudaError_t through_memory(int step)
{
    return step == 0   ? cudaMemcpy2D(device[0], width, host, width, width, SIDE, cudaMemcpyHostToDevice)
           : step == 1 ? cudaMemcpy2D(device[1], width, device[0], width, width, SIDE, cudaMemcpyDeviceToDevice)
                       : cudaMemcpy2D(host, width, device[1], width, width, SIDE, cudaMemcpyDeviceToHost);
}

static cudaError_t through_arrays(int step)
{
    return step == 0   ? cudaMemcpy2DToArray(array[0], 0, 0, host, width, width, SIDE, cudaMemcpyHostToDevice)
           : step == 1 ? cudaMemcpy2DArrayToArray(array[1], 0, 0, array[0], 0, 0, width, SIDE, cudaMemcpyDeviceToDevice)
                       : cudaMemcpy2DFromArray(host, width, array[1], 0, 0, width, SIDE, cudaMemcpyDeviceToHost);
}

static void measure(const char *way, int step, cudaError_t (*copy)(int))
{
    static const char *const steps[] = {"to the device", "within the device", "to the host"};
    double seconds = 0;
    for (int i = 0; i < 2; i++) { /* the first time is not taken */
        CHECK(cudaDeviceSynchronize());
        auto start = std::chrono::steady_clock::now();
        CHECK(copy(step));
        CHECK(cudaDeviceSynchronize()); /* a copy within the device may still run when the call returns */
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    printf("%s, %-18s %9.1f us, %7.2f GB/s\n", way, steps[step], seconds * 1e6, bytes / seconds / 1e9);
    gpulab_result("bandwidth", bytes / seconds, "B/s", "through=%s copy=%s", way, steps[step]);
}

int main()
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    int wrong = 0;
    CHECK(cudaMallocHost(&host, bytes));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMalloc(&device[i], bytes));
        CHECK(cudaMallocArray(&array[i], &format, SIDE, SIDE));
    }
    for (int arrays = 0; arrays < 2; arrays++) { /* an image travels to the device, there, and back */
        for (int i = 0; i < SIDE * SIDE; i++)
            host[i] = (float)(i % 65521);
        for (int step = 0; step < 3; step++) {
            if (step == 2)
                memset(host, 255, bytes); /* not a number: no pixel of the image that was sent */
            measure(arrays ? "arrays" : "memory", step, arrays ? through_arrays : through_memory);
        }
        for (int i = 0; i < SIDE * SIDE; i++)
            wrong += host[i] != (float)(i % 65521);
    }
    printf("%d wrong pixels\n", wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees everything */
}
