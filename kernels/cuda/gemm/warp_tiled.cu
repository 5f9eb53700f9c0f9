/* fp32 at its best: nine of ten instructions are multiply-adds.
 *
 * A block's tile of C is divided among warps, and a warp's part among 4 x 8 threads, in the largest tile 16 x 8
 * elements each: 24 floats read from shared memory make 128 multiply-adds there, where 16 made 64 before, and the
 * threads of a warp read neighbours, without bank conflicts. A thread then takes most of the registers that it can
 * have, which leaves a scheduler two warps to choose from. They must hardly ever wait: A and B are brought into shared
 * memory in slabs, one or more ahead of the multiplication, and from there into registers one step ahead.
 */
#include "copies.cuh"
#include "gemm.h"

enum { DEPTH = 8, PADDING = 4, LANES_DOWN = 4, LANES_ACROSS = 8 };

/* `slabs` is how many are in shared memory at a time, `blocks` how many blocks a multiprocessor must have registers
 * for, `cost` the time for an element of C in percent of what it takes with the largest tile (on an H200 with enough
 * tiles for all multiprocessors). */
template <int warps_down, int warps_across, int warp_rows, int warp_columns, int slabs, int blocks, int cost>
struct division {
    static constexpr int WARPS_ACROSS = warps_across, WARP_ROWS = warp_rows, WARP_COLUMNS = warp_columns;
    static constexpr int SLABS = slabs, BLOCKS = blocks, COST = cost;
    static constexpr int THREADS = warps_down * warps_across * 32;
    static constexpr int ROWS = warps_down * warp_rows, COLUMNS = warps_across * warp_columns;
    static constexpr int ROWS_EACH = warp_rows / LANES_DOWN, COLUMNS_EACH = warp_columns / LANES_ACROSS;
};
using large = division<2, 4, 64, 64, 2, 1, 100>;
using middle = division<2, 2, 32, 64, 4, 3, 108>;
using small = division<2, 2, 16, 32, 6, 4, 160>;

/* DEPTH columns of A (transposed) for the rows of a tile, and DEPTH rows of B for its columns. */
template <typename Tile> struct slab {
    float a[DEPTH][Tile::ROWS + PADDING], b[DEPTH][Tile::COLUMNS];
};

/* Where a block's next slab lies. */
struct source {
    const float *a, *b;     /* its first elements */
    uint32_t k, n;          /* elements in a row of A, of B */
    uint32_t rows, columns; /* that A and B have from there on */
    int left;               /* of k, from there on */
};

/* Past the last row of A that one is read again: nobody stores what comes of it. */
template <typename Tile, bool QUADS> __device__ static void start_copies(struct slab<Tile> &to, struct source &from)
{
    constexpr int ACROSS = Tile::COLUMNS / 4; /* quads in a row of B */
#pragma unroll
    for (int i = 0; i < DEPTH * Tile::ROWS / Tile::THREADS; i++) {
        uint32_t element = i * Tile::THREADS + threadIdx.x;
        uint32_t row = min(element / DEPTH, from.rows - 1), at = element % DEPTH;
        start_copy(&to.a[at][element / DEPTH], from.a + row * from.k + at, (int)at < from.left);
    }
#pragma unroll
    for (int i = 0; i < DEPTH * ACROSS / Tile::THREADS; i++) {
        uint32_t quad = i * Tile::THREADS + threadIdx.x;
        uint32_t at = quad / ACROSS, column = quad % ACROSS * 4;
        start_copy_quad<QUADS>(&to.b[at][column], from.b + at * from.n, column, (int)at < from.left ? from.columns : 0);
    }
    end_copy_group();
    from.a += DEPTH;
    from.b += (size_t)DEPTH * from.n;
    from.left -= DEPTH;
}

/* What a thread multiplies in one step along k. */
template <typename Tile> struct factors {
    float a[Tile::ROWS_EACH], b[Tile::COLUMNS_EACH];
};

template <typename Tile>
__device__ static void load(struct factors<Tile> &factors, const struct slab<Tile> &slab, int i, uint32_t row,
                            uint32_t column)
{
#pragma unroll
    for (int s = 0; s < Tile::COLUMNS_EACH; s += 4)
        *reinterpret_cast<float4 *>(&factors.b[s]) =
            *reinterpret_cast<const float4 *>(&slab.b[i][column + s * LANES_ACROSS]);
#pragma unroll
    for (int r = 0; r < Tile::ROWS_EACH; r += 4)
        *reinterpret_cast<float4 *>(&factors.a[r]) =
            *reinterpret_cast<const float4 *>(&slab.a[i][row + r * LANES_DOWN]);
}

/* Goes to and fro, so that a multiply-add has a factor in common with the one before and need not read it again: three
 * registers at a time is more than the two banks that they lie in can give. */
