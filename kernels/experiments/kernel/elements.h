/* The elements of an own kernel's buffers: their types and contents, compiled for device and host. */
#ifndef LAB_KERNEL_ELEMENTS_H
#define LAB_KERNEL_ELEMENTS_H

#include "runtime/pattern.h"

#include <stdbool.h>

enum kernel_type {
    KERNEL_FP16,
    KERNEL_BF16,
    KERNEL_FP32,
    KERNEL_FP64,
    KERNEL_I8,
    KERNEL_I16,
    KERNEL_I32,
    KERNEL_I64,
    KERNEL_U8,
    KERNEL_U16,
    KERNEL_U32,
    KERNEL_U64,
    KERNEL_TYPES
};

/* zero; ramp: element i is i, modulo the first power of two that the type does not represent exactly with all integers
 * below it; random: floats in [0, 1), integers of all bits; value: one value; data: given ones, which no function here
 * knows; secret, which no request can have: as random, but the seed cannot be computed from elements. */
enum kernel_content {
    KERNEL_ZERO,
    KERNEL_RAMP,
    KERNEL_RANDOM,
    KERNEL_VALUE,
    KERNEL_DATA,
    KERNEL_CONTENTS,
    KERNEL_SECRET = KERNEL_CONTENTS
};

/* What fills a buffer. */
struct kernel_fill {
    uint32_t type, content;
    uint64_t seed;
    uint64_t value; /* KERNEL_VALUE: the bits of an element */
};

LAB_HOST_DEVICE uint32_t kernel_type_bytes(uint32_t type)
{
    return type == KERNEL_FP32                          ? 4
           : type == KERNEL_FP64                        ? 8
           : type == KERNEL_FP16 || type == KERNEL_BF16 ? 2
           : (type - KERNEL_I8) % 4 == 0                ? 1
           : (type - KERNEL_I8) % 4 == 1                ? 2
           : (type - KERNEL_I8) % 4 == 2                ? 4
                                                        : 8;
}

LAB_HOST_DEVICE bool kernel_type_is_float(uint32_t type)
{
    return type <= KERNEL_FP64;
}

/* --- conversions -------------------------------------------------------------------------------------------------- */

/* Rounds to the nearest fp16, to the even one of two. */
LAB_HOST_DEVICE uint32_t kernel_half_bits(float value)
{
    uint32_t bits = lab_float_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x47800000) /* 65536 and more, infinity, NaN */
        return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
    if (magnitude < 0x38800000) /* subnormal: multiples of 2^-24 */
        return sign | (uint32_t)rintf(fabsf(value) * 16777216.0f);
    return sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
}

