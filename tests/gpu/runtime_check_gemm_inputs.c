/* Checks of the plans that fill and compare matrices: integers and normally distributed numbers of every type,
 * row-major and column-major; the exact product; the comparison, with deliberately wrong elements. All results are
 * compared with the same computation on this CPU.
 */
#include "runtime_check.h"

#include "runtime/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed = 0xA1B2C3D4E5F60718u;
static const char *const type_names[LAB_GEMM_TYPES] = {"fp32", "fp64", "tf32", "bf16", "fp16", "fp8"};

/* The largest number of bits of an integer that the type represents exactly. */
static const int significant_bits[LAB_GEMM_TYPES] = {24, 53, 24, 8, 11, 4};

/* --- numbers of every type, on the CPU ---------------------------------------------------------------------------- */

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? fraction == 0 ? INFINITY : NAN
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 != 0 ? -size : size;
}

/* e4m3: 4 bits of exponent, 3 of fraction, no infinity. */
static double fp8_to_double(uint8_t bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double size = exponent == 15 && fraction == 7 ? NAN
                  : exponent == 0                 ? ldexp(fraction, -9)
                                                  : ldexp(8 + fraction, exponent - 10);
    return bits >> 7 != 0 ? -size : size;
}

/* Converts an integer to fp16. The integer is one that fp16 represents exactly, or too large for fp16 (infinity). */
static uint16_t double_to_half(double whole)
{
    uint16_t sign = signbit(whole) ? 0x8000 : 0;
    double size = fabs(whole);
    if (size > 65504)
        return sign | 0x7C00;
    if (size < 1)
        return sign;
    int exponent;
    double fraction = frexp(size, &exponent); /* from 0.5 to below 1 */
    return (uint16_t)(sign | (exponent + 14) << 10 | ((int)ldexp(fraction, 11) - 1024));
}

