/* Host and device differ in the last digit
 *
 * Both follow IEEE 754, in which a product, a sum, a quotient and a square root are rounded correctly. Still the same
 * line can give other digits on the device: there the compiler makes one operation of `a * b + c`, which is rounded
 * once. A function of the library, such as the sine, has a few ulp of error on either side, and not the same ones. Each
 * line counts how many results differ, and by how many ulp at most. Without contraction nothing may differ.
 *
 * Lessons: intrinsics, summation
 */
#include <math.h>
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

enum form { CONTRACTED, SEPARATE, FUSED, ROOT, SINE, FORMS };
static const char *const names[FORMS] = {"a * b + c", "__fmul_rn, __fadd_rn", "fmaf", "sqrtf", "sinf"};

__global__ void evaluate(const float *x, float *y, int n, form f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], b = x[n + i], c = x[2 * n + i];
    y[i] = f == CONTRACTED ? a * b + c
           : f == SEPARATE ? __fadd_rn(__fmul_rn(a, b), c)
           : f == FUSED    ? fmaf(a, b, c)
           : f == ROOT     ? sqrtf(a)
                           : sinf(a);
}

static float on_host(form f, float a, float b, float c)
{
    volatile float product = a * b; /* stored, so that the host's compiler cannot make one operation of both either */
    return f == FUSED ? fmaf(a, b, c) : f == ROOT ? sqrtf(a) : f == SINE ? sinf(a) : product + c;
}

/* How many floats lie between two floats. */
static long long distance(float left, float right)
{
    int l, r;
    memcpy(&l, &left, sizeof l);
    memcpy(&r, &right, sizeof r);
    long long from = l < 0 ? -(long long)(l & 0x7fffffff) : l, to = r < 0 ? -(long long)(r & 0x7fffffff) : r;
    return llabs(from - to);
}

int main()
{
    const int n = 1 << 20, exact[FORMS] = {0, 1, 1, 1, 0}; /* which must not differ */
    float *x, *y, *device_x, *device_y;
    CHECK(cudaMallocHost(&x, 3 * n * sizeof *x));
    CHECK(cudaMallocHost(&y, n * sizeof *y));
    CHECK(cudaMalloc(&device_x, 3 * n * sizeof *x));
    CHECK(cudaMalloc(&device_y, n * sizeof *y));
    srand(1);
    for (int i = 0; i < 3 * n; i++)
        x[i] = (float)rand() / RAND_MAX + (i < 2 * n ? 0 : -1); /* c is negative: it cancels most of a * b */
    CHECK(cudaMemcpy(device_x, x, 3 * n * sizeof *x, cudaMemcpyHostToDevice));
    int wrong = 0;
    for (int f = 0; f < FORMS; f++) {
        evaluate<<<n / 256, 256>>>(device_x, device_y, n, (form)f);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(y, device_y, n * sizeof *y, cudaMemcpyDeviceToHost));
        int differ = 0;
        long long most = 0;
        for (int i = 0; i < n; i++) {
            long long ulp = distance(y[i], on_host((form)f, x[i], x[n + i], x[2 * n + i]));
            differ += ulp > 0, most = ulp > most ? ulp : most;
        }
        printf("%-21s %7d of %d differ, by %lld ulp at most\n", names[f], differ, n, most);
        gpulab_result("share_different", (double)differ / n, "1", "form=%d", f);
        wrong += exact[f] && differ > 0;
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the end of the process frees everything */
}