LAB_HOST_DEVICE uint32_t kernel_bfloat_bits(float value)
{
    uint32_t bits = lab_float_bits(value);
    return value != value ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

LAB_HOST_DEVICE uint64_t kernel_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of a value as an element; integers are cut. */
LAB_HOST_DEVICE uint64_t kernel_bits_of(uint32_t type, double value)
{
    switch (type) {
    case KERNEL_FP16:
        return kernel_half_bits((float)value);
    case KERNEL_BF16:
        return kernel_bfloat_bits((float)value);
    case KERNEL_FP32:
        return lab_float_bits((float)value);
    case KERNEL_FP64:
        return kernel_double_bits(value);
    default:
        return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    }
}

LAB_HOST_DEVICE float kernel_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of a float's bits. */
LAB_HOST_DEVICE double kernel_value_of(uint32_t type, uint64_t bits)
{
    double value;
    if (type == KERNEL_FP64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == KERNEL_FP32)
        return kernel_float_of((uint32_t)bits);
    if (type == KERNEL_BF16)
        return kernel_float_of((uint32_t)bits << 16);
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    value = exponent == 31  ? (fraction > 0 ? (double)NAN : (double)INFINITY)
            : exponent == 0 ? ldexp(fraction, -24)
                            : ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

/* The bits of element `i` of a buffer; those above its size are 0. */
LAB_HOST_DEVICE uint64_t kernel_load(const void *buffer, uint32_t type, uint64_t i)
{
    switch (kernel_type_bytes(type)) {
    case 1:
        return ((const uint8_t *)buffer)[i];
    case 2:
        return ((const uint16_t *)buffer)[i];
    case 4:
        return ((const uint32_t *)buffer)[i];
    default:
        return ((const uint64_t *)buffer)[i];
    }
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

LAB_HOST_DEVICE uint64_t kernel_ramp(uint32_t type, uint64_t i)
{
    uint64_t exact = type == KERNEL_FP16   ? UINT64_C(1) << 11
                     : type == KERNEL_BF16 ? UINT64_C(1) << 8
                     : type == KERNEL_FP32 ? UINT64_C(1) << 24
                                           : UINT64_C(1) << 53;
    return kernel_type_is_float(type) ? kernel_bits_of(type, (double)(i % exact)) : i;
}

LAB_HOST_DEVICE uint64_t kernel_random(uint32_t type, uint64_t i, uint64_t seed)
{
    if (kernel_type_is_float(type))
        return kernel_bits_of(type, (double)lab_pattern_float(i, seed));
    return (uint64_t)lab_pattern_word(i, ~seed) << 32 | lab_pattern_word(i, seed);
}

/* Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), the first two words of which are
 * used. The words of one index tell nothing of the seed, nor of those of another, that could be computed. */
LAB_HOST_DEVICE uint64_t kernel_secret(uint32_t type, uint64_t i, uint64_t seed)
{
    uint32_t a = (uint32_t)i, b = (uint32_t)(i >> 32), c = 0, d = 0;
    uint32_t key = (uint32_t)seed, other_key = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t left = (uint64_t)0xD2511F53u * a, right = (uint64_t)0xCD9E8D57u * c;
        a = (uint32_t)(right >> 32) ^ b ^ key;
        b = (uint32_t)right;
        c = (uint32_t)(left >> 32) ^ d ^ other_key;
        d = (uint32_t)left;
        key += 0x9E3779B9u;
        other_key += 0xBB67AE85u;
    }
    if (kernel_type_is_float(type))
        return kernel_bits_of(type, (double)(a >> 8) * (1.0 / 16777216));
    return (uint64_t)b << 32 | a;
}

LAB_HOST_DEVICE uint64_t kernel_content_bits(const struct kernel_fill *fill, uint64_t i)
{
    return fill->content == KERNEL_RAMP     ? kernel_ramp(fill->type, i)
           : fill->content == KERNEL_RANDOM ? kernel_random(fill->type, i, fill->seed)
           : fill->content == KERNEL_SECRET ? kernel_secret(fill->type, i, fill->seed)
           : fill->content == KERNEL_VALUE  ? fill->value
                                            : 0;
}

LAB_HOST_DEVICE void kernel_store(void *buffer, const struct kernel_fill *fill, uint64_t i)
{
    uint64_t bits = kernel_content_bits(fill, i);
    switch (kernel_type_bytes(fill->type)) {
    case 1:
        ((uint8_t *)buffer)[i] = (uint8_t)bits;
        break;
    case 2:
        ((uint16_t *)buffer)[i] = (uint16_t)bits;
        break;
    case 4:
        ((uint32_t *)buffer)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)buffer)[i] = bits;
    }
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

/* Whether two elements are equal: integers bitwise; floats up to tolerance * max(1, |expected|), or both NaN. */
LAB_HOST_DEVICE bool kernel_equal(uint32_t type, uint64_t found, uint64_t expected, double tolerance)
{
    if (found == expected || !kernel_type_is_float(type))
        return found == expected;
    double a = kernel_value_of(type, found), b = kernel_value_of(type, expected);
    return (a != a && b != b) || fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
}

#endif