static double element(enum lab_gemm_type type, const void *matrix, size_t i)
{
    switch (type) {
    case LAB_GEMM_FP64:
        return ((const double *)matrix)[i];
    case LAB_GEMM_FP16:
        return half_to_double(((const uint16_t *)matrix)[i]);
    case LAB_GEMM_FP8:
        return fp8_to_double(((const uint8_t *)matrix)[i]);
    case LAB_GEMM_BF16: {
        uint32_t bits = (uint32_t)((const uint16_t *)matrix)[i] << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    default:
        return (double)((const float *)matrix)[i];
    }
}

/* Rounds to the nearest integer with `bits` significant bits, ties to even. */
static double nearest_whole(int32_t value, int bits)
{
    double size = fabs((double)value), step = 1;
    while (size / step >= ldexp(1, bits))
        step *= 2;
    double rounded = nearbyint(size / step) * step; /* the CPU rounds to nearest even */
    return value < 0 ? -rounded : rounded;
}

static void set_element(enum lab_gemm_type type, void *matrix, size_t i, int32_t value)
{
    double rounded = nearest_whole(value, significant_bits[type]);
    float single = (float)rounded;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (type == LAB_GEMM_FP64)
        ((double *)matrix)[i] = rounded;
    else if (type == LAB_GEMM_FP16)
        ((uint16_t *)matrix)[i] = double_to_half(rounded);
    else if (type == LAB_GEMM_BF16)
        ((uint16_t *)matrix)[i] = (uint16_t)(bits >> 16);
    else
        ((float *)matrix)[i] = single;
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

enum { ROWS = 301, COLUMNS = 257, COUNT = ROWS * COLUMNS };

/* Fills a matrix. Returns false if the device does not support the type or the fill failed. */
static bool fill(struct fixture *fixture, struct lab_gemm_fill what)
{
    struct lab_plan *plan = fixture->runtime->gemm->prepare_fill(fixture->device, &what);
    if (plan != NULL)
        return perform_plan(fixture, plan);
    expect(fixture, fixture->device->error.code == LAB_ERROR_UNSUPPORTED && what.type != LAB_GEMM_FP32,
           "filling a matrix of %s must succeed or be \"unsupported\": %s", type_names[what.type],
           fixture->device->error.detail);
    return false;
}

static void check_small_ints(struct fixture *fixture, const struct lab_gemm_fill *what, const void *image)
{
    size_t wrong = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            wrong += element(what->type, image, what->column_major ? c * ROWS + r : r * COLUMNS + c) !=
                     (double)lab_pattern_small_int(r * COLUMNS + c, seed);
    expect(fixture, wrong == 0, "small integers, %s, %s: %zu of %d wrong", type_names[what->type],
           what->column_major ? "column-major" : "row-major", wrong, COUNT);
}

/* Each number must equal the CPU's, except for the last bits of logarithm and cosine and for rounding. Together they
 * must be normally distributed. */
static void check_normals(struct fixture *fixture, const struct lab_gemm_fill *what, const void *image)
{
    size_t wrong = 0;
    double sum = 0, squares = 0, least = what->type == LAB_GEMM_FP8 ? ldexp(1, -10) : 1e-5; /* error of small numbers */
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            double found = element(what->type, image, what->column_major ? c * ROWS + r : r * COLUMNS + c);
            double right = (double)lab_pattern_normal(r * COLUMNS + c, seed);
            wrong += !(fabs(found - right) <= fabs(right) * ldexp(1, -significant_bits[what->type]) + least);
            sum += found;
            squares += found * found;
        }
    double mean = sum / COUNT, variance = squares / COUNT - mean * mean;
    expect(fixture, wrong == 0, "normal numbers, %s, %s: %zu of %d wrong", type_names[what->type],
           what->column_major ? "column-major" : "row-major", wrong, COUNT);
    expect(fixture, fabs(mean) < 0.02 && fabs(variance - 1) < 0.03,
           "normal numbers, %s, must have mean 0 and variance 1, not %g and %g", type_names[what->type], mean,
           variance);
}

static void check_fills(struct fixture *fixture, void *matrix, void *image, enum lab_gemm_type type)
{
    size_t bytes = COUNT * lab_gemm_element_bytes(type);
    for (int column_major = 0; column_major < 2; column_major++)
        for (int content = LAB_GEMM_NORMAL; content <= LAB_GEMM_POISON; content++) {
            struct lab_gemm_fill what = {.type = type,
                                         .content = (enum lab_gemm_content)content,
                                         .rows = ROWS,
                                         .columns = COLUMNS,
                                         .column_major = column_major != 0,
                                         .seed = seed,
                                         .matrix = matrix};
            memset(image, 0, bytes);
            if (!write_memory(fixture, LAB_MEMORY_DEVICE, matrix, image, bytes) || !fill(fixture, what) ||
                !read_memory(fixture, LAB_MEMORY_DEVICE, image, matrix, bytes))
                return;
            size_t set = 0;
            for (size_t i = 0; i < bytes; i++)
                set += ((unsigned char *)image)[i] == 0xFF;
            if (content == LAB_GEMM_SMALL_INTS)
                check_small_ints(fixture, &what, image);
            else if (content == LAB_GEMM_NORMAL)
                check_normals(fixture, &what, image);
            else
                expect(fixture, set == bytes, "poison, %s: only %zu of %zu bytes are 0xFF", type_names[type], set,
                       bytes);
        }
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

/* The number of wrong elements; UINT64_MAX if the comparison failed. */
static uint64_t count_wrong(struct fixture *fixture, enum lab_gemm_type type, const void *c, const int32_t *product)
{
    uint64_t wrong = UINT64_MAX;
    struct lab_gemm_compare what = {.type = type, .count = COUNT, .c = c, .product = product, .wrong = &wrong};
    if (!perform_plan(fixture, fixture->runtime->gemm->prepare_compare(fixture->device, &what)))
        return UINT64_MAX;
    return wrong;
}

/* Element i of the exact product in check_rounding: integers of every magnitude, so that each type must round, with
 * ties and values that are too large for fp16. */
static int32_t product_element(size_t i)
{
    static const int32_t ties[] = {257, 259, 2049, 2051, 65519, 65520, 16777217, 16777219, INT32_MAX, -INT32_MAX};
    if (i < sizeof ties / sizeof *ties)
        return ties[i];
    int32_t size = (int32_t)(lab_pattern_word(i, seed) >> (1 + i % 30));
    return i % 2 == 0 ? size : -size;
}

static void check_rounding(struct fixture *fixture, enum lab_gemm_type type, void *matrix, void *image,
                           int32_t *product)
{
    size_t bytes = COUNT * lab_gemm_element_bytes(type), changed[] = {0, COUNT / 2, COUNT - 1};
    unsigned char *first = image;
    int32_t *numbers = malloc(COUNT * sizeof *numbers);
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = product_element(i);
        set_element(type, image, i, numbers[i]);
    }
    bool written = write_memory(fixture, LAB_MEMORY_DEVICE, product, numbers, COUNT * sizeof *numbers) &&
                   write_memory(fixture, LAB_MEMORY_DEVICE, matrix, image, bytes);
    free(numbers);
    if (!written)
        return;
    uint64_t wrong = count_wrong(fixture, type, matrix, product);
    expect(fixture, wrong == 0, "compare, %s: %llu values that the CPU rounded count as wrong", type_names[type],
           (unsigned long long)wrong);

    for (size_t i = 0; i < 3; i++) {
        first[changed[i] * lab_gemm_element_bytes(type)] ^= 1; /* the last bit of the element's fraction */
        if (!write_memory(fixture, LAB_MEMORY_DEVICE, matrix, image, bytes))
            return;
        wrong = count_wrong(fixture, type, matrix, product);
        expect(fixture, wrong == i + 1, "compare, %s: counts %llu wrong elements of %zu", type_names[type],
               (unsigned long long)wrong, i + 1);
    }
}

static void check_finite(struct fixture *fixture, enum lab_gemm_type type, void *matrix, const int32_t *product)
{
    struct lab_gemm_fill what = {type, LAB_GEMM_NORMAL, ROWS, COLUMNS, false, seed, matrix};
    uint64_t wrong;
    static const uint64_t nan_bits = UINT64_MAX;
    if (!fill(fixture, what))
        return;
    wrong = count_wrong(fixture, type, matrix, NULL);
    expect(fixture, wrong == 0, "compare, %s: %llu normal numbers count as not finite", type_names[type],
           (unsigned long long)wrong);
    size_t bytes = lab_gemm_element_bytes(type);
    if (!write_memory(fixture, LAB_MEMORY_DEVICE, (unsigned char *)matrix + (COUNT - 1) * bytes, &nan_bits, bytes))
        return;
    wrong = count_wrong(fixture, type, matrix, NULL);
    expect(fixture, wrong == 1, "compare, %s: counts %llu elements that are not finite, but there is 1",
           type_names[type], (unsigned long long)wrong);

    what.content = LAB_GEMM_POISON;
    if (!fill(fixture, what))
        return;
    wrong = count_wrong(fixture, type, matrix, NULL);
    expect(fixture, wrong == COUNT, "compare, %s: counts %llu of %d poisoned elements", type_names[type],
           (unsigned long long)wrong, COUNT);
    wrong = count_wrong(fixture, type, matrix, product);
    expect(fixture, wrong == COUNT, "compare with the product, %s: counts %llu of %d poisoned elements",
           type_names[type], (unsigned long long)wrong, COUNT);
}

/* --- expected ----------------------------------------------------------------------------------------------------- */

static void check_expected(struct fixture *fixture, size_t m, size_t n, size_t k)
{
    const struct lab_runtime *r = fixture->runtime;
    void *product = NULL;
    size_t bytes = m * n * sizeof(int32_t), wrong = 0;
    int32_t *image = malloc(bytes);
    struct lab_gemm_expected what = {.m = m, .n = n, .k = k, .seed_a = seed, .seed_b = ~seed};
    if (!expect_call(fixture, r->allocate(fixture->device, LAB_MEMORY_DEVICE, bytes, &product), "allocate"))
        goto out;
    what.product = product;
    memset(image, 0xEE, bytes);
    if (!write_memory(fixture, LAB_MEMORY_DEVICE, product, image, bytes) ||
        !perform_plan(fixture, r->gemm->prepare_expected(fixture->device, &what)) ||
        !read_memory(fixture, LAB_MEMORY_DEVICE, image, product, bytes))
        goto out;
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            int32_t sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += lab_pattern_small_int(row * k + i, seed) * lab_pattern_small_int(i * n + column, ~seed);
            wrong += image[row * n + column] != sum;
        }
    expect(fixture, wrong == 0, "the exact product of %zu x %zu x %zu: %zu wrong", m, n, k, wrong);
out:
    r->free(fixture->device, LAB_MEMORY_DEVICE, product);
    free(image);
}

