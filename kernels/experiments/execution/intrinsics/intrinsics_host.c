/* The functions of the C library for host devices: each core evaluates them as the threads of a GPU do. */
#include "benchmark/check.h"
#include "intrinsics.h"

// region loop
/* A core takes the places of a part of the threads, one after the other. `zero` is 0, which the compiler does not know, so
 * every evaluation is done. */
#define KERNEL(name, function)                                                                                         \
    static void name##_standard(const struct lab_host_part *part, const struct lab_argument *arguments)                \
    {                                                                                                                  \
        const float *xs = arguments[0].pointer, *ys = arguments[1].pointer;                                            \
        float *values = arguments[2].pointer, zero = arguments[4].f32;                                                 \
        uint64_t begin, end, count = (uint64_t)part->launch->grid[0] * INTRINSICS_CHAINS;                              \
        lab_host_part_range(part, count, INTRINSICS_CHAINS, &begin, &end);                                             \
        for (uint64_t i = begin; i < end; i += INTRINSICS_CHAINS) {                                                    \
            float x[INTRINSICS_CHAINS];                                                                                \
            const float *y = ys + i;                                                                                   \
            memcpy(x, xs + i, sizeof x);                                                                               \
            (void)y;                                                                                                   \
            for (uint32_t n = 0; n < arguments[3].u32; n++)                                                            \
                for (size_t k = 0; k < INTRINSICS_CHAINS; k++) {                                                       \
                    float value = function;                                                                            \
                    x[k] += value * zero;                                                                              \
                    values[i + k] = value;                                                                             \
                }                                                                                                      \
        }                                                                                                              \
    }
// end loop

// region sin
KERNEL(sin, sinf(x[k]))
// end sin

// region tan
KERNEL(tan, tanf(x[k]))
// end tan

// region exp
KERNEL(exp, expf(x[k]))
// end exp

// region log
KERNEL(log, logf(x[k]))
// end log

// region pow
KERNEL(pow, powf(x[k], y[k]))
// end pow

// region sqrt
KERNEL(sqrt, sqrtf(x[k]))
// end sqrt

// region rsqrt
KERNEL(rsqrt, 1 / sqrtf(x[k]))
// end rsqrt

// region divide
KERNEL(divide, y[k] / x[k])
// end divide

// region polynomial
KERNEL(polynomial, INTRINSICS_POLYNOMIAL_OF(x[k]))
// end polynomial

// region underflow
KERNEL(underflow, INTRINSICS_UNDERFLOW_OF(x[k]))
// end underflow

LAB_FILL_HOST(fill, intrinsics_input)

static void check(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *values = arguments[0].pointer;
    struct lab_check_result *of_check = arguments[6].pointer;
    double ulps_max = intrinsics_bits_double(arguments[4].u64), absolute_max = intrinsics_bits_double(arguments[5].u64);
    double largest = 0;
    unsigned long long wrong = 0;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[1].u64, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        struct intrinsics_error error = intrinsics_error_of(values[i], i, arguments[2].u64, arguments[3].u64);
        wrong += intrinsics_is_wrong(error, ulps_max, absolute_max);
        largest = fmax(largest, error.ulps);
    }
    lab_check_raise_error(of_check, largest);
    __atomic_fetch_add(&of_check->wrong, wrong, __ATOMIC_RELAXED);
}

extern const struct lab_host_kernel intrinsics_host_kernels[];
const struct lab_host_kernel intrinsics_host_kernels[] = {
    {"intrinsics_sin_standard", sin_standard},
    {"intrinsics_tan_standard", tan_standard},
    {"intrinsics_exp_standard", exp_standard},
    {"intrinsics_log_standard", log_standard},
    {"intrinsics_pow_standard", pow_standard},
    {"intrinsics_sqrt_standard", sqrt_standard},
    {"intrinsics_rsqrt_standard", rsqrt_standard},
    {"intrinsics_divide_standard", divide_standard},
    {"intrinsics_polynomial_standard", polynomial_standard},
    {"intrinsics_underflow_standard", underflow_standard},
    {"intrinsics_fill", fill},
    {"intrinsics_check", check},
    {NULL, NULL},
};
