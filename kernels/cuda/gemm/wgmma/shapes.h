/* The shapes of the blocks of wgmma: the kernel is compiled for each. The row that a product gets is chosen by
 * choice.h. X(NAME, TYPES, ROWS, BN, CONSUMERS, CLUSTER_M, CLUSTER_N, BLOCKS): a block computes ROWS * CONSUMERS rows
 * and BN columns of C; CLUSTER_M x CLUSTER_N blocks form a cluster ("by 2" if they are two); BLOCKS fit on a
 * multiprocessor. Sums of fp64 take twice as many registers, so the larger shapes are not for fp64; wgmma takes at
 * least 64 rows and columns here. */
#ifndef LAB_CUDA_GEMM_WGMMA_SHAPES_H
#define LAB_CUDA_GEMM_WGMMA_SHAPES_H

enum wgmma_types { WGMMA_ALL, WGMMA_NOT_FP64, WGMMA_ONLY_FP64 };

#define WGMMA_SHAPES(X)                                                                                                \
    X(WGMMA_128X256_BY_2, WGMMA_NOT_FP64, 64, 256, 2, 2, 1, 1)                                                         \
    X(WGMMA_256X128_BY_2, WGMMA_NOT_FP64, 128, 128, 2, 1, 2, 1)                                                        \
    X(WGMMA_128X256, WGMMA_NOT_FP64, 64, 256, 2, 1, 1, 1)                                                              \
    X(WGMMA_128X128_BY_2, WGMMA_ALL, 64, 128, 2, 2, 1, 1)                                                              \
    X(WGMMA_128X128, WGMMA_ALL, 64, 128, 2, 1, 1, 1)                                                                   \
    X(WGMMA_128X64, WGMMA_ALL, 64, 64, 2, 1, 1, 1)                                                                     \
    X(WGMMA_64X128, WGMMA_NOT_FP64, 64, 128, 1, 1, 1, 2)                                                               \
    X(WGMMA_64X64, WGMMA_ALL, 64, 64, 1, 1, 1, 2)                                                                      \
    X(WGMMA_64X32, WGMMA_ONLY_FP64, 64, 32, 1, 1, 1, 2)                                                                \
    X(WGMMA_32X64, WGMMA_ONLY_FP64, 32, 64, 1, 1, 1, 2)                                                                \
    X(WGMMA_96X128, WGMMA_ONLY_FP64, 32, 128, 3, 1, 1, 1)                                                              \
    X(WGMMA_192X64, WGMMA_ONLY_FP64, 64, 64, 3, 1, 1, 1)

#define WGMMA_NUMBER(name, ...) name,
enum wgmma_shape { WGMMA_SHAPES(WGMMA_NUMBER) WGMMA_SHAPE_COUNT };
#undef WGMMA_NUMBER

#endif
