/* The functions of intrinsics, their arguments and the errors of their results, compiled for device and host. */
#ifndef LAB_INTRINSICS_H
#define LAB_INTRINSICS_H

#include "runtime/pattern.h"

#include <stdbool.h>

/* In the order of the parameter's choices. */
enum {
    INTRINSICS_SIN,
    INTRINSICS_TAN,
    INTRINSICS_EXP,
    INTRINSICS_LOG,
    INTRINSICS_POW,
    INTRINSICS_SQRT,
    INTRINSICS_RSQRT,
    INTRINSICS_DIVIDE,
    INTRINSICS_POLYNOMIAL,
    INTRINSICS_UNDERFLOW
};

// region arguments
enum { INTRINSICS_EVALUATIONS = 512, INTRINSICS_CHAINS = 4 }; /* of each argument; arguments of a thread */

/* Argument `i`, random in the range in which the error of the fast version is documented. */
LAB_HOST_DEVICE float intrinsics_x(uint64_t i, uint64_t seed, uint64_t function)
{
    float u = lab_pattern_float(i, seed);
    switch (function) {
    case INTRINSICS_SIN:
        return (2 * u - 1) * 3.1415925f;
    case INTRINSICS_TAN:
        return (2 * u - 1) * 0.785398f;
    case INTRINSICS_EXP:
        return (2 * u - 1) * 10;
    case INTRINSICS_POW:
        return u + 0.5f;
    case INTRINSICS_POLYNOMIAL:
        return 2 * u - 1;
    case INTRINSICS_UNDERFLOW:
        return (u + 0.0625f) * 0x1p-118f;
    default: /* logarithm, roots, divisor */
        return 16 * u + 0.0625f;
    }
}

/* The second argument: the exponent of a power, the dividend of a division. */
LAB_HOST_DEVICE float intrinsics_y(uint64_t i, uint64_t seed, uint64_t function)
{
    float u = lab_pattern_float(i, seed);
    return function == INTRINSICS_POW ? 8 * u - 4 : 2 * u - 1;
}
// end

/* The inputs: parameters[0] is the function, parameters[1] is 0 for x and 1 for y. */
LAB_HOST_DEVICE uint32_t intrinsics_input(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return lab_float_bits(parameters[1] == 0 ? intrinsics_x(i, seed, parameters[0])
                                             : intrinsics_y(i, seed, parameters[0]));
}

// region terms
/* The first terms of the exponential series, from the largest power on, with coefficients that are floats. */
#define INTRINSICS_POLYNOMIAL_OF(x)                                                                                    \
    (((((((1.0f / 5040 * (x) + 1.0f / 720) * (x) + 1.0f / 120) * (x) + 1.0f / 24) * (x) + 1.0f / 6) * (x) + 0.5f) *    \
          (x) +                                                                                                        \
      1.0f) *                                                                                                          \
         (x) +                                                                                                         \
     1.0f)

/* Turns the smallest floats into subnormal ones, which have fewer digits. */
#define INTRINSICS_UNDERFLOW_OF(x) ((x)*0x1p-9f)
// end

LAB_HOST_DEVICE double intrinsics_exact(double x, double y, uint64_t function)
{
    switch (function) {
    case INTRINSICS_SIN:
        return sin(x);
    case INTRINSICS_TAN:
        return tan(x);
    case INTRINSICS_EXP:
        return exp(x);
    case INTRINSICS_LOG:
        return log(x);
    case INTRINSICS_POW:
        return pow(x, y);
    case INTRINSICS_SQRT:
        return sqrt(x);
    case INTRINSICS_RSQRT:
        return 1 / sqrt(x);
    case INTRINSICS_POLYNOMIAL:
        return INTRINSICS_POLYNOMIAL_OF(x);
    case INTRINSICS_UNDERFLOW:
        return INTRINSICS_UNDERFLOW_OF(x);
    default:
        return y / x;
    }
}

/* The error of a result, absolute and in units in the last place (ulp) of a float of its size. */
struct intrinsics_error {
    double absolute, ulps;
};

/* The error of result `i`, compared with the function in double precision. */
LAB_HOST_DEVICE struct intrinsics_error intrinsics_error_of(float result, uint64_t i, uint64_t seed, uint64_t function)
{
    enum { MANTISSA_BITS = 23, EXPONENT_MIN = -126 };
    double exact = intrinsics_exact(intrinsics_x(i, seed, function), intrinsics_y(i, seed + 1, function), function);
    int exponent = exact != 0 ? ilogb(exact) : EXPONENT_MIN;
    struct intrinsics_error error;
    error.absolute = fabs(result - exact);
    error.ulps = ldexp(error.absolute, MANTISSA_BITS - (exponent > EXPONENT_MIN ? exponent : EXPONENT_MIN));
    return error;
}

/* Whether a result is wrong: beyond both bounds, or not a number. */
LAB_HOST_DEVICE bool intrinsics_is_wrong(struct intrinsics_error error, double ulps_max, double absolute_max)
{
    return !(error.ulps <= ulps_max) && !(error.absolute <= absolute_max);
}

LAB_HOST_DEVICE double intrinsics_bits_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LAB_HOST_DEVICE uint64_t intrinsics_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
