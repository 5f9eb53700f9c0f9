/* Checks of what products are made of and held against: matrices of digits and of normal numbers, in every type and both
 * ways to lie; the exact product; the comparison, with errors planted. All against this CPU's own arithmetic.
 */
#include "runtime_check.h"

#include "runtime/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed = 0xA1B2C3D4E5F60718u;
static const char *const type_names[LAB_GEMM_TYPES] = {"fp32", "fp64", "tf32", "bf16", "fp16"};

/* How many bits a whole number may have to be exact. */
static const int significant_bits[LAB_GEMM_TYPES] = {24, 53, 24, 8, 11};

/* --- numbers of every type, on the CPU ---------------------------------------------------------------------------- */

static double of_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? fraction == 0 ? INFINITY : NAN
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 != 0 ? -size : size;
}

/* Of a whole number that has no more bits than fit, or is too large. */
static uint16_t to_half(double whole)
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
        return of_half(((const uint16_t *)matrix)[i]);
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

/* The whole number of so many bits that is nearest, of two the even one. */
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
        ((uint16_t *)matrix)[i] = to_half(rounded);
    else if (type == LAB_GEMM_BF16)
        ((uint16_t *)matrix)[i] = (uint16_t)(bits >> 16);
    else
        ((float *)matrix)[i] = single;
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

enum { ROWS = 301, COLUMNS = 257, COUNT = ROWS * COLUMNS };

/* False where the device has no such type. */
static bool fill(struct bench *bench, struct lab_gemm_fill what)
{
    struct lab_plan *plan = bench->runtime->gemm->prepare_fill(bench->device, &what);
    if (plan != NULL)
        return perform_plan(bench, plan);
    expect(bench, strcmp(bench->device->error.code, "unsupported") == 0 && what.type != LAB_GEMM_FP32, "fill, %s: %s",
           type_names[what.type], bench->device->error.detail);
    return false;
}

static void check_digits(struct bench *bench, const struct lab_gemm_fill *what, const void *image)
{
    size_t wrong = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            wrong += element(what->type, image, what->by_columns ? c * ROWS + r : r * COLUMNS + c) !=
                     (double)lab_pattern_digit(r * COLUMNS + c, seed);
    expect(bench, wrong == 0, "digits, %s, by %s: %zu of %d wrong", type_names[what->type],
           what->by_columns ? "columns" : "rows", wrong, COUNT);
}

/* Each is the CPU's, but for the last bits of the logarithm and the cosine and for rounding; together they are normal. */
static void check_normals(struct bench *bench, const struct lab_gemm_fill *what, const void *image)
{
    size_t wrong = 0;
    double sum = 0, squares = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            double found = element(what->type, image, what->by_columns ? c * ROWS + r : r * COLUMNS + c);
            double right = (double)lab_pattern_normal(r * COLUMNS + c, seed);
            wrong += !(fabs(found - right) <= fabs(right) * ldexp(1, -significant_bits[what->type]) + 1e-5);
            sum += found;
            squares += found * found;
        }
    double mean = sum / COUNT, variance = squares / COUNT - mean * mean;
    expect(bench, wrong == 0, "normals, %s, by %s: %zu of %d wrong", type_names[what->type],
           what->by_columns ? "columns" : "rows", wrong, COUNT);
    expect(bench, fabs(mean) < 0.02 && fabs(variance - 1) < 0.03, "normals, %s: mean %g, variance %g",
           type_names[what->type], mean, variance);
}

