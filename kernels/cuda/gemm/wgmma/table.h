/* Choices that were measured on an H100 SXM (132 multiprocessors; two rows on an H200 SXM, which has as many), for
 * devices with as many; others, and products that have no row, follow the rule in choice.c. gpulab-tune-gemm
 * (tests/gpu) finds the fastest choices and prints their rows. The comments are TFLOP/s. Of choices that were as fast
 * within 1 % in several runs, the earlier one was kept. */
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
    {LAB_GEMM_FP64, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X32, 1, 8}},                         /* 33.2 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 54.5 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_192X64, WGMMA_STREAM, 8}},          /* 57.1 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_96X128, WGMMA_STREAM, 8}},          /* 59.6 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_192X64, WGMMA_STREAM, 8}},          /* 59.6 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_192X64, WGMMA_STREAM, 8}},       /* 60.6, H200 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X32, 1, 8}},                         /* 32.1 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_64X64, 1, 8}},                      /* 51.7 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_96X128, WGMMA_STREAM, 8}},          /* 57.4 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_96X128, WGMMA_STREAM, 8}},          /* 58.7 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_192X64, WGMMA_STREAM, 8}},          /* 59.6 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_96X128, 1, 16}},                 /* 61.4, H200 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 50.7 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_64X64, 1, 8}},                      /* 192.3 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 315.2 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_128X256, 1, 8}},                    /* 341.7 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}},    /* 346.9 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_128X256_BY_2, 1, 8}},            /* 347.1 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 60.2 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 221.3 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 319.7 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256_BY_2, 1, 8}},               /* 341.5 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}},    /* 347.2 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}}, /* 356.7 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 89.9 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 403.8 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_128X128, 1, 8}},                    /* 666.6 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_128X256, 1, 8}},                    /* 672.0 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}},    /* 695.7 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}}, /* 690.0 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 90.7 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 404.1 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 645.1 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 8}},                    /* 684.4 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}},    /* 694.0 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}}, /* 689.3 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 90.5 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 402.0 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 618.2 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_128X256, 1, 16}},                   /* 659.3 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}},    /* 660.8 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}}, /* 665.4 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 90.3 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 401.1 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 616.9 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 4}},                    /* 641.3 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}},    /* 663.6 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}}, /* 666.7 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                          /* 92.8 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                      /* 555.0 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X128, 1, 8}},                     /* 1159.4 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 8}},                     /* 1313.7 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_128X256, 1, 4}},                     /* 1292.8 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}},  /* 1355.4 */
};

#endif
