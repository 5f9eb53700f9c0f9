/* What was measured as the fastest choice, on an H200 SXM (132 multiprocessors, driver 580, CUDA 13.0). The rows are printed
 * by gpulab-tune-gemm (tests/gpu). Devices with another number of multiprocessors follow the rule in choice.c. */
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
