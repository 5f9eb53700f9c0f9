/* The kernel of peer-transpose for host devices: each core takes some of the tiles. */
#include "rectangles.h"
#include "runtime/module.h"

// region kernel
static void transpose_tile(const struct transpose_rectangles *r, uint64_t tile)
{
    uint64_t rectangle = tile % r->count, tiles_down = (r->rows + TILE_ROWS - 1) / TILE_ROWS;
    uint64_t row = tile / r->count % tiles_down * TILE_ROWS, column = tile / r->count / tiles_down * TILE_COLUMNS;
    uint64_t end_row = row + TILE_ROWS < r->rows ? row + TILE_ROWS : r->rows;
    uint64_t end_column = column + TILE_COLUMNS < r->columns ? column + TILE_COLUMNS : r->columns;
    for (uint64_t c = column; c < end_column; c++)
        for (uint64_t i = row; i < end_row; i++)
            r->to[rectangle][c * r->to_pitch + i] = r->from[rectangle][i * r->from_pitch + c];
}
// end kernel

static void transpose(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const struct transpose_rectangles *r = arguments[0].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, part->launch->grid[0], 1, &begin, &end);
    for (uint64_t tile = begin; tile < end; tile++)
        transpose_tile(r, tile);
}

extern const struct lab_host_kernel peer_transpose_host_kernels[];
const struct lab_host_kernel peer_transpose_host_kernels[] = {{"transpose_rectangles", transpose}, {NULL, NULL}};
