/* How wgmma divides a product among clusters of blocks: which cluster computes which part of which tile of C, in which
 * order, and how often blocks signal their progress. In C, so that tests on the CPU use it as well.
 *
 * C consists of tiles of one cluster each. All but the last `shared` tiles are computed as a whole, tile i by cluster i
 * % clusters. The steps along k of the last `shared` tiles are numbered one after the other and divided into equal
 * ranges, one for each cluster, so that all clusters have work although the tiles are few (M. Osama et al., "Stream-K:
 * Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023). If the number of
 * clusters is a multiple of `shared`, this divides each tile into parts that differ by at most one step ("split-k").
 *
 * The cluster that has the last steps of a tile stores it. The others that have steps of the tile have smaller numbers;
 * they pass their sums on, each at most once, to clusters with larger numbers. Each passes on what it has before it
 * waits for the sums of another tile. Blocks start in the order of their numbers (CUDA does not promise it, but GPUs do
 * it), so a cluster that waits for sums never waits for one that cannot start.
 */
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

/* Tiles are numbered column by column within bands of `band` rows, in every second band from right to left. Clusters
 * that run at the same time then share a nearly square area of tiles, which needs the fewest different rows of A and
 * columns of B for its size. */
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

/* The cluster that has one of the shared steps. */
LAB_HOST_DEVICE uint32_t wgmma_cluster_of(const struct wgmma_schedule *s, uint64_t shared_step)
{
    return (uint32_t)(((shared_step + 1) * s->clusters - 1) / ((uint64_t)s->shared * s->steps));
}

/* The clusters that have steps of a shared tile: `count` neighbours, of which `last` has the last steps. */
struct wgmma_sharers {
    uint32_t last, count;
};

LAB_HOST_DEVICE struct wgmma_sharers wgmma_sharers_of(const struct wgmma_schedule *s, uint32_t tile)
{
    uint32_t index = tile - wgmma_whole_tiles(s), parts = s->clusters / s->shared;
    struct wgmma_sharers sharers = {index * parts + parts - 1, parts};
    if (s->clusters % s->shared != 0) { /* otherwise the same as below, without its divisions of 64 bits */
        uint64_t first_step = (uint64_t)index * s->steps;
        sharers.last = wgmma_cluster_of(s, first_step + s->steps - 1);
        sharers.count = sharers.last - wgmma_cluster_of(s, first_step) + 1;
    }
    return sharers;
}

/* The sums of a shared tile are added in a tree, so that few additions wait for each other: 5 for 32 sharers. The rank
 * of a sharer is 0 for the last one, 1 for the one before it, and so on. For the distances 1, 2, 4, …, as long as this
 * function returns true, the sharer adds what the one that is `distance` ranks higher passes on; then it passes on its
 * own sums. */
LAB_HOST_DEVICE bool wgmma_adds(const struct wgmma_sharers *sharers, uint32_t rank, uint32_t distance)
{
    return rank % (2 * distance) == 0 && rank + distance < sharers->count;
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
 * The order: the whole tiles, so that the clusters read the same steps along k at the same time; then the shared parts,
 * from the last tile to the first. So a cluster that has parts of several tiles passes sums on before it waits for
 * others. */
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

/* In the whole tiles that every cluster has, a block signals its progress (produce.cuh) after each 32 steps of a tile;
 * not after the rest of less than 32. */
enum { WGMMA_SIGNAL_STEPS = 32, WGMMA_LEAST_SIGNALS = 16 };

/* The number of signals of a block. 0 if they are few: the product is over before blocks get far from each other. */
LAB_HOST_DEVICE uint32_t wgmma_signals(const struct wgmma_schedule *s)
{
    uint32_t signals = wgmma_whole_tiles(s) / s->clusters * (s->steps / WGMMA_SIGNAL_STEPS);
    return signals >= WGMMA_LEAST_SIGNALS ? signals : 0;
}

#endif