static void check_fills(struct bench *bench, void *matrix, void *image, enum lab_gemm_type type)
{
    size_t bytes = COUNT * lab_gemm_element_bytes(type);
    for (int by_columns = 0; by_columns < 2; by_columns++)
        for (int content = LAB_GEMM_NORMALS; content <= LAB_GEMM_POISON; content++) {
            struct lab_gemm_fill what = {.type = type,
                                         .content = (enum lab_gemm_content)content,
                                         .rows = ROWS,
                                         .columns = COLUMNS,
                                         .by_columns = by_columns != 0,
                                         .seed = seed,
                                         .matrix = matrix};
            memset(image, 0, bytes);
            if (!write_memory(bench, LAB_MEMORY_DEVICE, matrix, image, bytes) || !fill(bench, what) ||
                !read_memory(bench, LAB_MEMORY_DEVICE, image, matrix, bytes))
                return;
            size_t set = 0;
            for (size_t i = 0; i < bytes; i++)
                set += ((unsigned char *)image)[i] == 0xFF;
            if (content == LAB_GEMM_DIGITS)
                check_digits(bench, &what, image);
            else if (content == LAB_GEMM_NORMALS)
                check_normals(bench, &what, image);
            else
                expect(bench, set == bytes, "poison, %s: %zu of %zu bytes are set", type_names[type], set, bytes);
        }
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

/* UINT64_MAX when it could not be done. */
static uint64_t wrong_in(struct bench *bench, enum lab_gemm_type type, const void *c, const int32_t *product)
{
    uint64_t wrong = UINT64_MAX;
    struct lab_gemm_compare what = {.type = type, .count = COUNT, .c = c, .product = product, .wrong = &wrong};
    if (!perform_plan(bench, bench->runtime->gemm->prepare_compare(bench->device, &what)))
        return UINT64_MAX;
    return wrong;
}

/* Numbers of every size, so that each type must round: ties, and what is too large for fp16, are among them. */
static int32_t product_element(size_t i)
{
    static const int32_t ties[] = {257, 259, 2049, 2051, 65519, 65520, 16777217, 16777219, INT32_MAX, -INT32_MAX};
    if (i < sizeof ties / sizeof *ties)
        return ties[i];
    int32_t size = (int32_t)(lab_pattern_word(i, seed) >> (1 + i % 30));
    return i % 2 == 0 ? size : -size;
}

static void check_rounding(struct bench *bench, enum lab_gemm_type type, void *matrix, void *image, int32_t *product)
{
    size_t bytes = COUNT * lab_gemm_element_bytes(type), spoilt[] = {0, COUNT / 2, COUNT - 1};
    unsigned char *first = image;
    int32_t *numbers = malloc(COUNT * sizeof *numbers);
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = product_element(i);
        set_element(type, image, i, numbers[i]);
    }
    bool written = write_memory(bench, LAB_MEMORY_DEVICE, product, numbers, COUNT * sizeof *numbers) &&
                   write_memory(bench, LAB_MEMORY_DEVICE, matrix, image, bytes);
    free(numbers);
    if (!written)
        return;
    uint64_t wrong = wrong_in(bench, type, matrix, product);
    expect(bench, wrong == 0, "compare, %s: %llu of the CPU's roundings wrong", type_names[type],
           (unsigned long long)wrong);

    for (size_t i = 0; i < 3; i++) {
        first[spoilt[i] * lab_gemm_element_bytes(type)] ^= 1; /* the last bit of its fraction */
        if (!write_memory(bench, LAB_MEMORY_DEVICE, matrix, image, bytes))
            return;
        wrong = wrong_in(bench, type, matrix, product);
        expect(bench, wrong == i + 1, "compare, %s: %llu wrong, planted %zu", type_names[type],
               (unsigned long long)wrong, i + 1);
    }
}

