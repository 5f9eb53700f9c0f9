/* The kernel of peer-transpose for host devices: each core takes some of the tiles. */
#include "rectangles.h"
#include "runtime/module.h"

#include <string.h>

// step sequential "Transposes, then copies" shows kernel
/* The kernel on a CPU, tile by tile. */

// step overlapped "Copies beside transposes" shows kernel
/* The kernel on a CPU, tile by tile. */

// step direct "Transpose into the memory of other devices" shows kernel
/* The kernel on a CPU, tile by tile. */

// region kernel
/* Transposes a tile through an array that stays in the first-level cache, so that memory is read and written along
 * rows. */
static void transpose_tile(const struct transpose_rectangles *r, struct transpose_tile at)
{
    uint64_t rows = r->rows - at.row < TILE_ROWS ? r->rows - at.row : TILE_ROWS;
    uint64_t columns = r->columns - at.column < TILE_COLUMNS ? r->columns - at.column : TILE_COLUMNS;
    const uint32_t *from = r->from[at.rectangle] + (size_t)at.row * r->from_pitch + at.column;
    uint32_t *to = r->to[at.rectangle] + (size_t)at.column * r->to_pitch + at.row, tile[TILE_COLUMNS][TILE_ROWS];
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t c = 0; c < columns; c++)
            tile[c][i] = from[i * r->from_pitch + c];
    for (uint64_t c = 0; c < columns; c++)
        memcpy(to + c * r->to_pitch, tile[c], rows * sizeof **tile);
}
// end

LAB_HOST_KERNEL(peer_transpose_rectangles)
{
    const struct transpose_rectangles *r = arguments[0].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, transpose_tiles(r), 1, &begin, &end);
    for (uint64_t number = begin; number < end; number++)
        transpose_tile(r, transpose_tile_at(r, (uint32_t)number));
}
