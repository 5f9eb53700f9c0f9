/* Warp tiling for fp32 with small tiles, if B is stored column by column (layout TN).
 *
 * With small tiles there are few multiply-adds for each float that is copied. The slabs therefore stay as they are in
 * memory, along k, and are copied 16 bytes at a time; a thread reads four floats along k of a row of A or a column of B
 * at once. (In warp_tiled.cu it reads four rows or columns. The multiply-adds then read their registers from both
 * register banks; here about half of them have a bank conflict. For large tiles this costs more than the copies save.)
 */

// step warp-tiled "Warp tiling" shows copies.cuh, warp_tile.cuh, warp_tiled.cu, warp_tiled_tn.cu
/* Three changes. The block tile is 128 x 256; each of 8 warps computes 64 x 64 of it and each thread 16 x 8, so 24
 * numbers are read for 128 multiply-adds, where it was 16 for 64. The threads of a warp are arranged as 4 x 8, so one
 * instruction reads 16 adjacent elements of A or 32 of B. And the numbers of the next step are read from shared memory
 * while those of the current step are multiplied. More than nine in ten instructions of the loop are multiply-adds. A
 * thread takes about 210 registers, so only 8 warps fit on a multiprocessor, two for each scheduler (12.5 %
 * occupancy); these rarely wait, so an instruction is issued in most cycles. Expect about the throughput of cuBLAS in
 * fp32.
 *
 * Two details concern the register banks (even and odd register numbers). A multiply-add reads three registers.
 * Walking the 16 x 8 sums back and forth keeps one factor the same as in the previous multiply-add, and the hardware
 * reuses it. Sums that are stored four at a time must be in four adjacent registers, as must the factors that are
 * loaded four at a time, so a sum and a factor may share a register bank, which delays the multiply-add; adding 0
 * before the store lets the compiler place the sums in other registers. Each of the two is worth several percent.
 *
 * The remaining limits are the 10 % of the instructions that only move data, register bank conflicts, and tile
 * quantisation: if the number of tiles is not a multiple of the number of multiprocessors, the last wave is not full.
 * At large sizes the power limit lowers the clock. Small products use smaller tiles (64 x 128, 32 x 64), so that all
 * multiprocessors have work.
 *
 * In layout tn neither A nor B has the floats of a step next to each other in memory. In large tiles both are copied
 * one float at a time, each to its place in the transposed slab. In small tiles (32 x 64, 16 x 64) that would cost too
 * many instructions: there the slabs stay along k and are copied 16 bytes at a time, and the register banks conflict
 * more often. In this layout the large tiles of the blocks that run at the same time form about a square, so less is
 * read from memory, which also saves power. */
#include "copies.cuh"
#include "warp_tile.cuh"