template <typename Tile>
__device__ static void multiply(float (&sums)[Tile::ROWS_EACH][Tile::COLUMNS_EACH], const struct factors<Tile> &factors)
{
#pragma unroll
    for (int r = 0; r < Tile::ROWS_EACH; r++)
#pragma unroll
        for (int i = 0; i < Tile::COLUMNS_EACH; i++) {
            int s = r % 2 == 0 ? i : Tile::COLUMNS_EACH - 1 - i;
            sums[r][s] += factors.a[r] * factors.b[s];
        }
}

template <typename Tile, bool QUADS>
__global__ __launch_bounds__(Tile::THREADS, Tile::BLOCKS) void warp_tiled(uint32_t m, uint32_t n, uint32_t k,
                                                                          const float *a, const float *b, float *c)
{
    __shared__ __align__(16) struct slab<Tile> slabs[Tile::SLABS];
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t row = warp / Tile::WARPS_ACROSS * Tile::WARP_ROWS + lane / LANES_ACROSS * 4;
    uint32_t column = warp % Tile::WARPS_ACROSS * Tile::WARP_COLUMNS + lane % LANES_ACROSS * 4;
    uint32_t first_row = blockIdx.y * Tile::ROWS, first_column = blockIdx.x * Tile::COLUMNS;

    struct source source = {a + (size_t)first_row * k, b + first_column, k, n, m - first_row, n - first_column, (int)k};
#pragma unroll
    for (int i = 0; i < Tile::SLABS - 1; i++)
        start_copies<Tile, QUADS>(slabs[i], source);
    await_copies<Tile::SLABS - 2>();
    __syncthreads();

    float sums[Tile::ROWS_EACH][Tile::COLUMNS_EACH] = {};
    struct factors<Tile> factors[2];
    load(factors[0], slabs[0], 0, row, column);
    int current = 0, spare = Tile::SLABS - 1;
    for (uint32_t first = 0; first < k; first += DEPTH) {
        start_copies<Tile, QUADS>(slabs[spare], source);
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            if (i == DEPTH - 1) { /* the next factors are in the next slab */
                await_copies<Tile::SLABS - 2>();
                __syncthreads();
                spare = current;
                current = current + 1 == Tile::SLABS ? 0 : current + 1;
            }
            load(factors[(i + 1) % 2], slabs[current], (i + 1) % DEPTH, row, column);
            multiply<Tile>(sums, factors[i % 2]);
        }
    }

    /* What comes of adding 0 has registers of its own. Four floats that are stored at once must lie in neighbouring
     * ones: that would put each sum into the same bank as its factor of B. */
#pragma unroll
    for (int r = 0; r < Tile::ROWS_EACH; r++)
#pragma unroll
        for (int s = 0; s < Tile::COLUMNS_EACH; s += 4) {
            const float *quad = &sums[r][s];
            store_quad<QUADS>(c, m, n, first_row + row + r / 4 * 4 * LANES_DOWN + r % 4,
                              first_column + column + s * LANES_ACROSS,
                              make_float4(quad[0] + 0.0f, quad[1] + 0.0f, quad[2] + 0.0f, quad[3] + 0.0f));
        }
}

template <typename Tile> static dim3 blocks_for(const struct cuda_gemm *gemm)
{
    return dim3((gemm->n + Tile::COLUMNS - 1) / Tile::COLUMNS, (gemm->m + Tile::ROWS - 1) / Tile::ROWS);
}

/* How long a multiprocessor is busy: so many tiles one after the other. */
template <typename Tile> static uint64_t duration(const struct cuda_gemm *gemm)
{
    dim3 blocks = blocks_for<Tile>(gemm);
    uint64_t turns = ((uint64_t)blocks.x * blocks.y + gemm->multiprocessors - 1) / gemm->multiprocessors;
    return turns * Tile::ROWS * Tile::COLUMNS * Tile::COST;
}

template <typename Tile> static cudaError_t launch_with(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks_for<Tile>(gemm);
    config.blockDim = Tile::THREADS;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, gemm->n % 4 == 0 ? warp_tiled<Tile, true> : warp_tiled<Tile, false>, gemm->m,
                              gemm->n, gemm->k, (const float *)gemm->a, (const float *)gemm->b, (float *)gemm->c);
}

/* The largest tile needs least for an element, but leaves multiprocessors without work where C is small. */
static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    uint64_t by_large = duration<large>(gemm), by_middle = duration<middle>(gemm), by_small = duration<small>(gemm);
    if (by_small < by_middle && by_small < by_large)
        return launch_with<small>(gemm, stream);
    return by_middle < by_large ? launch_with<middle>(gemm, stream) : launch_with<large>(gemm, stream);
}

const struct cuda_gemm_step lab_cuda_gemm_warp_tiled = {
    CUDA_GEMM_BIT(LAB_GEMM_FP32), CUDA_GEMM_BIT(LAB_GEMM_NN), 0, 0, nullptr, launch, nullptr};
