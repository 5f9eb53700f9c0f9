/* Declarations for all files of this folder. Each kernel has a struct cuda_gemm_method, which describes the products
 * that the kernel supports and launches it; gemm.c lists them by method (runtime/gemm.h).
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

/* The product that a kernel computes. Addresses are of device memory. */
struct cuda_gemm {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    uint32_t m, n, k;
    const void *a, *b;
    void *c;
    int multiprocessors; /* of the device */
    void *prepared; /* memory that the method's `prepare` allocates and its `discard` frees; NULL if it needs none */
    const struct wgmma_choice *choice; /* how wgmma divides the product (wgmma/choice.h); NULL: it chooses */
};

/* The kernel that a method launches. */
struct cuda_gemm_kernel {
    char name[64];
    const void *function;
    unsigned threads;
    size_t shared_bytes; /* dynamic shared memory of a block */
};

#define CUDA_GEMM_BIT(number) (1u << (number))

/* A kernel and the products that it supports. */
struct cuda_gemm_method {
    unsigned types;                        /* supported types: CUDA_GEMM_BIT of enum lab_gemm_type */
    unsigned layouts;                      /* supported layouts: CUDA_GEMM_BIT of enum lab_gemm_layout */
    int least_capability, most_capability; /* supported compute capabilities, as major * 10 + minor; 0: no limit */

    /* Sets kernel attributes, creates tensor maps. NULL if there is nothing to prepare. Returns cudaErrorNotSupported
     * and sets *why to the reason for a product that the kernel cannot compute. */
    cudaError_t (*prepare)(struct cuda_gemm *gemm, const char **why);
    /* Queues the kernel and returns. One product is computed at a time: its launches are in one stream. A graph must be
     * able to capture the call: to load the kernel, it is called once while a graph is captured that is never
     * launched. */
    cudaError_t (*launch)(const struct cuda_gemm *gemm, cudaStream_t stream);
    /* Frees gemm->prepared. Called only if it is not NULL. */
    void (*discard)(struct cuda_gemm *gemm);
    /* Sets *kernel, after `prepare`. */
    void (*describe)(const struct cuda_gemm *gemm, struct cuda_gemm_kernel *kernel);
};

extern const struct cuda_gemm_method lab_cuda_gemm_mma;      /* mma.cu */
extern const struct cuda_gemm_method lab_cuda_gemm_wgmma;    /* wgmma/product.c */
extern const struct cuda_gemm_method lab_cuda_gemm_mma_fp64; /* wgmma/product.c: its kernel, with mma.sync */

/* inputs.cu: launch the kernels for lab_gemm_fill, lab_gemm_expected, lab_gemm_compare and lab_gemm_sample
 * (kernels/runtime/gemm.h). Addresses are of device memory. */
cudaError_t lab_cuda_launch_gemm_fill(cudaStream_t stream, const struct lab_gemm_fill *fill);
cudaError_t lab_cuda_launch_gemm_expected(cudaStream_t stream, const struct lab_gemm_expected *expected);
/* Comparing and sampling add the number of wrong elements to *wrong, which is device memory. */
cudaError_t lab_cuda_launch_gemm_compare(cudaStream_t stream, const struct lab_gemm_compare *compare,
                                         unsigned long long *wrong);
cudaError_t lab_cuda_launch_gemm_sample(cudaStream_t stream, const struct lab_gemm_sample *sample,
                                        unsigned long long *wrong);

/* ceiling.cu, wgmma/ceiling.cu: launches `rounds` rounds of multiply-adds on every multiprocessor. Sets *operations to
 * the number of floating-point operations. `sink` is at least 8 bytes of device memory. The kernel contains a store to
 * it, which is never executed, so that the compiler does not remove the computation. Returns cudaErrorNotSupported if
 * the ceiling of this type cannot be measured on the device. */
cudaError_t lab_cuda_launch_gemm_ceiling(cudaStream_t stream, enum lab_gemm_type type, bool tensor, int capability,
                                         int multiprocessors, uint32_t rounds, void *sink, double *operations);

#ifdef __cplusplus
}
#endif

#endif
