/* The grid of finite-differences, its function and its derivatives, compiled for device and host.
 *
 * The grid has n points in each direction; x is contiguous. Along the direction of the derivative, s, the function is
 * sin(2 pi s), times a weight that differs from line to line, so that a value from another line is a wrong one.
 */
#ifndef LAB_FINITE_DIFFERENCES_H
#define LAB_FINITE_DIFFERENCES_H

#include "runtime/pattern.h"

#include <math.h>
#include <stdbool.h>

// region stencil
/* f'(x) h = sum over k of c[k] (f(x + k h) - f(x - k h)), with an error of h^8 f^(9)(x) / 630. */
enum { RADIUS = 4 };
#define STENCIL_1 (4.0 / 5.0)
#define STENCIL_2 (-1.0 / 5.0)
#define STENCIL_3 (4.0 / 105.0)
#define STENCIL_4 (-1.0 / 280.0)
// end

/* Threads of a block, and consecutive points along the direction whose values a thread of the variant registers takes
 * through its registers, BATCH at a time. n is a multiple of GRID_UNIT, at most SIDE_MAX. */
enum { BLOCK = 256, SEGMENT = 128, BATCH = 4, GRID_UNIT = 16, SIDE_MAX = 1024 };

/* What the function and its derivative depend on; packed into one parameter of the kernels that fill and check. */
struct finite_differences_grid {
    uint64_t n;
    uint32_t direction; /* 0: x, 1: y, 2: z */
    bool stretched, fp64, copy;
};

LAB_HOST_DEVICE uint64_t finite_differences_pack(struct finite_differences_grid grid)
{
    return grid.n | (uint64_t)grid.direction << 32 | (uint64_t)grid.stretched << 40 | (uint64_t)grid.fp64 << 41 |
           (uint64_t)grid.copy << 42;
}

LAB_HOST_DEVICE struct finite_differences_grid finite_differences_unpack(uint64_t packed)
{
    struct finite_differences_grid grid;
    grid.n = packed & 0xffffffff;
    grid.direction = (uint32_t)(packed >> 32 & 0xff);
    grid.stretched = (packed >> 40 & 1) != 0;
    grid.fp64 = (packed >> 41 & 1) != 0;
    grid.copy = (packed >> 42 & 1) != 0;
    return grid;
}

#define TWO_PI 6.283185307179586

/* A stretched grid has its points at s = t + STRETCH sin(2 pi t) / (2 pi), t = i / n. */
#define STRETCH 0.25

/* dt/ds * n, by which the sum of the stencil is multiplied. */
LAB_HOST_DEVICE double finite_differences_metric(uint64_t i, struct finite_differences_grid grid)
{
    double n = (double)grid.n;
    return grid.stretched ? n / (1 + STRETCH * cos(TWO_PI * (double)i / n)) : n;
}

/* The position of point i of the grid along the direction: index of the point on its line, 2 pi times its coordinate,
 * and the weight of the line. */
LAB_HOST_DEVICE void finite_differences_place(uint64_t i, struct finite_differences_grid grid, double *angle,
                                              double *weight)
{
    uint64_t at[3] = {i % grid.n, i / grid.n % grid.n, i / (grid.n * grid.n)};
    uint64_t others = at[(grid.direction + 1) % 3] * 5 + at[(grid.direction + 2) % 3] * 3;
    double t = TWO_PI * (double)at[grid.direction] / (double)grid.n;
    *angle = grid.stretched ? t + STRETCH * sin(t) : t;
    *weight = 1 + (double)(others % 16) / 32;
}

#define WEIGHT_MAX (1 + 15.0 / 32)

LAB_HOST_DEVICE double finite_differences_value(uint64_t i, struct finite_differences_grid grid)
{
    double angle, weight;
    finite_differences_place(i, grid, &angle, &weight);
    return weight * sin(angle);
}

/* What the output must be at point i: the derivative, or of a copy the value. */
LAB_HOST_DEVICE double finite_differences_exact(uint64_t i, struct finite_differences_grid grid)
{
    double angle, weight;
    if (grid.copy)
        return finite_differences_value(i, grid);
    finite_differences_place(i, grid, &angle, &weight);
    return weight * TWO_PI * cos(angle);
}

#endif
