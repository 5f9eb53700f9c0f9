/* Warp tiling for fp32. About 90 % of the instructions are multiply-adds.
 *
 * A block's tile of C (BM x BN) is divided among warps (WM x WN each), and a warp's tile among 4 x 8 threads (TM x TN
 * each). In the largest tile TM x TN is 16 x 8: 24 floats read from shared memory are used for 128 multiply-adds,
 * instead of 16 for 64 in the preceding kernels, and the threads of a warp read neighbouring floats, without bank
 * conflicts. A thread then needs most of the registers that it can have, so only two warps per scheduler are resident.
 * To make them wait rarely, A and B are loaded into shared memory in slabs of BK, one or more slabs ahead of the
 * multiplication, and from there into registers one step ahead.
 *
 * TN: B is stored column by column. It is then copied as A is, one float at a time. Smaller tiles for this layout are
 * in warp_tiled_tn.cu.
 */
#include "copies.cuh"
#include "warp_tile.cuh"

enum { PADDING = 4 };

using large = tile<2, 4, 64, 64, 2, 1>;
using large_tn = tile<2, 4, 64, 64, 3, 1>;
using medium = tile<2, 2, 32, 64, 4, 3>;
using small = tile<2, 2, 16, 32, 6, 4>;

/* BK columns of A (transposed) for the rows of a tile, and BK rows of B for its columns. What is transposed has
 * padding, so that the floats of a row of A that are copied together go to different banks. */
template <typename Tile, bool TN> struct slab {
    float a[BK][Tile::BM + PADDING], b[BK][Tile::BN + (TN ? PADDING : 0)];
};

/* The number of floats that a thread copies of a slab of A. */
template <typename Tile> constexpr int singles = Tile::BM / (Tile::THREADS / BK);

/* The position of a block's next slab in A and B. */
template <typename Tile> struct source {
    const float *a, *b;     /* the slab's first elements */
    uint32_t k, n;          /* elements in a row of A, of B */
    uint32_t rows, columns; /* rows of A and columns of B from the slab's first elements to the end of the matrix */
    int left;               /* columns of A (rows of B) from the slab's first elements to the end of the matrix */
    uint32_t singles_a[singles<Tile>]; /* TN: the floats of A that this thread copies of each slab, relative to `a` */
};

/* Starts to copy BK floats of each of LINES lines of k floats, rows of A or columns of B, which become columns of `to`.
 * Instead of lines beyond the last one, that one is read again; the results are not stored. */
template <typename Tile, int LINES, int WIDTH>
__device__ static void start_transposing(float (&to)[BK][WIDTH], const float *from, uint32_t k, uint32_t lines,
                                         int left)
{
#pragma unroll
    for (int i = 0; i < BK * LINES / Tile::THREADS; i++) {
        uint32_t element = i * Tile::THREADS + threadIdx.x;
        uint32_t line = min(element / BK, lines - 1), at = element % BK;
        start_copy(&to[at][element / BK], from + line * k + at, (int)at < left);
    }
}

/* The same for A, with what this thread copies computed once. Of the layouts and matrices, only A in layout TN gains
 * from this (H200, CUDA 13.0): it takes registers. */
template <typename Tile>
__device__ static void find_singles(uint32_t (&found)[singles<Tile>], uint32_t k, uint32_t lines)
{
#pragma unroll
    for (int i = 0; i < singles<Tile>; i++)
        found[i] = min(i * (Tile::THREADS / BK) + threadIdx.x / BK, lines - 1) * k + threadIdx.x % BK;
}
template <typename Tile, int WIDTH>
__device__ static void start_transposing_singles(float (&to)[BK][WIDTH], const struct source<Tile> &from)
{
    float *first = &to[threadIdx.x % BK][threadIdx.x / BK];
#pragma unroll
    for (int i = 0; i < singles<Tile>; i++)
        start_copy(first + i * (Tile::THREADS / BK), from.a + from.singles_a[i], (int)(threadIdx.x % BK) < from.left);
}

/* Starts to copy a slab, and advances `from` to the next. */
template <typename Tile, bool TN, bool VECTORS>
__device__ static void start_copies(struct slab<Tile, TN> &to, struct source<Tile> &from)
{
    if constexpr (TN) {
        start_transposing_singles(to.a, from);
        start_transposing<Tile, Tile::BN>(to.b, from.b, from.k, from.columns, from.left);
        from.b += BK;
    } else {
        start_transposing<Tile, Tile::BM>(to.a, from.a, from.k, from.rows, from.left);
        constexpr int ROW_VECTORS = Tile::BN / 4; /* float4s in a row of B */
#pragma unroll
        for (int i = 0; i < BK * ROW_VECTORS / Tile::THREADS; i++) {
            uint32_t vector = i * Tile::THREADS + threadIdx.x;
            uint32_t at = vector / ROW_VECTORS, column = vector % ROW_VECTORS * 4;
            start_copy_float4<VECTORS>(&to.b[at][column], from.b + at * from.n, column,
                                       (int)at < from.left ? from.columns : 0);
        }
        from.b += (size_t)BK * from.n;
    }
    end_copy_group();
    from.a += BK;
    from.left -= BK;
}

/* The operands of a thread in one step along k. */
template <typename Tile> struct operands {
    float a[Tile::TM], b[Tile::TN];
};

