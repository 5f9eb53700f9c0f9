/* The functions of the C library for host devices: each core evaluates them as the threads of a GPU do. */
#include "benchmark/check.h"
#include "intrinsics.h"

// region loop
/* A core takes the places of a part of the threads, one after the other. `zero` is 0, which the compiler does not know,
 * so every evaluation is done. */
#define KERNEL(name, function)                                                                                         \
    LAB_HOST_KERNEL(name)                                                                                              \
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
// end

// steps use intrinsics.h:arguments, loop

// region sin "sinf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_sin_standard, sinf(x[k]))
// end

// region tan "tanf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_tan_standard, tanf(x[k]))
// end

// region exp "expf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_exp_standard, expf(x[k]))
// end

// region log "logf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_log_standard, logf(x[k]))
// end

// region pow "powf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_pow_standard, powf(x[k], y[k]))
// end

// region sqrt "sqrtf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_sqrt_standard, sqrtf(x[k]))
// end

// region rsqrt "rsqrtf"
/* The function of the C library, on each core. */
KERNEL(intrinsics_rsqrt_standard, 1 / sqrtf(x[k]))
// end

// region divide "y / x"
/* The function of the C library, on each core. */
KERNEL(intrinsics_divide_standard, y[k] / x[k])
// end

// steps use intrinsics.h:terms, loop

// region polynomial
KERNEL(intrinsics_polynomial_standard, INTRINSICS_POLYNOMIAL_OF(x[k]))
// end

// region underflow
KERNEL(intrinsics_underflow_standard, INTRINSICS_UNDERFLOW_OF(x[k]))
// end

LAB_FILL_HOST(intrinsics_fill, intrinsics_input)

LAB_HOST_KERNEL(intrinsics_check)
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
