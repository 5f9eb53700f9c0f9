/* The shapes of the blocks of wgmma: the kernel is compiled for each. The row that a product gets is chosen by choice.h.
 * X(NAME, ROWS, BN, CONSUMERS, CLUSTER_M, CLUSTER_N, BLOCKS): a block computes ROWS * CONSUMERS rows and BN columns of C;
 * CLUSTER_M x CLUSTER_N blocks form a cluster; BLOCKS fit on a multiprocessor. */
#ifndef LAB_CUDA_GEMM_WGMMA_SHAPES_H
#define LAB_CUDA_GEMM_WGMMA_SHAPES_H

#define WGMMA_SHAPES(X)                                                                                                \
    X(WGMMA_128X256_BY_2, 64, 256, 2, 2, 1, 1)                                                                         \
    X(WGMMA_256X128_BY_2, 128, 128, 2, 1, 2, 1)                                                                        \
    X(WGMMA_128X256, 64, 256, 2, 1, 1, 1)                                                                              \
    X(WGMMA_128X128_BY_2, 64, 128, 2, 2, 1, 1)                                                                         \
    X(WGMMA_128X128, 64, 128, 2, 1, 1, 1)                                                                              \
    X(WGMMA_64X128, 64, 128, 1, 1, 1, 2)                                                                               \
    X(WGMMA_64X64, 64, 64, 1, 1, 1, 2)

#define WGMMA_NUMBER(name, ...) name,
enum wgmma_shape { WGMMA_SHAPES(WGMMA_NUMBER) WGMMA_SHAPE_COUNT };
#undef WGMMA_NUMBER

#endif
