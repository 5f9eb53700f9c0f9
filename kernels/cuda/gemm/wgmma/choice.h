/* How wgmma divides a product: the shape of its blocks, and whether tiles are divided along k. Chosen from a table that
 * was made by measuring (table.h); products that are not in it follow a rule. No CUDA, so that tests on the CPU use it
 * as well. */
#ifndef LAB_CUDA_GEMM_WGMMA_CHOICE_H
#define LAB_CUDA_GEMM_WGMMA_CHOICE_H

#include "runtime/gemm.h"
#include "schedule.h"
#include "shapes.h"

/* Values of struct wgmma_choice.split from 1 on are the number of parts into which each tile is divided along k; this
 * one divides the tiles of the last two waves evenly among all clusters (stream-k). A wave is as many tiles as there
 * are clusters at a time; the last one is mostly not full. */
enum { WGMMA_STREAM = 0 };

struct wgmma_choice {
    enum wgmma_shape shape;
    uint32_t split;
    uint32_t band; /* rows of tiles in a band; see wgmma_tile_at */
};

/* The product that the kernel computes, on a device with some multiprocessors. In layout NN tf32 is computed as the
 * transposed product (kernel.cuh): m and n are then exchanged. */
struct wgmma_product {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    uint32_t m, n, k;
    uint32_t multiprocessors;
};

/* Whether the transposed product is computed. */
static inline bool lab_cuda_wgmma_is_transposed(enum lab_gemm_type type, enum lab_gemm_layout layout)
{
    return type == LAB_GEMM_TF32 && layout == LAB_GEMM_NN;
}

/* The product for an m x n matrix C. */
static inline struct wgmma_product lab_cuda_wgmma_product(enum lab_gemm_type type, enum lab_gemm_layout layout,
                                                          uint32_t m, uint32_t n, uint32_t k, uint32_t multiprocessors)
{
    bool transposed = lab_cuda_wgmma_is_transposed(type, layout);
    return (struct wgmma_product){type, layout, transposed ? n : m, transposed ? m : n, k, multiprocessors};
}

/* What is known of a shape without CUDA, from its row in shapes.h. */
struct wgmma_shape_size {
    const char *name; /* in enum wgmma_shape */
    enum wgmma_types types;
    uint32_t bm, bn, consumers, cluster_m, cluster_n, blocks;
};
const struct wgmma_shape_size *lab_cuda_wgmma_shape_size(enum wgmma_shape shape);

/* The choice for a product. */
struct wgmma_choice lab_cuda_wgmma_choose(const struct wgmma_product *product);

/* The schedule of a choice; it has at least one cluster, and none of them is idle. A split that has more parts than the
 * tiles have steps along k is reduced. */
struct wgmma_schedule lab_cuda_wgmma_schedule(const struct wgmma_product *product, const struct wgmma_choice *choice);

/* Whether the kernel is compiled for the type and the shape. */
bool lab_cuda_wgmma_shape_is_for(enum wgmma_shape shape, enum lab_gemm_type type);

/* Writes the choice as text: "wgmma 128x256 by 2, k in 4 parts"; for fp64 "mma 128x128". */
void lab_cuda_wgmma_describe(const struct wgmma_choice *choice, enum lab_gemm_type type, char *text, size_t size);

#endif
