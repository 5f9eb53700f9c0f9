/* Plans that fill the inputs of a product, compute the exact product, and compare a result with it or with dot products
 * in double. */
#include "../plan.h"
#include "check.h"
#include "gemm.h"
#include "runtime/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The smallest part of the work for one core, in elements: fewer elements take less time than waking another core. */
enum { ELEMENT_GRAIN = 16 * 1024 };

struct inputs_plan {
    struct lab_plan base;
    union {
        struct lab_gemm_fill fill;
        struct lab_gemm_expected expected;
        struct lab_gemm_compare compare;
        struct lab_gemm_sample sample;
    };
    atomic_uint_least64_t wrong; /* number of wrong elements that all cores have found so far */
};

static struct inputs_plan *inputs_plan(struct lab_plan *base)
{
    return (struct inputs_plan *)(void *)base;
}

static void host_inputs_release(struct lab_plan *base)
{
    free(base);
}

static size_t min_size(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

/* The value of the element at index `position` in memory. */
static double number_at(const struct lab_gemm_fill *fill, size_t position)
{
    size_t index = fill->column_major ? position % fill->rows * fill->columns + position / fill->rows : position;
    return fill->content == LAB_GEMM_SMALL_INTS ? (double)lab_pattern_small_int(index, fill->seed)
                                                : (double)lab_pattern_normal(index, fill->seed);
}

static void fill_part(void *context, size_t begin, size_t end)
{
    const struct lab_gemm_fill *fill = &((struct inputs_plan *)context)->fill;
    size_t bytes = lab_gemm_element_bytes(fill->type);
    if (fill->content == LAB_GEMM_POISON)
        memset((unsigned char *)fill->matrix + begin * bytes, 0xFF, (end - begin) * bytes);
    else if (fill->type == LAB_GEMM_FP64)
        for (size_t i = begin; i < end; i++)
            ((double *)fill->matrix)[i] = number_at(fill, i);
    else
        for (size_t i = begin; i < end; i++)
            ((float *)fill->matrix)[i] = (float)number_at(fill, i);
}

static void run_fill(struct lab_plan *base)
{
    struct inputs_plan *plan = inputs_plan(base);
    lab_host_pool_run(&base->device->pool, plan->fill.rows * plan->fill.columns, ELEMENT_GRAIN, fill_part, plan);
}

struct lab_plan *lab_host_gemm_prepare_fill(struct lab_device *device, const struct lab_gemm_fill *fill)
{
    if (!lab_host_alive(device) || !lab_host_gemm_check_type(device, fill->type) ||
        !lab_host_gemm_check_size(device, fill->rows) || !lab_host_gemm_check_size(device, fill->columns))
        return NULL;
    size_t bytes = fill->rows * fill->columns * lab_gemm_element_bytes(fill->type);
    if ((size_t)fill->content > LAB_GEMM_POISON) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                      "this kind of matrix content is not supported on host devices");
        return NULL;
    }
    if (!lab_host_gemm_check_memory(device, fill->matrix, bytes))
        return NULL;
    struct lab_plan *base = lab_host_plan_create(device, sizeof(struct inputs_plan), run_fill, host_inputs_release);
    if (base == NULL)
        return NULL;
    inputs_plan(base)->fill = *fill;
    base->result = lab_region_of(fill->matrix, bytes);
    return base;
}

/* --- expected ----------------------------------------------------------------------------------------------------- */

/* The product is computed from panels of B that stay in the L1 cache. The integers of a column of the panel are
 * contiguous, as are those of a row of A, and have 16 bits, so that the compiler vectorises the dot product. */
enum { PANEL_COLUMNS = 64, PANEL_DEPTH = 256 };

