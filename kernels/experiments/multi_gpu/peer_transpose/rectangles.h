/* The argument of the kernel of peer-transpose (peer_transpose.cu, peer_transpose_host.c): rectangles of 4-byte words, which one
 * launch transposes. */
#ifndef LAB_PEER_TRANSPOSE_RECTANGLES_H
#define LAB_PEER_TRANSPOSE_RECTANGLES_H

#include <stdint.h>

enum { RECTANGLES_MAX = 16 };

/* A block of TILE_THREADS threads transposes a tile of TILE_ROWS x TILE_COLUMNS words. */
enum { TILE_ROWS = 64, TILE_COLUMNS = 32, TILE_THREADS = 256 };

/* `count` rectangles of the same size. Row r of rectangle i begins at from[i] + r * from_pitch, and column c becomes the row that
 * begins at to[i] + c * to_pitch. */
struct transpose_rectangles {
    uint32_t count;
    uint32_t rows, columns;        /* of each, as it is read */
    uint32_t from_pitch, to_pitch; /* words from one row to the next */
    const uint32_t *from[RECTANGLES_MAX];
    uint32_t *to[RECTANGLES_MAX];
};

#endif