namespace along_k /* the web page shows this file and warp_tiled.cu as one text */
{

enum { CHUNK = 4, CHUNKS = BK / CHUNK };

/* The rows and columns of a thread are LANES_M and LANES_N apart. */
using medium = tile<1, 2, 32, 32, 4, 6>;
using small = tile<1, 2, 16, 32, 8, 8>;

/* BK floats of each row of A and column of B of a tile, as chunks of four. */
template <typename Tile> struct slab {
    float4 a[Tile::BM * CHUNKS], b[Tile::BN * CHUNKS];
};

/* The place of a chunk of a line. Threads that read the same chunk of 8 neighbouring lines together read from different
 * banks. */
__device__ static inline uint32_t place_of(uint32_t line, uint32_t chunk)
{
    return line * CHUNKS + (chunk ^ line / 4 % CHUNKS);
}

/* The position of a block's next slab in A and B. */
struct source {
    const float *a, *b;     /* the slab's first elements */
    uint32_t k;             /* elements in a line */
    uint32_t rows, columns; /* from the slab's first elements to the end of the matrix */
    int left;               /* elements of a line from the slab's first ones on */
};

/* Starts to copy LINES lines. Instead of lines beyond the last one, that one is read again; the results are not
 * stored. */
template <typename Tile, int LINES, bool VECTORS>
__device__ static void start_lines(float4 *to, const float *from, uint32_t k, uint32_t lines, int left)
{
    constexpr int COPIES = LINES * CHUNKS;
#pragma unroll
    for (int i = 0; i < (COPIES + Tile::THREADS - 1) / Tile::THREADS; i++) {
        uint32_t copy = i * Tile::THREADS + threadIdx.x, line = copy / CHUNKS, chunk = copy % CHUNKS;
        if (COPIES % Tile::THREADS == 0 || copy < COPIES)
            start_copy_float4<VECTORS>(reinterpret_cast<float *>(&to[place_of(line, chunk)]),
                                       from + min(line, lines - 1) * k, chunk * CHUNK, left > 0 ? left : 0);
    }
}

/* Starts to copy a slab, and advances `from` to the next. */
template <typename Tile, bool VECTORS> __device__ static void start_copies(slab<Tile> &to, source &from)
{
    start_lines<Tile, Tile::BM, VECTORS>(to.a, from.a, from.k, from.rows, from.left);
    start_lines<Tile, Tile::BN, VECTORS>(to.b, from.b, from.k, from.columns, from.left);
    end_copy_group();
    from.a += BK;
    from.b += BK;
    from.left -= BK;
}

/* Adds the products of a row's chunk. */
template <typename Tile>
__device__ static void multiply_row(float (&sums)[Tile::TN], const float4 &a, const float4 (&b)[Tile::TN])
{
    const float rows[CHUNK] = {a.x, a.y, a.z, a.w};
#pragma unroll
    for (int k = 0; k < CHUNK; k++)
#pragma unroll
        for (int i = 0; i < Tile::TN; i++) {
            int j = k % 2 == 0 ? i : Tile::TN - 1 - i;
            const float columns[CHUNK] = {b[j].x, b[j].y, b[j].z, b[j].w};
            sums[j] += rows[k] * columns[k];
        }
}

template <typename Tile, bool VECTORS>
__device__ static void multiply_all(uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c)
{
    static_assert(CHUNKS == 2 && Tile::TM % 2 == 0, "the chunks of a slab are multiplied in two loops");
    constexpr int TM = Tile::TM, TN = Tile::TN;
    __shared__ __align__(16) slab<Tile> slabs[Tile::SLABS];
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t row = warp / Tile::WARPS_N * Tile::WM + lane / LANES_N;
    uint32_t column = warp % Tile::WARPS_N * Tile::WN + lane % LANES_N;
    uint32_t first_row = blockIdx.y * Tile::BM, first_column = blockIdx.x * Tile::BN;

    source source = {
        a + (size_t)first_row * k, b + (size_t)first_column * k, k, m - first_row, n - first_column, (int)k};
#pragma unroll
    for (int i = 0; i < Tile::SLABS - 1; i++)
        start_copies<Tile, VECTORS>(slabs[i], source);
    await_copies<Tile::SLABS - 2>();
    __syncthreads();

    float sums[TM][TN] = {};
    float4 rows[2], even[TN], odd[TN]; /* the next rows' chunks; the columns' chunks with an even and an odd number */
    int current = 0, spare = Tile::SLABS - 1;
    auto row_at = [&](int slab, int i, int chunk) { return slabs[slab].a[place_of(row + i * LANES_M, chunk)]; };
    auto column_at = [&](int slab, int i, int chunk) { return slabs[slab].b[place_of(column + i * LANES_N, chunk)]; };
#pragma unroll
    for (int i = 0; i < TN; i++)
        even[i] = column_at(0, i, 0);
    rows[0] = row_at(0, 0, 0);
    for (uint32_t first = 0; first < k; first += BK) {
        start_copies<Tile, VECTORS>(slabs[spare], source);
#pragma unroll
        for (int i = 0; i < TM; i++) {
            rows[(i + 1) % 2] = row_at(current, (i + 1) % TM, i + 1 == TM);
#pragma unroll
            for (int j = i * TN / TM; j < (i + 1) * TN / TM; j++)
                odd[j] = column_at(current, j, 1);
            multiply_row<Tile>(sums[i], rows[i % 2], even);
        }
#pragma unroll
        for (int i = 0; i < TM; i++) {
            if (i + 1 < TM) {
                rows[(i + 1) % 2] = row_at(current, i + 1, 1);
            } else { /* what is loaded next is in the next slab */
                await_copies<Tile::SLABS - 2>();
                __syncthreads();
                spare = current;
                current = current + 1 == Tile::SLABS ? 0 : current + 1;
                rows[0] = row_at(current, 0, 0);
#pragma unroll
                for (int j = 0; j < TN; j++)
                    even[j] = column_at(current, j, 0);
            }
            multiply_row<Tile>(sums[i], rows[i % 2], odd);
        }
    }

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            uint32_t r = first_row + row + i * LANES_M, s = first_column + column + j * LANES_N;
            if (r < m && s < n)
                c[(size_t)r * n + s] = sums[i][j];
        }
}

/* A kernel for each tile. "aligned": k is a multiple of 4. */
#define KERNEL(name, Tile, VECTORS)                                                                                    \
    extern "C" __global__ __launch_bounds__(Tile::THREADS, Tile::BLOCKS) void name(                                    \
        uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c)                                  \
    {                                                                                                                  \
        multiply_all<Tile, VECTORS>(m, n, k, a, b, c);                                                                 \
    }
KERNEL(warp_tiled_tn_32x64_aligned, medium, true)
KERNEL(warp_tiled_tn_16x64_aligned, small, true)
KERNEL(warp_tiled_tn_32x64, medium, false)
KERNEL(warp_tiled_tn_16x64, small, false)
#undef KERNEL

} // namespace along_k