template <typename Tile, bool TN>
__device__ static void load(struct operands<Tile> &operands, const struct slab<Tile, TN> &slab, int i, uint32_t row,
                            uint32_t column)
{
#pragma unroll
    for (int s = 0; s < Tile::TN; s += 4)
        *reinterpret_cast<float4 *>(&operands.b[s]) =
            *reinterpret_cast<const float4 *>(&slab.b[i][column + s * LANES_N]);
#pragma unroll
    for (int r = 0; r < Tile::TM; r += 4)
        *reinterpret_cast<float4 *>(&operands.a[r]) = *reinterpret_cast<const float4 *>(&slab.a[i][row + r * LANES_M]);
}

/* Adds the products of a step. The direction alternates from row to row, so that each multiply-add reuses an operand of
 * the preceding one: reading three registers per instruction would exceed the bandwidth of the two register banks. */
template <typename Tile>
__device__ static void multiply(float (&sums)[Tile::TM][Tile::TN], const struct operands<Tile> &operands)
{
#pragma unroll
    for (int r = 0; r < Tile::TM; r++)
#pragma unroll
        for (int i = 0; i < Tile::TN; i++) {
            int s = r % 2 == 0 ? i : Tile::TN - 1 - i;
            sums[r][s] += operands.a[r] * operands.b[s];
        }
}

/* The first row and column of this block's tile in layout TN. Blocks that run at the same time have tiles that form
 * about a square: tiles are numbered down bands of 16 rows of tiles. A large product then reads less from memory, which
 * leaves more of the power limit to the arithmetic. In layout NN this makes the kernel 3 % slower, presumably because
 * the compiler then chooses other registers for the sums. */
struct tile_start {
    uint32_t row, column;
};
template <typename Tile> __device__ static tile_start start_in_bands()
{
    constexpr uint32_t BAND = 16;
    uint32_t block = blockIdx.y * gridDim.x + blockIdx.x, first = block / (BAND * gridDim.x) * BAND;
    uint32_t height = min(BAND, gridDim.y - first), within = block - first * gridDim.x;
    return {(first + within % height) * Tile::BM, within / height * Tile::BN};
}

template <typename Tile, bool TN, bool VECTORS>
__device__ static void multiply_all(uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c)
{
    __shared__ __align__(16) struct slab<Tile, TN> slabs[Tile::SLABS];
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t row = warp / Tile::WARPS_N * Tile::WM + lane / LANES_N * 4;
    uint32_t column = warp % Tile::WARPS_N * Tile::WN + lane % LANES_N * 4;
    uint32_t first_row = blockIdx.y * Tile::BM, first_column = blockIdx.x * Tile::BN;
    if constexpr (TN) {
        const tile_start start = start_in_bands<Tile>();
        first_row = start.row, first_column = start.column;
    }

    const float *first_b = TN ? b + (size_t)first_column * k : b + first_column;
    const float *first_a = a + (size_t)first_row * k;
    struct source<Tile> source = {
        first_a, first_b, k, n, m - first_row, n - first_column, (int)k
    };
    if constexpr (TN)
        find_singles<Tile>(source.singles_a, k, source.rows);
#pragma unroll
    for (int i = 0; i < Tile::SLABS - 1; i++)
        start_copies<Tile, TN, VECTORS>(slabs[i], source);
    await_copies<Tile::SLABS - 2>();
    __syncthreads();

    float sums[Tile::TM][Tile::TN] = {};
    struct operands<Tile> operands[2];
    load(operands[0], slabs[0], 0, row, column);
    int current = 0, spare = Tile::SLABS - 1;
    for (uint32_t first = 0; first < k; first += BK) {
        start_copies<Tile, TN, VECTORS>(slabs[spare], source);
#pragma unroll
        for (int i = 0; i < BK; i++) {
            if (i == BK - 1) { /* the operands of the next step are in the next slab */
                await_copies<Tile::SLABS - 2>();
                __syncthreads();
                spare = current;
                current = current + 1 == Tile::SLABS ? 0 : current + 1;
            }
            load(operands[(i + 1) % 2], slabs[current], (i + 1) % BK, row, column);
            multiply<Tile>(sums, operands[i % 2]);
        }
    }

    /* Adding 0 moves the sums to other registers. The operand of a float4 store must be in consecutive registers; if
     * the sums were stored from their own registers, each of them would be in the same register bank as its operand of
     * B. */
#pragma unroll
    for (int r = 0; r < Tile::TM; r++)
#pragma unroll
        for (int s = 0; s < Tile::TN; s += 4) {
            const float *four = &sums[r][s];
            store_float4<VECTORS>(c, m, n, first_row + row + r / 4 * 4 * LANES_M + r % 4,
                                  first_column + column + s * LANES_N,
                                  make_float4(four[0] + 0.0f, four[1] + 0.0f, four[2] + 0.0f, four[3] + 0.0f));
        }
}

/* A kernel for each tile; for layout TN only for the large one, which was fastest with three slabs. "aligned": n is a
 * multiple of 4. */
#define KERNEL(name, Tile, TN, VECTORS)                                                                                \
    extern "C" __global__ __launch_bounds__(Tile::THREADS, Tile::BLOCKS) void name(                                    \
        uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c)                                  \
    {                                                                                                                  \
        multiply_all<Tile, TN, VECTORS>(m, n, k, a, b, c);                                                             \
    }
KERNEL(warp_tiled_128x256_aligned, large, false, true)
KERNEL(warp_tiled_64x128_aligned, medium, false, true)
KERNEL(warp_tiled_32x64_aligned, small, false, true)
KERNEL(warp_tiled_128x256, large, false, false)
KERNEL(warp_tiled_64x128, medium, false, false)
KERNEL(warp_tiled_32x64, small, false, false)
KERNEL(warp_tiled_tn_128x256_aligned, large_tn, true, true)
KERNEL(warp_tiled_tn_128x256, large_tn, true, false)
#undef KERNEL
