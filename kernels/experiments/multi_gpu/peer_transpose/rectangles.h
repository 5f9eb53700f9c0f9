/* The argument of the kernel of peer-transpose (peer_transpose.cu, peer_transpose_host.c): rectangles of 4-byte words,
 * which one launch transposes. */
#ifndef LAB_PEER_TRANSPOSE_RECTANGLES_H
#define LAB_PEER_TRANSPOSE_RECTANGLES_H

#include "runtime/pattern.h"

#include <stdint.h>

enum { RECTANGLES_MAX = 16 };

/* A block of TILE_THREADS threads transposes a tile of TILE_ROWS x TILE_COLUMNS words. */
enum { TILE_ROWS = 64, TILE_COLUMNS = 32, TILE_THREADS = 256 };

/* `count` rectangles of the same size. Row r of rectangle i begins at from[i] + r * from_pitch, and column c becomes
 * the row that begins at to[i] + c * to_pitch. */
struct transpose_rectangles {
    uint32_t count;
    uint32_t rows, columns;        /* of each, as it is read */
    uint32_t from_pitch, to_pitch; /* words from one row to the next */
    const uint32_t *from[RECTANGLES_MAX];
    uint32_t *to[RECTANGLES_MAX];
};

/* A tile: its rectangle, and its first row and column in it. */
struct transpose_tile {
    uint32_t rectangle, row, column;
};

LAB_HOST_DEVICE uint32_t transpose_tiles_down(const struct transpose_rectangles *r)
{
    return (r->rows + TILE_ROWS - 1) / TILE_ROWS;
}

/* The number of tiles of all rectangles: the thread blocks of a launch. */
LAB_HOST_DEVICE uint32_t transpose_tiles(const struct transpose_rectangles *r)
{
    return r->count * transpose_tiles_down(r) * ((r->columns + TILE_COLUMNS - 1) / TILE_COLUMNS);
}

/* Tiles are numbered such that neighbours are in different rectangles: if these are written to different devices, all
 * links are used at the same time. */
LAB_HOST_DEVICE struct transpose_tile transpose_tile_at(const struct transpose_rectangles *r, uint32_t number)
{
    uint32_t within = number / r->count, down = transpose_tiles_down(r);
    struct transpose_tile tile = {number % r->count, within % down * TILE_ROWS, within / down * TILE_COLUMNS};
    return tile;
}

#endif
