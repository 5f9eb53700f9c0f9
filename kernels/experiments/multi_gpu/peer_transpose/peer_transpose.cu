/* The kernel of peer-transpose. */
#include "rectangles.h"

// step sequential "Transposes, then copies" shows job.c:copies, kernel
/* Each chunk of a block is transposed by one launch into memory from which it is sent. */

// step overlapped "Copies beside transposes" shows job.c:copies, kernel
/* A chunk is sent as soon as an event says that it is transposed, while the next one is transposed. */

// step direct "Transpose into the memory of other devices" shows job.c:direct, kernel
/* One launch on each device; its rectangles are the blocks for all devices. */

// region kernel
/* Transposes a tile of one of the rectangles through shared memory, so that memory is read and written along rows.
 *
 * Each row of the result is written as 256 contiguous bytes, two words a thread. The rows of `tile` have a word of
 * padding, and the upper half of the threads reads its two words in the opposite order: so the words that are read
 * together are in different banks. */
extern "C" __global__
__launch_bounds__(TILE_THREADS) void peer_transpose_rectangles(const __grid_constant__ struct transpose_rectangles r)
{
    __shared__ uint32_t tile[TILE_ROWS][TILE_COLUMNS + 1];
    const struct transpose_tile at = transpose_tile_at(&r, blockIdx.x);
    uint32_t rows = min(r.rows - at.row, (uint32_t)TILE_ROWS);
    uint32_t columns = min(r.columns - at.column, (uint32_t)TILE_COLUMNS);
    const uint32_t *from = r.from[at.rectangle] + (size_t)at.row * r.from_pitch + at.column;
    uint32_t *to = r.to[at.rectangle] + (size_t)at.column * r.to_pitch + at.row;
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
// end
