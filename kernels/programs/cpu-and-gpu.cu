/* A job on the CPU, and on the GPU with its copies
 *
 * What a GPU saves must pay for the copies to it and back. One thread of the CPU and the GPU compute the same array
 * with 1, 4, 16, … steps for each element. The copies are always the same: from some number of steps on the GPU is
 * faster, and with fewer steps it is slower, however fast its kernel. Compile with -O3: without it, nvcc optimises
 * only the kernel.
 *
 * Lessons: break-even, transfer, overlap
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

const int count = 1 << 20, block = 256;
const size_t bytes = count * sizeof(unsigned);

__host__ __device__ unsigned compute(unsigned value, int steps, unsigned factor)
{
    for (int step = 0; step < steps; step++)
        value = factor * value + 1;
    return value;
}

__global__ void compute_all(const unsigned *in, unsigned *out, int steps, unsigned factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = compute(in[i], steps, factor);
}

static double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main()
{
    const unsigned factor = 1664525;
    unsigned *in, *out, *expected = (unsigned *)malloc(bytes), *device_in, *device_out, wrong = 0;
    if (expected == NULL)
        return EXIT_FAILURE;
    CHECK(cudaMallocHost(&in, bytes));
    CHECK(cudaMallocHost(&out, bytes));
    CHECK(cudaMalloc(&device_in, bytes));
    CHECK(cudaMalloc(&device_out, bytes));
    for (unsigned i = 0; i < count; i++)
        in[i] = expected[i] = i;
    compute_all<<<count / block, block>>>(device_in, device_out, 1, factor); /* the first launch loads the code */
    CHECK(cudaDeviceSynchronize());
    printf("steps       CPU    kernel  with copies (ms)\n");
    for (int steps = 1; steps <= 1024; steps *= 4) {
        double start = now();
        for (int i = 0; i < count; i++)
            expected[i] = compute(in[i], steps, factor);
        double cpu = now() - start;

        start = now();
        CHECK(cudaMemcpyAsync(device_in, in, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize()); /* only to time the kernel alone */
        double copied = now();
        compute_all<<<count / block, block>>>(device_in, device_out, steps, factor);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        double kernel = now() - copied;
        CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
        double gpu = now() - start;

        printf("%5d %9.3f %9.3f %9.3f  %s\n", steps, cpu * 1e3, kernel * 1e3, gpu * 1e3, gpu < cpu ? "GPU" : "CPU");
        gpulab_result("time", cpu, "s", "on=CPU steps=%d", steps);
        gpulab_result("time", gpu, "s", "on=GPU steps=%d", steps);
        for (int i = 0; i < count; i++)
            wrong += out[i] != expected[i];
    }
    printf("%u wrong elements\n", wrong);
    free(expected);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees the rest */
}
