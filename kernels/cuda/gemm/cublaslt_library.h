/* The functions of cuBLASLt that gpulab calls, for products of fp8, which cuBLAS itself does not compute. The library
 * is loaded at its first use. */
#ifndef LAB_CUDA_CUBLASLT_LIBRARY_H
#define LAB_CUDA_CUBLASLT_LIBRARY_H

#include <cublasLt.h>
#include <stdbool.h>
#include <stddef.h>

struct cublaslt {
    __typeof__(&cublasLtCreate) create;
    __typeof__(&cublasLtDestroy) destroy;
    __typeof__(&cublasLtMatmulDescCreate) product_create;
    __typeof__(&cublasLtMatmulDescDestroy) product_destroy;
    __typeof__(&cublasLtMatmulDescSetAttribute) product_set;
    __typeof__(&cublasLtMatrixLayoutCreate) layout_create;
    __typeof__(&cublasLtMatrixLayoutDestroy) layout_destroy;
    __typeof__(&cublasLtMatmulPreferenceCreate) preference_create;
    __typeof__(&cublasLtMatmulPreferenceDestroy) preference_destroy;
    __typeof__(&cublasLtMatmulPreferenceSetAttribute) preference_set;
    __typeof__(&cublasLtMatmulAlgoGetHeuristic) find_algorithms;
    __typeof__(&cublasLtMatmul) multiply;
};

/* Loads the library and fills in *cublaslt. Returns false if no library that has all functions is found; the loader's
 * error is then written to `why`. */
bool lab_cuda_cublaslt_open(struct cublaslt *cublaslt, char *why, size_t why_size);

#endif