static int32_t dot(const int16_t *x, const int16_t *y, size_t count)
{
    int32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

static void add_panel(const struct lab_gemm_expected *what, size_t begin, size_t end, size_t column, size_t term)
{
    int16_t columns[PANEL_COLUMNS][PANEL_DEPTH], row[PANEL_DEPTH];
    size_t width = min_size(PANEL_COLUMNS, what->n - column), depth = min_size(PANEL_DEPTH, what->k - term);
    for (size_t p = 0; p < depth; p++)
        for (size_t j = 0; j < width; j++)
            columns[j][p] = (int16_t)lab_pattern_small_int((term + p) * what->n + column + j, what->seed_b);
    for (size_t i = begin; i < end; i++) {
        int32_t *product = what->product + i * what->n + column;
        for (size_t p = 0; p < depth; p++)
            row[p] = (int16_t)lab_pattern_small_int(i * what->k + term + p, what->seed_a);
        for (size_t j = 0; j < width; j++)
            product[j] = (term == 0 ? 0 : product[j]) + dot(row, columns[j], depth);
    }
}

static void expect_rows(void *context, size_t begin, size_t end)
{
    const struct lab_gemm_expected *what = &((struct inputs_plan *)context)->expected;
    for (size_t column = 0; column < what->n; column += PANEL_COLUMNS)
        for (size_t term = 0; term < what->k; term += PANEL_DEPTH)
            add_panel(what, begin, end, column, term);
}

/* Each part generates the integers of B again, so there are only as many parts as cores. */
static void run_expected(struct lab_plan *base)
{
    struct inputs_plan *plan = inputs_plan(base);
    size_t cores = base->device->pool.helper_count + 1;
    size_t rows = plan->expected.m / cores + 1, work = plan->expected.n * plan->expected.k;
    lab_host_pool_run_parts(&base->device->pool, plan->expected.m,
                            rows * work < ELEMENT_GRAIN ? plan->expected.m : rows, expect_rows, plan);
}

struct lab_plan *lab_host_gemm_prepare_expected(struct lab_device *device, const struct lab_gemm_expected *expected)
{
    if (!lab_host_alive(device) || !lab_host_gemm_check_size(device, expected->m) ||
        !lab_host_gemm_check_size(device, expected->n) || !lab_host_gemm_check_size(device, expected->k))
        return NULL;
    size_t bytes = expected->m * expected->n * sizeof(int32_t);
    if (!lab_host_gemm_check_memory(device, expected->product, bytes))
        return NULL;
    struct lab_plan *base = lab_host_plan_create(device, sizeof(struct inputs_plan), run_expected, host_inputs_release);
    if (base == NULL)
        return NULL;
    inputs_plan(base)->expected = *expected;
    base->result = lab_region_of(expected->product, bytes);
    return base;
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

static bool is_right(const struct lab_gemm_compare *what, size_t i)
{
    double found = what->type == LAB_GEMM_FP64 ? ((const double *)what->c)[i] : (double)((const float *)what->c)[i];
    if (what->product == NULL)
        return isfinite(found);
    /* The conversion to float rounds to nearest, ties to even; the conversion to double is exact. */
    return found == (what->type == LAB_GEMM_FP64 ? (double)what->product[i] : (double)(float)what->product[i]);
}

static void compare_part(void *context, size_t begin, size_t end)
{
    struct inputs_plan *plan = context;
    uint64_t wrong = 0;
    for (size_t i = begin; i < end; i++)
        wrong += !is_right(&plan->compare, i);
    atomic_fetch_add(&plan->wrong, wrong);
}

static void run_compare(struct lab_plan *base)
{
    struct inputs_plan *plan = inputs_plan(base);
    atomic_store(&plan->wrong, 0);
    lab_host_pool_run(&base->device->pool, plan->compare.count, ELEMENT_GRAIN, compare_part, plan);
    *plan->compare.wrong = atomic_load(&plan->wrong);
}

struct lab_plan *lab_host_gemm_prepare_compare(struct lab_device *device, const struct lab_gemm_compare *compare)
{
    if (!lab_host_alive(device) || !lab_host_gemm_check_type(device, compare->type))
        return NULL;
    if (compare->wrong == NULL || compare->count > SIZE_MAX / sizeof(double)) {
        lab_error_set(
            &device->error, LAB_ERROR_INVALID_ARGUMENT, "",
            "a comparison needs an address for the number of wrong elements, and at most SIZE_MAX / 8 elements");
        return NULL;
    }
    if (!lab_host_gemm_check_memory(device, compare->c, compare->count * lab_gemm_element_bytes(compare->type)) ||
        (compare->product != NULL &&
         !lab_host_gemm_check_memory(device, compare->product, compare->count * sizeof(int32_t))))
        return NULL;
    struct lab_plan *base = lab_host_plan_create(device, sizeof(struct inputs_plan), run_compare, host_inputs_release);
    if (base != NULL)
        inputs_plan(base)->compare = *compare;
    return base;
}

/* --- sample ------------------------------------------------------------------------------------------------------- */

static double element(const struct lab_gemm *gemm, const void *matrix, size_t i)
{
    return gemm->type == LAB_GEMM_FP64 ? ((const double *)matrix)[i] : (double)((const float *)matrix)[i];
}

static bool is_near(const struct lab_gemm *gemm, size_t index)
{
    size_t row = index / gemm->n, column = index % gemm->n, down = gemm->n, start = column;
    double dot = 0, squares = 0, found = element(gemm, gemm->c, index);
    if (gemm->layout == LAB_GEMM_TN) {
        down = 1;
        start = column * gemm->k;
    }
    for (size_t i = 0; i < gemm->k; i++) {
        double term = element(gemm, gemm->a, row * gemm->k + i) * element(gemm, gemm->b, start + i * down);
        dot += term;
        squares += term * term;
    }
    return !isfinite(found) || fabs(found - dot) <= lab_gemm_error_max(gemm->type, (double)gemm->k, dot, squares);
}

static void sample_part(void *context, size_t begin, size_t end)
{
    struct inputs_plan *plan = context;
    uint64_t wrong = 0;
    for (size_t i = begin; i < end; i++)
        wrong += !is_near(&plan->sample.gemm, i * plan->sample.stride);
    atomic_fetch_add(&plan->wrong, wrong);
}

static void run_sample(struct lab_plan *base)
{
    struct inputs_plan *plan = inputs_plan(base);
    const struct lab_gemm *gemm = &plan->sample.gemm;
    size_t samples = (gemm->m * gemm->n - 1) / plan->sample.stride + 1;
    atomic_store(&plan->wrong, 0);
    lab_host_pool_run(&base->device->pool, samples, ELEMENT_GRAIN / gemm->k + 1, sample_part, plan);
    *plan->sample.wrong = atomic_load(&plan->wrong);
}

struct lab_plan *lab_host_gemm_prepare_sample(struct lab_device *device, const struct lab_gemm_sample *sample)
{
    if (!lab_host_alive(device) || !lab_host_gemm_check_product(device, &sample->gemm))
        return NULL;
    if (sample->wrong == NULL || sample->stride == 0) {
        lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                      "a comparison of samples needs a stride and an address for the number of wrong elements");
        return NULL;
    }
    struct lab_plan *base = lab_host_plan_create(device, sizeof(struct inputs_plan), run_sample, host_inputs_release);
    if (base != NULL)
        inputs_plan(base)->sample = *sample;
    return base;
}
