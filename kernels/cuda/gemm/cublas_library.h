/* The functions of cuBLAS that gpulab calls. The library is loaded at its first use: it is part of the toolkit, not of
 * the driver, and only the cuBLAS reference needs it.
 */
#ifndef LAB_CUDA_CUBLAS_LIBRARY_H
#define LAB_CUDA_CUBLAS_LIBRARY_H

#include <cublas_v2.h>
#include <stdbool.h>
#include <stddef.h>

struct cublas {
    __typeof__(&cublasCreate) create;
    __typeof__(&cublasDestroy) destroy;
    __typeof__(&cublasSetStream) set_stream;
    __typeof__(&cublasSetWorkspace) set_workspace;
    __typeof__(&cublasSetMathMode) set_math_mode;
    __typeof__(&cublasGemmEx) gemm;
    __typeof__(&cublasGetStatusName) status_name;
};

/* Loads the library and fills in *cublas. Returns false if no library that has all functions is found; the loader's
 * error is then written to `why`. */
bool lab_cuda_cublas_open(struct cublas *cublas, char *why, size_t why_size);

#endif
