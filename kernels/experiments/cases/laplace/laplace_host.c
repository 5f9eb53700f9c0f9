/* The kernels of laplace for host devices: each core takes some of the rows. */
#include "laplace.h"

#include "benchmark/check.h"

#include <string.h>

static uint64_t at(uint64_t row, uint64_t column, uint64_t n)
{
    return row * laplace_pitch((uint32_t)n) + MARGIN - 1 + column;
}

// step fused "Residual in the same pass" shows rows
/* The change of a row is computed while the row is in the cache. */

// region rows "Row by row"
/* Row by row; the caches hold the rows above and below. */
/* The residual is not negative, so the bits of a larger one are a larger integer. */
static void add_residual(uint32_t *residual, int32_t change)
{
    uint32_t known = __atomic_load_n(residual, __ATOMIC_RELAXED);
    while (known < (uint32_t)change &&
           !__atomic_compare_exchange_n(residual, &known, (uint32_t)change, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static void iterate_row(const float *in, float *restrict out, uint64_t pitch, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - pitch] + in[i + pitch]);
}

/* The bits of the largest change, as add_residual compares them: compilers vectorise the maximum of integers. */
static int32_t change_of_row(const float *in, const float *out, uint64_t n)
{
    int32_t change = 0;
    for (uint64_t i = 0; i < n; i++) {
        int32_t of_point = (int32_t)lab_float_bits(fabsf(out[i] - in[i]));
        change = of_point > change ? of_point : change;
    }
    return change;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

LAB_HOST_KERNEL(laplace_points)
{
    const struct laplace_part *plate = arguments[2].pointer;
    uint64_t first = arguments[3].u32, begin, end, pitch = laplace_pitch(plate->n);
    uint32_t *residual = arguments[5].pointer, *cleared = arguments[6].pointer;
    lab_host_part_range(part, arguments[4].u32 - first + 1, 1, &begin, &end);
    if (part->index == 0 && cleared != NULL)
        *cleared = 0;
    int32_t change = 0;
    for (uint64_t row = first + begin; row < first + end; row++) {
        const float *in = (const float *)arguments[0].pointer + at(row, 1, plate->n);
        float *out = (float *)arguments[1].pointer + at(row, 1, plate->n);
        iterate_row(in, out, pitch, plate->n);
        change = residual != NULL ? larger(change, change_of_row(in, out, plate->n)) : 0;
    }
    if (residual != NULL)
        add_residual(residual, change);
}

LAB_HOST_KERNEL(laplace_rows)
{
    host_laplace_points(part, arguments);
}
// end

// step separate "Residual in a pass of its own" shows rows, residual
/* A second loop reads both arrays again. */

// region residual
LAB_HOST_KERNEL(laplace_residual)
{
    const struct laplace_part *plate = arguments[2].pointer;
    const float *in = arguments[0].pointer, *out = arguments[1].pointer;
    uint64_t begin, end;
    int32_t change = 0;
    lab_host_part_range(part, plate->rows, 1, &begin, &end);
    for (uint64_t row = begin + 1; row <= end; row++)
        change = larger(change, change_of_row(in + at(row, 1, plate->n), out + at(row, 1, plate->n), plate->n));
    add_residual(arguments[3].pointer, change);
}
// end

// region copy
LAB_HOST_KERNEL(laplace_copy)
{
    const struct laplace_part *plate = arguments[2].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, plate->rows, 1, &begin, &end);
    for (uint64_t row = begin + 1; row <= end; row++)
        memcpy((float *)arguments[1].pointer + at(row, 1, plate->n),
               (const float *)arguments[0].pointer + at(row, 1, plate->n), plate->n * sizeof(float));
}
// end

LAB_HOST_KERNEL(laplace_fill)
{
    const struct laplace_part *plate = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, (uint64_t)plate->rows + 2, 1, &begin, &end);
    for (uint64_t row = begin; row < end; row++)
        for (uint32_t column = 0; column < plate->n + 2; column++)
            ((float *)arguments[0].pointer)[at(row, column, plate->n)] =
                (float)laplace_value(plate->first + (uint32_t)row, column, *plate, 1);
}

LAB_HOST_KERNEL(laplace_check)
{
    const struct laplace_part *plate = arguments[1].pointer;
    const float *values = arguments[0].pointer;
    uint64_t begin, end, wrong = 0;
    lab_host_part_range(part, plate->rows, 1, &begin, &end);
    for (uint64_t row = begin + 1; row <= end; row++)
        for (uint32_t column = 1; column <= plate->n; column++) {
            double exact = laplace_value(plate->first + (uint32_t)row, column, *plate, arguments[2].f64);
            wrong += !(fabs((double)values[at(row, column, plate->n)] - exact) <= arguments[3].f64);
        }
    lab_check_add(arguments[4].pointer, wrong, 0);
}