static void check_finite(struct bench *bench, enum lab_gemm_type type, void *matrix, const int32_t *product)
{
    struct lab_gemm_fill what = {type, LAB_GEMM_NORMALS, ROWS, COLUMNS, false, seed, matrix};
    uint64_t wrong;
    static const uint64_t no_number = UINT64_MAX;
    if (!fill(bench, what))
        return;
    wrong = wrong_in(bench, type, matrix, NULL);
    expect(bench, wrong == 0, "compare, %s: %llu normals are no finite number", type_names[type],
           (unsigned long long)wrong);
    size_t bytes = lab_gemm_element_bytes(type);
    if (!write_memory(bench, LAB_MEMORY_DEVICE, (unsigned char *)matrix + (COUNT - 1) * bytes, &no_number, bytes))
        return;
    wrong = wrong_in(bench, type, matrix, NULL);
    expect(bench, wrong == 1, "compare, %s: %llu are no number, planted 1", type_names[type],
           (unsigned long long)wrong);

    what.content = LAB_GEMM_POISON;
    if (!fill(bench, what))
        return;
    wrong = wrong_in(bench, type, matrix, NULL);
    expect(bench, wrong == COUNT, "compare, %s: %llu of %d are poison", type_names[type], (unsigned long long)wrong,
           COUNT);
    wrong = wrong_in(bench, type, matrix, product);
    expect(bench, wrong == COUNT, "compare, %s: %llu of %d unwritten ones are wrong", type_names[type],
           (unsigned long long)wrong, COUNT);
}

/* --- expected ----------------------------------------------------------------------------------------------------- */

static void check_expected(struct bench *bench, size_t m, size_t n, size_t k)
{
    const struct lab_runtime *r = bench->runtime;
    void *product = NULL;
    size_t bytes = m * n * sizeof(int32_t), wrong = 0;
    int32_t *image = malloc(bytes);
    struct lab_gemm_expected what = {.m = m, .n = n, .k = k, .seed_a = seed, .seed_b = ~seed};
    if (!expect_call(bench, r->allocate(bench->device, LAB_MEMORY_DEVICE, bytes, &product), "allocate"))
        goto out;
    what.product = product;
    memset(image, 0xEE, bytes);
    if (!write_memory(bench, LAB_MEMORY_DEVICE, product, image, bytes) ||
        !perform_plan(bench, r->gemm->prepare_expected(bench->device, &what)) ||
        !read_memory(bench, LAB_MEMORY_DEVICE, image, product, bytes))
        goto out;
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            int32_t sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += lab_pattern_digit(row * k + i, seed) * lab_pattern_digit(i * n + column, ~seed);
            wrong += image[row * n + column] != sum;
        }
    expect(bench, wrong == 0, "the exact product of %zu x %zu x %zu: %zu wrong", m, n, k, wrong);
out:
    r->release(bench->device, LAB_MEMORY_DEVICE, product);
    free(image);
}

void check_gemm_inputs(struct bench *bench)
{
    static const size_t shapes[][3] = {{1, 1, 1},   {3, 5, 7},     {1, 300, 2},    {300, 1, 5},
                                       {2, 3, 999}, {64, 128, 32}, {127, 129, 65}, {130, 257, 33}};
    const struct lab_runtime *r = bench->runtime;
    struct lab_device *d = bench->device;
    void *matrix = NULL, *product = NULL, *image = malloc(COUNT * sizeof(double));
    if (r->gemm != NULL && expect_call(bench,
                                       r->allocate(d, LAB_MEMORY_DEVICE, COUNT * sizeof(double), &matrix) &&
                                           r->allocate(d, LAB_MEMORY_DEVICE, COUNT * sizeof(int32_t), &product),
                                       "allocate")) {
        for (int type = 0; type < LAB_GEMM_TYPES && !d->lost; type++) {
            struct lab_gemm_fill probe = {.type = (enum lab_gemm_type)type, .rows = 1, .columns = 1, .matrix = matrix};
            if (!fill(bench, probe))
                continue;
            check_fills(bench, matrix, image, probe.type);
            check_rounding(bench, probe.type, matrix, image, product);
            check_finite(bench, probe.type, matrix, product);
        }
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && !d->lost; s++)
            check_expected(bench, shapes[s][0], shapes[s][1], shapes[s][2]);
    }
    r->release(d, LAB_MEMORY_DEVICE, product);
    r->release(d, LAB_MEMORY_DEVICE, matrix);
    free(image);
}
