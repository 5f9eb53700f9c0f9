/* The kernel of peer-transpose for host devices: each core takes some of the tiles. */
#include "rectangles.h"
#include "runtime/module.h"

#include <string.h>

// region kernel
/* Transposes a tile through an array that stays in the first-level cache, so that memory is read and written along rows. */
static void transpose_tile(const struct transpose_rectangles *r, uint64_t number)
{
    uint64_t rectangle = number % r->count, tiles_down = (r->rows + TILE_ROWS - 1) / TILE_ROWS;
    uint64_t row = number / r->count % tiles_down * TILE_ROWS, column = number / r->count / tiles_down * TILE_COLUMNS;
    uint64_t rows = r->rows - row < TILE_ROWS ? r->rows - row : TILE_ROWS;
    uint64_t columns = r->columns - column < TILE_COLUMNS ? r->columns - column : TILE_COLUMNS;
    const uint32_t *from = r->from[rectangle] + row * r->from_pitch + column;
    uint32_t *to = r->to[rectangle] + column * r->to_pitch + row, tile[TILE_COLUMNS][TILE_ROWS];
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t c = 0; c < columns; c++)
            tile[c][i] = from[i * r->from_pitch + c];
    for (uint64_t c = 0; c < columns; c++)
        memcpy(to + c * r->to_pitch, tile[c], rows * sizeof **tile);
}
// end kernel

static void transpose(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const struct transpose_rectangles *r = arguments[0].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, part->launch->grid[0], 1, &begin, &end);
    for (uint64_t number = begin; number < end; number++)
        transpose_tile(r, number);
}

extern const struct lab_host_kernel peer_transpose_host_kernels[];
const struct lab_host_kernel peer_transpose_host_kernels[] = {{"transpose_rectangles", transpose}, {NULL, NULL}};
