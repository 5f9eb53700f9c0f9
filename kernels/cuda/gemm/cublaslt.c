/* Products of fp8 by cuBLASLt, the reference for this type. It chooses the kernel by its heuristic, as cuBLAS does for
 * other types. Sums are accumulated as the tensor cores do ("fast accumulation"), as in wgmma.
 */
#include "../entries.h"
#include "cublas_handle.h"
#include "cublaslt_library.h"
#include "gemm.h"
#include "plans.h"

#include <string.h>

enum { WORKSPACE_BYTES = 32 << 20 }; /* cuBLAS's default on Hopper */

struct cublaslt_plan {
    struct lab_plan plan;
    struct cublaslt library;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c; /* as cuBLASLt sees them: see cublas.c */
    cublasLtMatmulAlgo_t algorithm;
    struct lab_gemm gemm;
    void *workspace;
};

static cudaError_t launch(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct cublaslt_plan *p = (struct cublaslt_plan *)base;
    const float one = 1, zero = 0;
    (void)device;
    return lab_cuda_cublas_error(p->library.multiply(p->handle, p->product, &one, p->gemm.b, p->a, p->gemm.a, p->b,
                                                     &zero, p->gemm.c, p->c, p->gemm.c, p->c, &p->algorithm,
                                                     p->workspace, WORKSPACE_BYTES, stream));
}

static void discard(struct lab_device *device, struct lab_plan *base)
{
    struct cublaslt_plan *p = (struct cublaslt_plan *)base;
    lab_cuda_free(device, LAB_MEMORY_DEVICE, p->workspace);
    if (p->product != NULL)
        p->library.product_destroy(p->product);
    const cublasLtMatrixLayout_t layouts[] = {p->a, p->b, p->c};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i] != NULL)
            p->library.layout_destroy(layouts[i]);
    if (p->handle != NULL)
        p->library.destroy(p->handle);
}

/* C' = B' A' as in cublas.c, with B column-major: its transpose is read as it is stored. */
static cublasStatus_t create(struct cublaslt_plan *p)
{
    const struct lab_gemm *g = &p->gemm;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const int8_t fast = 1;
    cublasStatus_t status = p->library.create(&p->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.product_create(&p->product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.product_set(p->product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.product_set(p->product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.layout_create(&p->a, CUDA_R_8F_E4M3, g->k, g->n, (int64_t)g->k);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.layout_create(&p->b, CUDA_R_8F_E4M3, g->k, g->m, (int64_t)g->k);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.layout_create(&p->c, CUDA_R_16BF, g->n, g->m, (int64_t)g->n);
    return status;
}

static cublasStatus_t find_algorithm(struct cublaslt_plan *p)
{
    const size_t most = WORKSPACE_BYTES;
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    cublasStatus_t status = p->library.preference_create(&preference);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = p->library.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            p->library.find_algorithms(p->handle, p->product, p->a, p->b, p->c, p->c, preference, 1, &found, &count);
    if (preference != NULL)
        p->library.preference_destroy(preference);
    if (status == CUBLAS_STATUS_SUCCESS && count == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (status == CUBLAS_STATUS_SUCCESS)
        p->algorithm = found.algo;
    return status;
}

/* Returns false with the device's error set, with code "unsupported" if the library does not compute the product. */
static bool prepare(struct lab_device *device, struct cublaslt_plan *p)
{
    char why[256];
    if (!lab_cuda_cublaslt_open(&p->library, why, sizeof why))
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "cuBLASLt is not installed: %s", why);
    cublasStatus_t status = create(p);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = find_algorithm(p);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "cuBLASLt has no kernel for this product of fp8; k and n must be multiples of 16");
    return lab_cuda_check(device, lab_cuda_cublas_error(status), "preparing a product by cuBLASLt") &&
           lab_cuda_allocate(device, LAB_MEMORY_DEVICE, WORKSPACE_BYTES, &p->workspace);
}

struct lab_plan *lab_cuda_gemm_prepare_cublaslt(struct lab_device *device, const struct lab_gemm *gemm)
{
    static const struct cuda_operation operation = {"multiplying matrices with cuBLASLt", launch, discard};
    if (gemm->layout != LAB_GEMM_TN) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                      "cuBLASLt computes products of fp8 only in the layout tn");
        return NULL;
    }
    struct cublaslt_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->gemm = *gemm;
    if (!prepare(device, plan)) {
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    return lab_cuda_plan_preload(device, &plan->plan);
}
