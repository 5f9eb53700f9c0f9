/* Loads cuBLAS. */
#include "cublas_library.h"

#include "core/library.h"

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct cublas, create), "cublasCreate_v2"},
    {offsetof(struct cublas, destroy), "cublasDestroy_v2"},
    {offsetof(struct cublas, set_stream), "cublasSetStream_v2"},
    {offsetof(struct cublas, set_workspace), "cublasSetWorkspace_v2"},
    {offsetof(struct cublas, set_math_mode), "cublasSetMathMode"},
    {offsetof(struct cublas, gemm), "cublasGemmEx"},
    {offsetof(struct cublas, status_name), "cublasGetStatusName"},
};

bool lab_cuda_cublas_open(struct cublas *cublas, char *why, size_t why_size)
{
    const struct lab_library library = {lab_cublas_names, symbols, sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, cublas, why, why_size);
}
