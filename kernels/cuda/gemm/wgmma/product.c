/* The method wgmma, and the method mma for fp64, whose kernel is the same but for the instruction: prepares a product,
 * and launches the instance of the kernel that was chosen for it. */
#include "choice.h"
#include "operand.h"
#include "tensor_map.h"
#include "wgmma.h"

#include <stdlib.h>

/* What is prepared for a product. */
struct plan {
    struct wgmma_job job;
    struct wgmma_operand a, b;
    struct wgmma_choice choice;
    const struct wgmma_shape_size *size;
    const struct wgmma_instance *instance;
    uint32_t blocks;
    uint32_t shared_bytes; /* of a block */
};

enum { WIDTH = 128, BOX_ROWS = 64, ROW_ALIGNMENT = 16, SHARED_MOST = 227 * 1024 };

static const struct {
    CUtensorMapDataType input, result;
    const struct wgmma_instance *(*instance)(enum lab_gemm_layout layout, enum wgmma_shape shape);
} types[LAB_GEMM_TYPES] = {
    [LAB_GEMM_FP64] = {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, lab_cuda_wgmma_fp64},
    [LAB_GEMM_TF32] = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, lab_cuda_wgmma_tf32},
    [LAB_GEMM_BF16] = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, lab_cuda_wgmma_bf16},
    [LAB_GEMM_FP16] = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, lab_cuda_wgmma_fp16},
    [LAB_GEMM_FP8] = {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, lab_cuda_wgmma_fp8},
};

static uint32_t blocks_of_cluster(const struct plan *plan)
{
    return plan->size->cluster_m * plan->size->cluster_n;
}

/* --- preparing ---------------------------------------------------------------------------------------------------- */

static struct wgmma_product product_of(const struct cuda_gemm *g)
{
    return lab_cuda_wgmma_product(g->type, g->layout, g->m, g->n, g->k, (uint32_t)g->multiprocessors);
}

/* The matrices as the kernel sees them: for the transposed product A is B, as it is stored, and B is A. */
static cudaError_t create_operands(struct plan *plan, const struct cuda_gemm *gemm)
{
    bool tn = gemm->layout == LAB_GEMM_TN, transposed = lab_cuda_wgmma_is_transposed(gemm->type, gemm->layout);
    uint32_t bytes = (uint32_t)lab_gemm_element_bytes(gemm->type);
    const struct wgmma_operand a = {.matrix = gemm->a, .rows = gemm->m, .columns = gemm->k, .element_bytes = bytes};
    const struct wgmma_operand b = {
        .matrix = gemm->b, .rows = tn ? gemm->n : gemm->k, .columns = tn ? gemm->k : gemm->n, .element_bytes = bytes};
    plan->a = transposed ? b : a;
    plan->b = transposed ? a : b;
    cudaError_t status = lab_cuda_wgmma_operand_init(&plan->a);
    return status == cudaSuccess ? lab_cuda_wgmma_operand_init(&plan->b) : status;
}

/* Of what the blocks of a cluster need in common, each loads its part. In layout NN the matrix B is loaded in boxes
 * that have a row for each k. */
static cudaError_t create_maps(struct plan *plan, const struct cuda_gemm *gemm)
{
    bool nn = gemm->layout == LAB_GEMM_NN, transposed = lab_cuda_wgmma_is_transposed(gemm->type, gemm->layout);
    unsigned box_k = WIDTH / (unsigned)lab_gemm_element_bytes(gemm->type);
    unsigned rows_a = transposed ? box_k : plan->size->bm / plan->size->cluster_n;
    unsigned rows_b = nn && !transposed ? box_k : plan->size->bn / plan->size->cluster_m;
    size_t result_bytes = lab_gemm_element_bytes(lab_gemm_result_type(gemm->type));
    const struct cuda_tensor c = {.type = types[gemm->type].result,
                                  .matrix = gemm->c,
                                  .rows = gemm->m,
                                  .columns = gemm->n,
                                  .pitch = gemm->n * result_bytes,
                                  .box_rows = BOX_ROWS,
                                  .box_columns = WIDTH / (unsigned)result_bytes};
    CUtensorMapDataType type = types[gemm->type].input;
    cudaError_t status = lab_cuda_wgmma_operand_map(&plan->a, type, rows_a, &plan->job.a);
    if (status == cudaSuccess)
        status = lab_cuda_wgmma_operand_map(&plan->b, type, rows_b, &plan->job.b);
    if (c.pitch % ROW_ALIGNMENT != 0 || gemm->type == LAB_GEMM_FP64) /* whose sums are stored without TMA */
        plan->job.results = gemm->c;
    else if (status == cudaSuccess)
        status = lab_cuda_tensor_map(&plan->job.c, &c);
    return status;
}

