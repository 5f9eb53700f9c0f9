/* The kernels of summation for host devices: the same algorithms on one core, the tree on all. */
#include "benchmark/check.h"
#include "summation.h"

// steps use summation.h:sizes

// region in-order
static float in_order(const float *x, uint64_t n)
{
    float sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
// end

// region pairwise
/* The sum of n elements, a power of two up to SUMMATION_TILE, as a tree. The additions of a round are independent: the
 * compiler makes vectors of them. */
static float sum_halves(const float *x, uint64_t n)
{
    float sums[SUMMATION_TILE / 2];
    for (uint64_t k = 0; k < n / 2; k++)
        sums[k] = x[k] + x[k + n / 2];
    for (uint64_t half = n / 4; half > 0; half /= 2)
        for (uint64_t k = 0; k < half; k++)
            sums[k] += sums[k + half];
    return sums[0];
}

/* sums[level] is the sum of 2^level leaves if that bit of the number of leaves is 1: adding a leaf is like adding 1 to
 * a binary number, and sums of equally many elements are added. */
static float pairwise(const float *x, uint64_t n)
{
    float sums[SUMMATION_LEVELS] = {0}, sum = 0;
    uint64_t leaves = n / SUMMATION_LEAF;
    for (uint64_t i = 0; i < leaves; i++) {
        float of_leaf = sum_halves(x + i * SUMMATION_LEAF, SUMMATION_LEAF);
        size_t level = 0;
        for (; i >> level & 1; level++)
            of_leaf += sums[level];
        sums[level] = of_leaf;
    }
    for (size_t level = 0; leaves >> level > 0; level++)
        if (leaves >> level & 1)
            sum += sums[level];
    return sum;
}
// end

// region kahan
/* `excess` is what rounding has added to the sum; the next element is reduced by it. */
static float kahan(const float *x, uint64_t n)
{
    float sum = 0, excess = 0;
    for (uint64_t i = 0; i < n; i++) {
        float corrected = x[i] - excess, next = sum + corrected;
        excess = (next - sum) - corrected;
        sum = next;
    }
    return sum;
}
// end

// region double
static float in_double(const float *x, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return (float)sum;
}
// end

// steps use summation.h:sizes, pairwise

// region tree "Pairwise, by all cores"
/* Each core adds up tiles of 1024 elements in vector registers, and further launches add up the sums. Elements after
 * the end are 0. */
LAB_HOST_KERNEL(summation_tree)
{
    const float *x = arguments[0].pointer;
    float *sums = arguments[1].pointer;
    uint64_t n = arguments[2].u64, begin, end;
    lab_host_part_range(part, (n + SUMMATION_TILE - 1) / SUMMATION_TILE, 1, &begin, &end);
    for (uint64_t tile = begin; tile < end; tile++) {
        float last[SUMMATION_TILE] = {0};
        uint64_t first = tile * SUMMATION_TILE;
        bool whole = first + SUMMATION_TILE <= n;
        if (!whole)
            memcpy(last, x + first, (n - first) * sizeof *x);
        sums[tile] = sum_halves(whole ? x + first : last, SUMMATION_TILE);
    }
}
// end

/* Defines a kernel in which one core computes the sum by the function `sum`; the other cores do nothing. */
#define ONE_CORE(name, sum)                                                                                            \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        if (part->index == 0)                                                                                          \
            *(float *)arguments[1].pointer = sum(arguments[0].pointer, arguments[2].u64);                              \
    }

ONE_CORE(summation_in_order, in_order)
ONE_CORE(summation_pairwise, pairwise)
ONE_CORE(summation_kahan, kahan)
ONE_CORE(summation_double, in_double)

LAB_FILL_HOST(summation_fill, summation_element)

LAB_HOST_KERNEL(summation_check)
{
    struct lab_check_result *of_check = arguments[6].pointer;
    uint64_t begin, end, sum = 0, units;
    lab_host_part_range(part, arguments[4].u64, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        sum += summation_units(i, arguments[2].u64, arguments[3].u64);
    if (!lab_check_total(of_check, part, sum, &units))
        return;
    double error = summation_error(*(const float *)arguments[0].pointer, units);
    memcpy(&of_check->error, &error, sizeof of_check->error);
    if (error > arguments[5].f64)
        of_check->wrong = arguments[1].u64;
}
