/* Between the files of this folder: each step of the ladder is a file of its own, which tells what it can do and how it
 * is launched; gemm.c knows them all.
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

/* A product on its way to a kernel; addresses are of device memory. */
struct cuda_gemm {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    uint32_t m, n, k;
    const void *a, *b;
    void *c;
    int multiprocessors;
    void *made; /* what the step's `prepare` made and its `discard` frees */
};

#define CUDA_GEMM_BIT(number) (1u << (number))

struct cuda_gemm_step {
    unsigned types;                        /* bits of enum lab_gemm_type */
    unsigned layouts;                      /* bits of enum lab_gemm_layout */
    int least_capability, most_capability; /* major * 10 + minor; 0: any */

    /* Sets attributes of kernels, makes tensor maps; NULL where there is nothing to make. cudaErrorNotSupported for a
     * product that the step cannot compute because of its sizes; `*why` is then the sentence. */
    cudaError_t (*prepare)(struct cuda_gemm *gemm, const char **why);
    /* Only queues, and nothing that a graph cannot record: to load its kernels, it is called once into a graph that never
     * runs. */
    cudaError_t (*launch)(const struct cuda_gemm *gemm, cudaStream_t stream);
    /* Called where `made` is not NULL. */
    void (*discard)(struct cuda_gemm *gemm);
};

extern const struct cuda_gemm_step lab_cuda_gemm_naive;           /* naive.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_coalesced;       /* coalesced.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_tiled_8;         /* tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_tiled_16;        /* tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_tiled_32;        /* tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_register_tiles;  /* register_tiles.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_vectorized;      /* vectorized.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_double_buffered; /* double_buffered.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_warp_tiled;      /* warp_tiled.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_mma;             /* mma.cu */
extern const struct cuda_gemm_step lab_cuda_gemm_wgmma;           /* wgmma.cu, compiled for sm_90a alone */

/* inputs.cu: see lab_gemm_fill, lab_gemm_expected, lab_gemm_compare. Addresses are of device memory. */
cudaError_t lab_cuda_launch_gemm_fill(cudaStream_t stream, const struct lab_gemm_fill *fill);
cudaError_t lab_cuda_launch_gemm_expected(cudaStream_t stream, const struct lab_gemm_expected *expected);
/* `*wrong`, device memory, is added to. */
cudaError_t lab_cuda_launch_gemm_compare(cudaStream_t stream, const struct lab_gemm_compare *compare,
                                         unsigned long long *wrong);

/* ceiling.cu, ceiling_wgmma.cu: `rounds` rounds of multiply-adds on every multiprocessor; *operations says how many that
 * makes. `sink` is device memory of a few bytes that is never written. cudaErrorNotSupported where the device has no
 * unit for the type. */
cudaError_t lab_cuda_launch_gemm_ceiling(cudaStream_t stream, enum lab_gemm_type type, int capability,
                                         int multiprocessors, uint32_t rounds, void *sink, double *operations);

#ifdef __cplusplus
}
#endif

#endif