static cudaError_t allocate_zeros(uint32_t **words, size_t count)
{
    cudaError_t status = cudaMalloc((void **)words, count * sizeof **words);
    if (status == cudaSuccess)
        status = cudaMemset(*words, 0, count * sizeof **words);
    return status == cudaSuccess ? cudaStreamSynchronize(cudaStreamLegacy)
                                 : status; /* other streams do not wait for it */
}

/* Allocates what blocks tell each other: the sums that they pass on, and their progress. */
static cudaError_t create_exchange(struct plan *plan, enum lab_gemm_type type)
{
    size_t sum_bytes = type == LAB_GEMM_FP64 ? sizeof(double) : sizeof(float);
    size_t tile = (size_t)plan->size->bm * plan->size->bn;
    cudaError_t status = cudaSuccess;
    if (plan->job.schedule.shared > 0) {
        status = cudaMalloc(&plan->job.sums, plan->blocks * tile * sum_bytes);
        if (status == cudaSuccess)
            status = allocate_zeros(&plan->job.flags, plan->blocks * (size_t)plan->instance->consumers);
    }
    plan->job.signals = wgmma_signals(&plan->job.schedule);
    if (status == cudaSuccess && plan->job.signals > 0)
        status = allocate_zeros(&plan->job.progress, 1);
    return status;
}

static void wgmma_product_discard(struct cuda_gemm *gemm)
{
    struct plan *plan = gemm->prepared;
    lab_cuda_wgmma_operand_release(&plan->a);
    lab_cuda_wgmma_operand_release(&plan->b);
    cudaFree(plan->job.sums);
    cudaFree(plan->job.flags);
    cudaFree(plan->job.progress);
    free(plan);
    gemm->prepared = NULL;
}

/* Returns false if the kernel is not compiled for the type, the layout and the shape. */
static bool choose(struct plan *plan, const struct cuda_gemm *gemm)
{
    const struct wgmma_product product = product_of(gemm);
    plan->choice = gemm->choice != NULL ? *gemm->choice : lab_cuda_wgmma_choose(&product);
    plan->instance = types[gemm->type].instance(gemm->layout, plan->choice.shape);
    if (plan->instance == NULL)
        return false;
    plan->job.m = product.m;
    plan->job.n = product.n;
    plan->job.schedule = lab_cuda_wgmma_schedule(&product, &plan->choice);
    plan->size = lab_cuda_wgmma_shape_size(plan->choice.shape);
    plan->blocks = plan->job.schedule.clusters * blocks_of_cluster(plan);
    return true;
}

/* Shared memory with which a block is alone on its multiprocessor. */
static uint32_t shared_bytes_alone(const struct wgmma_instance *instance)
{
    uint32_t least = SHARED_MOST / 2 + 1;
    return instance->shared_bytes < least ? least : instance->shared_bytes;
}

