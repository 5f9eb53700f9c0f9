/* Choices that were measured on an H200 SXM (132 multiprocessors), for devices with as many; others, and products that have
 * no row, follow the rule in choice.c. gpulab-tune-gemm (tests/gpu) finds the fastest choices and prints their rows. These
 * rows were measured when there was only this shape. */
#ifndef LAB_CUDA_GEMM_WGMMA_TABLE_H
#define LAB_CUDA_GEMM_WGMMA_TABLE_H

#include "choice.h"

enum { WGMMA_TABLE_MULTIPROCESSORS = 132 };

struct wgmma_row {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    uint32_t m, n, k; /* as in struct wgmma_product */
    struct wgmma_choice choice;
};

static const struct wgmma_row wgmma_table[] = {
    {LAB_GEMM_BF16, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256_BY_2, 1, 8}},
    {LAB_GEMM_BF16, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_128X256_BY_2, 1, 8}},
};

#endif
