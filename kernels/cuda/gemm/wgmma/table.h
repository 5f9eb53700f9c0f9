/* Choices that were measured on an H200 SXM (132 multiprocessors), for devices with as many; others, and products that have
 * no row, follow the rule in choice.c. gpulab-tune-gemm (tests/gpu) finds the fastest choices and prints their rows; where a
 * run of matmul contradicted it, the row follows the run. The comments are TFLOP/s. */
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
    {LAB_GEMM_FP64, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X32, 2, 8}},                         /* 29.0 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_64X32, 1, 4}},                      /* 51.6 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_192X64, WGMMA_STREAM, 8}},          /* 58.6 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_96X128, WGMMA_STREAM, 8}},          /* 59.3 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_192X64, WGMMA_STREAM, 8}},          /* 61.6 */
    {LAB_GEMM_FP64, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_192X64, WGMMA_STREAM, 8}},       /* 60.6 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X32, 1, 8}},                         /* 28.5 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_32X64, 1, 8}},                      /* 52.2 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_96X128, WGMMA_STREAM, 8}},          /* 58.2 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_96X128, WGMMA_STREAM, 8}},          /* 60.2 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_192X64, WGMMA_STREAM, 8}},          /* 61.9 */
    {LAB_GEMM_FP64, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_96X128, 1, 16}},                 /* 61.4 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 48.6 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_64X64, 1, 8}},                      /* 190.6 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 323.5 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_128X256, 1, 16}},                   /* 337.7 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_128X256, WGMMA_STREAM, 8}},         /* 343.9 */
    {LAB_GEMM_TF32, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_128X256, WGMMA_STREAM, 8}},      /* 342.5 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 50.7 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_128X64, 1, 8}},                     /* 205.9 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 321.2 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 16}},                   /* 337.3 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}},    /* 341.9 */
    {LAB_GEMM_TF32, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}}, /* 341.4 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 74.8 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_64X128, 1, 8}},                     /* 367.2 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 663.0 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_128X256, 1, 8}},                    /* 665.9 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}},    /* 679.1 */
    {LAB_GEMM_BF16, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_128X256, WGMMA_STREAM, 8}},      /* 683.3 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 76.6 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_64X128, 1, 8}},                     /* 371.1 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 664.0 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 8}},                    /* 655.8 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_128X256, WGMMA_STREAM, 8}},         /* 676.3 */
    {LAB_GEMM_BF16, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_128X256, 1, 8}},                 /* 678.1 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 74.6 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 1024, 1024, 1024, {WGMMA_64X128, 1, 8}},                     /* 371.0 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 627.8 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 4096, 4096, 4096, {WGMMA_128X256, 1, 4}},                    /* 642.8 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 8192, 8192, 8192, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}},    /* 659.6 */
    {LAB_GEMM_FP16, LAB_GEMM_NN, 16384, 16384, 16384, {WGMMA_128X256, WGMMA_STREAM, 8}},      /* 648.3 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                         /* 76.7 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_64X128, 1, 8}},                     /* 370.5 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                    /* 624.5 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 16}},                   /* 639.9 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}},    /* 658.4 */
    {LAB_GEMM_FP16, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_256X128_BY_2, WGMMA_STREAM, 8}}, /* 650.5 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 512, 512, 512, {WGMMA_64X64, 1, 8}},                          /* 92.6 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 1024, 1024, 1024, {WGMMA_64X128, 1, 8}},                      /* 526.9 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 2048, 2048, 2048, {WGMMA_128X256, 1, 8}},                     /* 1185.3 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 4096, 4096, 4096, {WGMMA_128X256, 1, 16}},                    /* 1255.5 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 8192, 8192, 8192, {WGMMA_128X256, 1, 4}},                     /* 1302.0 */
    {LAB_GEMM_FP8, LAB_GEMM_TN, 16384, 16384, 16384, {WGMMA_128X256_BY_2, WGMMA_STREAM, 8}},  /* 1331.9 */
};

#endif
