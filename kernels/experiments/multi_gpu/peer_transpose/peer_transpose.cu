/* The kernel of peer-transpose. */
#include "rectangles.h"

// region kernel
/* Transposes a tile of one of the rectangles through shared memory, so that memory is read and written along rows. The
 * blocks go through the rectangles in turn: if these are written to different devices, all links are used at the same time.
 *
 * Each row of the result is written as 256 contiguous bytes, two words a thread. The rows of `tile` have a word of padding, and the
 * upper half of the threads reads its two words in the opposite order: so the words that are read together are in different
 * banks. */
extern "C" __global__
__launch_bounds__(TILE_THREADS) void transpose_rectangles(const __grid_constant__ struct transpose_rectangles r)
{
    __shared__ uint32_t tile[TILE_ROWS][TILE_COLUMNS + 1];
    uint32_t rectangle = blockIdx.x % r.count, number = blockIdx.x / r.count;
    uint32_t tiles_down = (r.rows + TILE_ROWS - 1) / TILE_ROWS;
    uint32_t row = number % tiles_down * TILE_ROWS, column = number / tiles_down * TILE_COLUMNS;
    uint32_t rows = min(r.rows - row, (uint32_t)TILE_ROWS), columns = min(r.columns - column, (uint32_t)TILE_COLUMNS);
    const uint32_t *from = r.from[rectangle] + (size_t)row * r.from_pitch + column;
    uint32_t *to = r.to[rectangle] + (size_t)column * r.to_pitch + row;
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

#pragma unroll
    for (uint32_t i = 0; i < TILE_ROWS; i += TILE_THREADS / 32)
        if (warp + i < rows && lane < columns)
            tile[warp + i][lane] = from[(size_t)(warp + i) * r.from_pitch + lane];
    __syncthreads();

    bool upper = lane >= 16, aligned = r.to_pitch % 2 == 0 && reinterpret_cast<uintptr_t>(to) % 8 == 0;
#pragma unroll
    for (uint32_t i = 0; i < TILE_COLUMNS; i += TILE_THREADS / 32) {
        uint32_t one = tile[2 * lane + upper][warp + i], other = tile[2 * lane + !upper][warp + i];
        uint2 pair = upper ? make_uint2(other, one) : make_uint2(one, other);
        uint32_t *words = to + (size_t)(warp + i) * r.to_pitch + 2 * lane;
        if (warp + i >= columns || 2 * lane >= rows)
            continue;
        if (aligned && 2 * lane + 1 < rows) {
            *reinterpret_cast<uint2 *>(words) = pair;
        } else {
            words[0] = pair.x;
            if (2 * lane + 1 < rows)
                words[1] = pair.y;
        }
    }
}
// end kernel