void check_gemm_inputs(struct fixture *fixture)
{
    static const size_t shapes[][3] = {{1, 1, 1},   {3, 5, 7},     {1, 300, 2},    {300, 1, 5},
                                       {2, 3, 999}, {64, 128, 32}, {127, 129, 65}, {130, 257, 33}};
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    void *matrix = NULL, *product = NULL, *image = malloc(COUNT * sizeof(double));
    if (r->gemm != NULL && expect_call(fixture,
                                       r->allocate(d, LAB_MEMORY_DEVICE, COUNT * sizeof(double), &matrix) &&
                                           r->allocate(d, LAB_MEMORY_DEVICE, COUNT * sizeof(int32_t), &product),
                                       "allocate")) {
        for (int type = 0; type < LAB_GEMM_TYPES && !d->lost; type++) {
            struct lab_gemm_fill probe = {.type = (enum lab_gemm_type)type, .rows = 1, .columns = 1, .matrix = matrix};
            if (!fill(fixture, probe))
                continue;
            check_fills(fixture, matrix, image, probe.type);
            if (lab_gemm_result_type(probe.type) != probe.type) /* no product has it */
                continue;
            check_rounding(fixture, probe.type, matrix, image, product);
            check_finite(fixture, probe.type, matrix, product);
        }
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && !d->lost; s++)
            check_expected(fixture, shapes[s][0], shapes[s][1], shapes[s][2]);
    }
    r->free(d, LAB_MEMORY_DEVICE, product);
    r->free(d, LAB_MEMORY_DEVICE, matrix);
    free(image);
}