static cudaError_t wgmma_product_prepare(struct cuda_gemm *gemm, const char **why)
{
    struct plan *plan = aligned_alloc(_Alignof(struct plan), sizeof *plan); /* aligned as its tensor maps require */
    if (plan == NULL)
        return cudaErrorMemoryAllocation;
    *plan = (struct plan){0};
    gemm->prepared = plan;
    if (!choose(plan, gemm)) {
        *why = gemm->type == LAB_GEMM_FP8 ? "wgmma multiplies fp8 only in the layout tn"
                                          : "the chosen shape is not for this type";
        wgmma_product_discard(gemm);
        return cudaErrorNotSupported;
    }
    /* If there are so few blocks that each can be alone, it is. Otherwise two could start on a multiprocessor on which
     * the kernel before has ended first, and would take twice as long. */
    plan->shared_bytes = plan->blocks <= (uint32_t)gemm->multiprocessors ? shared_bytes_alone(plan->instance)
                                                                         : plan->instance->shared_bytes;
    cudaError_t status = create_operands(plan, gemm);
    if (status == cudaSuccess)
        status = create_maps(plan, gemm);
    if (status == cudaErrorNotSupported)
        *why = "the driver does not support tensor maps, which TMA needs: it is older than CUDA 12";
    if (status == cudaSuccess)
        status = create_exchange(plan, gemm->type);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(plan->instance->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared_bytes_alone(plan->instance)); /* for all plans */
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(plan->instance->kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared);
    if (status != cudaSuccess)
        wgmma_product_discard(gemm);
    return status;
}

/* --- launching ---------------------------------------------------------------------------------------------------- */

/* The kernel may start while the one before it in the stream ends; it waits for that before it reads anything. */
static cudaError_t launch_kernel(struct plan *plan, cudaStream_t stream)
{
    const struct wgmma_instance *i = plan->instance;
    void *arguments[] = {&plan->job};
    cudaLaunchAttribute attributes[2] = {
        {.id = cudaLaunchAttributeProgrammaticStreamSerialization, .val.programmaticStreamSerializationAllowed = 1},
        {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {blocks_of_cluster(plan), 1, 1}},
    };
    const cudaLaunchConfig_t config = {.gridDim = {plan->blocks, 1, 1},
                                       .blockDim = {i->threads, 1, 1},
                                       .dynamicSmemBytes = plan->shared_bytes,
                                       .stream = stream,
                                       .attrs = attributes,
                                       .numAttrs = blocks_of_cluster(plan) > 1 ? 2 : 1};
    return cudaLaunchKernelExC(&config, i->kernel, arguments);
}

static cudaError_t wgmma_product_launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    struct plan *plan = gemm->prepared;
    cudaError_t status = lab_cuda_wgmma_operand_queue_copy(&plan->a, stream);
    if (status == cudaSuccess)
        status = lab_cuda_wgmma_operand_queue_copy(&plan->b, stream);
    return status == cudaSuccess ? launch_kernel(plan, stream) : status;
}

static void wgmma_product_describe(const struct cuda_gemm *gemm, struct cuda_gemm_kernel *kernel)
{
    const struct plan *plan = gemm->prepared;
    lab_cuda_wgmma_describe(&plan->choice, gemm->type, kernel->name, sizeof kernel->name);
    kernel->function = plan->instance->kernel;
    kernel->threads = plan->instance->threads;
    kernel->shared_bytes = plan->shared_bytes;
}

#define METHOD(types_)                                                                                                 \
    {                                                                                                                  \
        .types = (types_), .layouts = CUDA_GEMM_BIT(LAB_GEMM_NN) | CUDA_GEMM_BIT(LAB_GEMM_TN), .least_capability = 90, \
        .most_capability = 90, .prepare = wgmma_product_prepare, .launch = wgmma_product_launch,                       \
        .discard = wgmma_product_discard, .describe = wgmma_product_describe,                                          \
    }
const struct cuda_gemm_method lab_cuda_gemm_wgmma = METHOD(CUDA_GEMM_BIT(LAB_GEMM_TF32) | CUDA_GEMM_BIT(LAB_GEMM_BF16) |
                                                           CUDA_GEMM_BIT(LAB_GEMM_FP16) | CUDA_GEMM_BIT(LAB_GEMM_FP8));
const struct cuda_gemm_method lab_cuda_gemm_mma_fp64 = METHOD(CUDA_GEMM_BIT(LAB_GEMM_FP64));
