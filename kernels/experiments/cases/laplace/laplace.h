/* The grid of laplace, its kernels' argument and its exact values, compiled for device and host.
 *
 * The plate is a grid of `total` x n interior points and a boundary around them, which is hot at the bottom and cold
 * elsewhere. The discrete equation, every value is the mean of its four neighbours, has the solution
 *     H(row, column) = sin(pi x) sinh(t (total + 1 - row)) / sinh(t (total + 1)),  cosh t = 2 - cos(pi / (n + 1)).
 * The iteration starts at H + E with the wave E = sin(pi m x) sin(pi m y), which each iteration multiplies by d =
 * (cos(pi m / (n + 1)) + cos(pi m / (total + 1))) / 2. So the exact result of any number of iterations is known.
 */
#ifndef LAB_LAPLACE_H
#define LAB_LAPLACE_H

#include "runtime/pattern.h"

#include <math.h>

// region part
/* The rows of a device. Row r = 1 … rows of the part is row first + r of the plate; the rows 0 and rows + 1 belong to
 * the boundary or to other devices. Column c = 0 … n + 1 is element MARGIN - 1 + c of a row, so that column 1 begins a
 * line of 128 bytes. */
struct laplace_part {
    uint32_t n, rows, first, total;
    uint32_t mode; /* m */
};

enum { MARGIN = 32 };

LAB_HOST_DEVICE uint32_t laplace_pitch(uint32_t n)
{
    return n + 2 * MARGIN;
}
// end

/* Threads of a block; points of a thread in x and in a segment of rows; and the tiles of the variant tiles. n is a
 * multiple of COLUMN_UNIT. */
enum { BLOCK = 256, WARP = 32, PACK = 4, SEGMENT = 8, TILE_WIDTH = 64, TILE_HEIGHT = 16, COLUMN_UNIT = 32 };

#define PI 3.141592653589793

LAB_HOST_DEVICE double laplace_solution(uint32_t row, uint32_t column, struct laplace_part part)
{
    double side = (double)part.n + 1, height = (double)part.total + 1, t = acosh(2 - cos(PI / side));
    /* sinh(t (height - row)) / sinh(t height), without numbers that are too large */
    double decay = exp(-t * row) * (1 - exp(-2 * t * (height - row))) / (1 - exp(-2 * t * height));
    return sin(PI * column / side) * decay;
}

/* The factor by which each iteration multiplies the wave. */
LAB_HOST_DEVICE double laplace_factor(struct laplace_part part)
{
    return (cos(PI * part.mode / ((double)part.n + 1)) + cos(PI * part.mode / ((double)part.total + 1))) / 2;
}

/* The value of a point whose wave has the given amplitude: 1 before the first iteration. */
LAB_HOST_DEVICE double laplace_value(uint32_t row, uint32_t column, struct laplace_part part, double amplitude)
{
    double across = sin(PI * part.mode * column / ((double)part.n + 1));
    return laplace_solution(row, column, part) +
           amplitude * across * sin(PI * part.mode * row / ((double)part.total + 1));
}

#endif
