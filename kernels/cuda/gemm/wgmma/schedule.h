/* How wgmma divides a product among clusters of blocks: which cluster computes which part of which tile of C, in which
 * order, and how often blocks signal their progress. In C, so that tests on the CPU use it as well.
 *
 * C consists of tiles of one cluster each. All but the last `shared` tiles are computed as a whole, tile i by cluster
 * i % clusters. The steps along k of the last `shared` tiles are numbered one after the other and divided into equal ranges,
 * one for each cluster, so that all clusters have work although the tiles are few (M. Osama et al., "Stream-K: Work-centric
 * Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023). If the number of clusters is a multiple
 * of `shared`, this divides each tile into parts that differ by at most one step ("split-k").
 *
 * The cluster that has the last steps of a tile stores it. The others that have steps of the tile have smaller numbers; they
 * pass their sums to it, each at most once, before they wait for sums themselves. Blocks start in the order of their numbers
 * (CUDA does not promise it, but GPUs do it), so the cluster that waits for sums never waits for one that cannot start. */
#ifndef LAB_CUDA_GEMM_WGMMA_SCHEDULE_H
#define LAB_CUDA_GEMM_WGMMA_SCHEDULE_H

#include "runtime/pattern.h"

#include <stdbool.h>
#include <stdint.h>

struct wgmma_schedule {
    uint32_t rows, columns; /* tiles of C */
    uint32_t steps;         /* along k, of a tile; at least 1 */
    uint32_t clusters;      /* at most as many as there are parts, so that none is idle */
    uint32_t shared;        /* tiles that are divided along k */
    uint32_t band;          /* rows of tiles in a band; see wgmma_tile_at */
};

/* Some steps of a tile. */
struct wgmma_part {
    uint32_t tile;
    uint32_t first, count; /* steps along k */
};

/* The position of a tile, in tiles. */
struct wgmma_tile {
    uint32_t row, column;
};

/* Clusters that run at the same time have neighbouring tiles. Tiles are numbered down bands of `band` rows, so that these
 * tiles form about a square, which has the fewest different rows of A and columns of B for its size. Every second band is
 * traversed backwards. */
LAB_HOST_DEVICE struct wgmma_tile wgmma_tile_at(const struct wgmma_schedule *s, uint32_t tile)
{
    uint32_t band = tile / (s->band * s->columns), within = tile % (s->band * s->columns);
    uint32_t left = s->rows - band * s->band, height = left < s->band ? left : s->band;
    uint32_t column = within / height;
    struct wgmma_tile at = {band * s->band + within % height, band % 2 != 0 ? s->columns - 1 - column : column};
    return at;
}

/* The tiles that are computed as a whole. */
LAB_HOST_DEVICE uint32_t wgmma_whole_tiles(const struct wgmma_schedule *s)
{
    return s->rows * s->columns - s->shared;
}

/* The first of the shared steps of a cluster; those of the next cluster follow. */
LAB_HOST_DEVICE uint32_t wgmma_first_shared_step(const struct wgmma_schedule *s, uint32_t cluster)
{
    return (uint32_t)((uint64_t)cluster * s->shared * s->steps / s->clusters);
}

/* The first cluster that has steps of a shared tile. */
LAB_HOST_DEVICE uint32_t wgmma_first_cluster(const struct wgmma_schedule *s, uint32_t tile)
{
    uint64_t step = (uint64_t)(tile - wgmma_whole_tiles(s)) * s->steps;
    return (uint32_t)(((step + 1) * s->clusters - 1) / ((uint64_t)s->shared * s->steps));
}

LAB_HOST_DEVICE bool wgmma_has_first_step(const struct wgmma_part *part)
{
    return part->first == 0;
}

LAB_HOST_DEVICE bool wgmma_has_last_step(const struct wgmma_schedule *s, const struct wgmma_part *part)
{
    return part->first + part->count == s->steps;
}

/* Sets *part to the next part of a cluster; *next is 0 at first, and counts them. Returns false after the last one.
 *
 * The order: the whole tiles, so that the clusters read the same steps along k at the same time; then the shared parts, from
 * the last tile to the first. So the part whose sums are passed on comes before the one that waits for sums. */
LAB_HOST_DEVICE bool wgmma_next_part(const struct wgmma_schedule *s, uint32_t cluster, uint32_t *next,
                                     struct wgmma_part *part)
{
    if (s->shared == 0) { /* the same as below, without its divisions */
        part->tile = cluster + (*next)++ * s->clusters;
        part->first = 0;
        part->count = s->steps;
        return part->tile < wgmma_whole_tiles(s);
    }
    uint32_t first = wgmma_first_shared_step(s, cluster), end = wgmma_first_shared_step(s, cluster + 1);
    uint32_t whole = wgmma_whole_tiles(s), own_whole = (whole + s->clusters - 1 - cluster) / s->clusters;
    uint32_t index = (*next)++;
    uint32_t lowest = first / s->steps, tiles = end > first ? (end - 1) / s->steps + 1 - lowest : 0, tile;
    if (index < own_whole) {
        part->tile = cluster + index * s->clusters;
        part->first = 0;
        part->count = s->steps;
        return true;
    }
    index -= own_whole;
    if (index >= tiles)
        return false;
    tile = lowest + tiles - 1 - index;
    part->tile = whole + tile;
    part->first = first > tile * s->steps ? first - tile * s->steps : 0;
    part->count = (end < (tile + 1) * s->steps ? end - tile * s->steps : s->steps) - part->first;
    return true;
}

/* --- progress ----------------------------------------------------------------------------------------------------- */

/* In the whole tiles that every cluster has, a block signals its progress (produce.cuh) after each 32 steps of a tile; not
 * after the rest of less than 32. */
enum { WGMMA_SIGNAL_STEPS = 32, WGMMA_LEAST_SIGNALS = 16 };

/* The number of signals of a block. 0 if they are few: the product is over before blocks get far from each other. */
LAB_HOST_DEVICE uint32_t wgmma_signals(const struct wgmma_schedule *s)
{
    uint32_t signals = wgmma_whole_tiles(s) / s->clusters * (s->steps / WGMMA_SIGNAL_STEPS);
    return signals >= WGMMA_LEAST_SIGNALS ? signals : 0;
}

#endif
