/* The division of a tile of C among warps and threads, for warp tiling. */
#ifndef LAB_MATMUL_WARP_TILE_CUH
#define LAB_MATMUL_WARP_TILE_CUH

/* Steps along k of a slab; the threads of a warp. */
enum { BK = 8, LANES_M = 4, LANES_N = 8 };

/* The division of a block's tile among its warps and threads. `slabs`: number of slabs (k-tiles of A and B) that
 * shared memory holds at a time. `blocks`: minimum number of resident blocks per multiprocessor, as in
 * __launch_bounds__. */
template <int warps_m, int warps_n, int wm, int wn, int slabs, int blocks> struct tile {
    static constexpr int WARPS_N = warps_n, WM = wm, WN = wn;
    static constexpr int SLABS = slabs, BLOCKS = blocks;
    static constexpr int THREADS = warps_m * warps_n * 32;
    static constexpr int BM = warps_m * wm, BN = warps_n * wn;
    static constexpr int TM = wm / LANES_M, TN = wn / LANES_N;
};

/* The first row and column of this block's tile. Blocks that run at the same time have tiles that form about a square: tiles
 * are numbered down bands of 16 rows of tiles. A large product then reads less from memory, which leaves more of the power
 * limit to the arithmetic. Small tiles are for small products, whose matrices fit in the L2 cache. */
struct tile_start {
    uint32_t row, column;
};
template <typename Tile> __device__ static tile_start start_of_tile()
{
    constexpr uint32_t BAND = 16;
    if (Tile::BM < 128)
        return {blockIdx.y * Tile::BM, blockIdx.x * Tile::BN};
    uint32_t block = blockIdx.y * gridDim.x + blockIdx.x, first = block / (BAND * gridDim.x) * BAND;
    uint32_t height = min(BAND, gridDim.y - first), within = block - first * gridDim.x;
    return {(first + within % height) * Tile::BM, within / height * Tile::BN};
}
#endif
