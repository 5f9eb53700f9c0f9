/* The tiles of transpose and the results of its kernels, compiled for device and host. */
#ifndef LAB_TRANSPOSE_H
#define LAB_TRANSPOSE_H

#include "runtime/pattern.h"

// region tile
/* A block transposes a tile of TILE x TILE elements with TILE x TILE_ROWS threads, each of which handles TILE /
 * TILE_ROWS elements of a column. */
enum { TILE = 32, TILE_ROWS = 8 };
// end

// region wide-tile
/* A block transposes a tile of WIDE x WIDE elements with UNITS x UNITS threads, each of which handles a square of 4 x
 * 4. A row of the tile has UNITS units of 4 elements, 16 bytes. */
enum { WIDE = 64, UNITS = WIDE / 4 };
// end

/* The bits of element `i` of the result. The input holds LAB_CONTENT_FLOATS of `seed`; parameters[] are its rows and
 * columns. A copy is the transpose of a single row. */
LAB_HOST_DEVICE uint32_t transpose_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint64_t rows = parameters[0], columns = parameters[1];
    return lab_float_bits(lab_pattern_float(i % rows * columns + i / rows, seed));
}

#endif
