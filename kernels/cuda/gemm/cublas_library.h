/* The few functions of cuBLAS that the lab calls, looked up when they are first needed: the library comes with the
 * toolkit and not with the driver, and all but the reference line goes without it.
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

/* False when no library is found that has them all; `why` is then filled with what the loader said. */
bool lab_cuda_cublas_open(struct cublas *cublas, char *why, size_t why_size);

#endif
