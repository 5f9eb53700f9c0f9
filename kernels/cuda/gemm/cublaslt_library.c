/* Loads cuBLASLt. */
#include "cublaslt_library.h"

#include "core/library.h"

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct cublaslt, create), "cublasLtCreate"},
    {offsetof(struct cublaslt, destroy), "cublasLtDestroy"},
    {offsetof(struct cublaslt, product_create), "cublasLtMatmulDescCreate"},
    {offsetof(struct cublaslt, product_destroy), "cublasLtMatmulDescDestroy"},
    {offsetof(struct cublaslt, product_set), "cublasLtMatmulDescSetAttribute"},
    {offsetof(struct cublaslt, layout_create), "cublasLtMatrixLayoutCreate"},
    {offsetof(struct cublaslt, layout_destroy), "cublasLtMatrixLayoutDestroy"},
    {offsetof(struct cublaslt, preference_create), "cublasLtMatmulPreferenceCreate"},
    {offsetof(struct cublaslt, preference_destroy), "cublasLtMatmulPreferenceDestroy"},
    {offsetof(struct cublaslt, preference_set), "cublasLtMatmulPreferenceSetAttribute"},
    {offsetof(struct cublaslt, find_algorithms), "cublasLtMatmulAlgoGetHeuristic"},
    {offsetof(struct cublaslt, multiply), "cublasLtMatmul"},
};

bool lab_cuda_cublaslt_open(struct cublaslt *cublaslt, char *why, size_t why_size)
{
    const struct lab_library library = {lab_cublaslt_names, symbols, sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, cublaslt, why, why_size);
}
