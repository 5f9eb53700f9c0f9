/* Elementary functions: of the standard library, correct to the last bits, and the fast ones of the special function
 * units. */
#include "benchmark/check.h"
#include "intrinsics.h"

// region loop
/* A thread evaluates f of the same 4 arguments again and again. The next argument is the last one plus `zero` times the
 * value; the compiler does not know that `zero` is 0, so it can neither leave out an evaluation nor move it out of the
 * loop. */
template <class F>
static __device__ __forceinline__ void evaluate(const float *xs, const float *ys, float *values, uint32_t evaluations,
                                                float zero, F f)
{
    uint32_t threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[INTRINSICS_CHAINS], y[INTRINSICS_CHAINS], value[INTRINSICS_CHAINS] = {};
    for (int k = 0; k < INTRINSICS_CHAINS; k++) {
        x[k] = xs[i + k * threads];
        y[k] = ys[i + k * threads];
    }
#pragma unroll 1
    for (uint32_t n = 0; n < evaluations; n++)
#pragma unroll
        for (int k = 0; k < INTRINSICS_CHAINS; k++) {
            value[k] = f(x[k], y[k]);
            x[k] = fmaf(value[k], zero, x[k]);
        }
    for (int k = 0; k < INTRINSICS_CHAINS; k++)
        values[i + k * threads] = value[k];
}

#define KERNEL(name, function)                                                                                         \
    extern "C" __global__ void __maxnreg__(32)                                                                         \
        intrinsics_##name(const float *xs, const float *ys, float *values, uint32_t evaluations, float zero)           \
    {                                                                                                                  \
        evaluate(xs, ys, values, evaluations, zero, [](float x, float y) { return function; });                        \
    }
// end

/* The two functions that have no intrinsic of their own, as -use_fast_math compiles sqrtf and rsqrtf. */
// region approximate
static __device__ __forceinline__ float approximate_sqrt(float x)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

static __device__ __forceinline__ float approximate_rsqrt(float x)
{
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}
// end

// steps use intrinsics.h:arguments, loop

// region sin "sinf and __sinf on [-pi, pi]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(sin_standard, sinf(x))
KERNEL(sin_fast, __sinf(x))
// end

// region tan "tanf and __tanf on [-pi/4, pi/4]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(tan_standard, tanf(x))
KERNEL(tan_fast, __tanf(x))
// end

// region exp "expf and __expf on [-10, 10]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(exp_standard, expf(x))
KERNEL(exp_fast, __expf(x))
// end

// region log "logf and __logf on [1/16, 16]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(log_standard, logf(x))
KERNEL(log_fast, __logf(x))
// end

// region pow "powf and __powf, x^y for x on [0.5, 1.5] and y on [-4, 4]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(pow_standard, powf(x, y))
KERNEL(pow_fast, __powf(x, y))
// end

// region sqrt "sqrtf and sqrt.approx on [1/16, 16]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(sqrt_standard, sqrtf(x))
KERNEL(sqrt_fast, approximate_sqrt(x))
// end

// region rsqrt "rsqrtf (1 / sqrt) and rsqrt.approx on [1/16, 16]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(rsqrt_standard, rsqrtf(x))
KERNEL(rsqrt_fast, approximate_rsqrt(x))
// end

// region divide "y / x and __fdividef for x on [1/16, 16]"
/* The kernel is the same; only the function that it evaluates differs. */
KERNEL(divide_standard, y / x)
KERNEL(divide_fast, __fdividef(y, x))
// end

// steps use intrinsics.h:terms, loop

// region polynomial "8 terms of exp on [-1, 1] by Horner's scheme, no fast version"
/* A product and an addition for each term, which the compiler makes one instruction that rounds once (FMA), unless
 * -fmad=false forbids it. */
KERNEL(polynomial_standard, INTRINSICS_POLYNOMIAL_OF(x))
// end

// region underflow "A product below 2^-126, the smallest normal float, no fast version"
/* A product with fewer digits than a normal float has, which -ftz=true makes 0. */
KERNEL(underflow_standard, INTRINSICS_UNDERFLOW_OF(x))
// end

LAB_FILL_KERNEL(intrinsics_fill, intrinsics_input)

/* Compares every value with the function in double precision; `ulps` and `absolute` are the bits of the largest errors
 * that are allowed. */
extern "C" __global__ void intrinsics_check(const float *values, uint64_t count, uint64_t seed, uint64_t function,
                                            uint64_t ulps, uint64_t absolute, struct lab_check_result *of_check)
{
    double ulps_max = intrinsics_bits_double(ulps), absolute_max = intrinsics_bits_double(absolute), largest = 0;
    unsigned long long wrong = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        struct intrinsics_error error = intrinsics_error_of(values[i], i, seed, function);
        wrong += intrinsics_is_wrong(error, ulps_max, absolute_max);
        largest = fmax(largest, error.ulps);
    }
    atomicMax(&of_check->error, intrinsics_double_bits(largest));
    if (wrong > 0)
        atomicAdd(&of_check->wrong, wrong);
}
