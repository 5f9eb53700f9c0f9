/* cuBLAS, NVIDIA's library: the reference that all other kernels are compared with. It chooses among hundreds of
 * kernels by type, size and GPU.
 */
#include "../entries.h"
#include "cublas_handle.h"
#include "gemm.h"
#include "plans.h"

/* alpha and beta, in the type of the arithmetic. */
static const float one_fp32 = 1, zero_fp32 = 0;
static const double one_fp64 = 1, zero_fp64 = 0;

/* cuBLAS's names of the element type and of the arithmetic; alpha and beta of that type. */
static const struct {
    cudaDataType element;
    cublasComputeType_t arithmetic;
    const void *one, *zero;
} types[LAB_GEMM_TYPES] = {
    [LAB_GEMM_FP32] = {CUDA_R_32F, CUBLAS_COMPUTE_32F, &one_fp32, &zero_fp32},
    [LAB_GEMM_FP64] = {CUDA_R_64F, CUBLAS_COMPUTE_64F, &one_fp64, &zero_fp64},
    [LAB_GEMM_TF32] = {CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, &one_fp32, &zero_fp32},
    [LAB_GEMM_BF16] = {CUDA_R_16BF, CUBLAS_COMPUTE_32F, &one_fp32, &zero_fp32},
    [LAB_GEMM_FP16] = {CUDA_R_16F, CUBLAS_COMPUTE_32F, &one_fp32, &zero_fp32},
};

/* cuBLAS expects matrices in column-major order. A row-major matrix M, read in column-major order, is its transpose M'.
 * So cuBLAS computes C' = B' A', an n x m matrix; it reads A' and writes C' without transposing. A row-major B is read
 * as B'; a column-major B must be transposed. The argument after each matrix is its leading dimension. */
static cublasStatus_t multiply(const struct cuda_cublas *cublas, const struct lab_gemm *gemm)
{
    int m = (int)gemm->m, n = (int)gemm->n, k = (int)gemm->k;
    bool column_major = gemm->layout == LAB_GEMM_TN;
    cudaDataType element = types[gemm->type].element;
    return cublas->library.gemm(cublas->handle, column_major ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                types[gemm->type].one, gemm->b, element, column_major ? k : n, gemm->a, element, k,
                                types[gemm->type].zero, gemm->c, element, n, types[gemm->type].arithmetic,
                                CUBLAS_GEMM_DEFAULT);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Each plan has its own workspace, so that cuBLAS allocates nothing when products are queued. */
struct cublas_plan {
    struct lab_plan plan;
    struct lab_gemm gemm;
    void *workspace;
    size_t workspace_bytes;
};

/* Queues the product. The workspace is set for each launch, because setting the stream resets it. */
static cudaError_t launch(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    const struct cuda_cublas *cublas = device->cublas;
    struct cublas_plan *plan = (struct cublas_plan *)base;
    cublasStatus_t status = cublas->library.set_stream(cublas->handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->library.set_workspace(cublas->handle, plan->workspace, plan->workspace_bytes);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = multiply(cublas, &plan->gemm);
    return lab_cuda_cublas_error(status);
}

static void discard(struct lab_device *device, struct lab_plan *base)
{
    lab_cuda_free(device, LAB_MEMORY_DEVICE, ((struct cublas_plan *)base)->workspace);
}

/* The size of cuBLAS's default workspace (cuBLAS manual, "cublasSetWorkspace"). */
static size_t workspace_bytes(const struct lab_device *device)
{
    int capability = lab_cuda_compute_capability(device);
    return (size_t)(capability >= 120 ? 12 : capability >= 90 ? 32 : 4) << 20;
}

struct lab_plan *lab_cuda_gemm_prepare_cublas(struct lab_device *device, const struct lab_gemm *gemm)
{
    static const struct cuda_operation operation = {"multiplying matrices with cuBLAS", launch, discard};
    if (gemm->type == LAB_GEMM_FP8)
        return lab_cuda_gemm_prepare_cublaslt(device, gemm);
    if (!lab_cuda_cublas_init(device))
        return NULL;
    struct cublas_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->gemm = *gemm;
    plan->workspace_bytes = workspace_bytes(device);
    if (!lab_cuda_allocate(device, LAB_MEMORY_DEVICE, plan->workspace_bytes, &plan->workspace)) {
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    return lab_cuda_plan_preload(device, &plan->plan);
}
