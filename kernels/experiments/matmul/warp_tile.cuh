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
#endif
