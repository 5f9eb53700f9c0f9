/* Shared by the files of this folder. Each kernel (the API calls it a step) has a file of its own, which describes with
 * a struct cuda_gemm_step what it supports and how it is launched; gemm.c lists them.
 */
#ifndef LAB_CUDA_GEMM_H
#define LAB_CUDA_GEMM_H

#include "runtime/gemm.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A product, as a kernel gets it. Addresses are of device memory. */
struct cuda_gemm {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    uint32_t m, n, k;
    const void *a, *b;
    void *c;
    int multiprocessors;
    void *prepared; /* what `prepare` allocated and `discard` frees; NULL for nothing */
};

#define CUDA_GEMM_BIT(number) (1u << (number))

struct cuda_gemm_step {
    unsigned types;                        /* bits of enum lab_gemm_type */
    unsigned layouts;                      /* bits of enum lab_gemm_layout */
    int least_capability, most_capability; /* major * 10 + minor; 0: any */

    /* Sets kernel attributes, creates tensor maps. NULL if there is nothing to prepare. cudaErrorNotSupported with the
     * reason in *why for a product that the kernel cannot compute. */
    cudaError_t (*prepare)(struct cuda_gemm *gemm, const char **why);
    /* Only queues, and only what a graph can capture: to load the kernels, it is called once during the capture of a
     * graph that is never launched. */
    cudaError_t (*launch)(const struct cuda_gemm *gemm, cudaStream_t stream);
    /* Called if `prepared` is not NULL. */
    void (*discard)(struct cuda_gemm *gemm);
};

extern const struct cuda_gemm_step lab_cuda_gemm_naive;           /* naive.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_coalesced;       /* coalesced.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_tiled_8;         /* tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_tiled_16;        /* tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_tiled_32;        /* tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_block_tiling;    /* block_tiling.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_vectorized;      /* vectorized.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_double_buffered; /* double_buffered.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_warp_tiled;      /* warp_tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_mma;             /* mma.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_wgmma;           /* wgmma.cu, compiled only for sm_90a */

/* inputs.cu: see lab_gemm_fill, lab_gemm_expected, lab_gemm_compare. Addresses are of device memory. */
cudaError_t lab_cuda_launch_gemm_fill(cudaStream_t stream, const struct lab_gemm_fill *fill);
cudaError_t lab_cuda_launch_gemm_expected(cudaStream_t stream, const struct lab_gemm_expected *expected);
/* Adds to *wrong, which is device memory. */
cudaError_t lab_cuda_launch_gemm_compare(cudaStream_t stream, const struct lab_gemm_compare *compare,
                                         unsigned long long *wrong);

/* ceiling.cu, ceiling_wgmma.cu: `rounds` rounds of multiply-adds on every multiprocessor. Sets *operations to the
 * number of floating-point operations. `sink` is a few bytes of device memory that are never written.
 * cudaErrorNotSupported if the ceiling of this type cannot be measured on the device. */
cudaError_t lab_cuda_launch_gemm_ceiling(cudaStream_t stream, enum lab_gemm_type type, int capability,
                                         int multiprocessors, uint32_t rounds, void *sink, double *operations);

#ifdef __cplusplus
}
#endif

#endif
