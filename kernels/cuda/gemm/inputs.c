/* Plans that fill the inputs of a product, compute the exact product, and compare a result with it or with dot products
 * in double. The kernels are in inputs.cu.
 */
#include "gemm.h"

#include "../entries.h"
#include "plans.h"

/* --- checks ------------------------------------------------------------------------------------------------------- */

enum { SIZE_LIMIT = 65536, ALIGNMENT = 256 };

static bool invalid(struct lab_device *device, const char *why)
{
    return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "%s", why);
}

static bool is_valid_size(size_t size)
{
    return size >= 1 && size <= SIZE_LIMIT;
}

bool lab_cuda_gemm_check_sizes(struct lab_device *device, size_t m, size_t n, size_t k)
{
    return (is_valid_size(m) && is_valid_size(n) && is_valid_size(k)) ||
           invalid(device, "a matrix must have 1 to 65536 rows and columns");
}

bool lab_cuda_gemm_check_address(struct lab_device *device, const void *address)
{
    return (address != NULL && (uintptr_t)address % ALIGNMENT == 0) ||
           invalid(device, "the address of a matrix must not be NULL and must be a multiple of 256 bytes");
}

bool lab_cuda_gemm_check_type(struct lab_device *device, enum lab_gemm_type type)
{
    return (unsigned)type < LAB_GEMM_TYPES ||
           invalid(device, "the element type must be fp32, fp64, tf32, bf16, fp16 or fp8");
}

bool lab_cuda_gemm_check_product(struct lab_device *device, const struct lab_gemm *gemm)
{
    if ((unsigned)gemm->layout >= LAB_GEMM_LAYOUTS)
        return invalid(device, "the matrix layout must be nn or tn");
    return lab_cuda_gemm_check_type(device, gemm->type) &&
           lab_cuda_gemm_check_sizes(device, gemm->m, gemm->n, gemm->k) &&
           lab_cuda_gemm_check_address(device, gemm->a) && lab_cuda_gemm_check_address(device, gemm->b) &&
           lab_cuda_gemm_check_address(device, gemm->c);
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

struct fill_plan {
    struct lab_plan plan;
    struct lab_gemm_fill fill;
};

static cudaError_t launch_fill(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    (void)device;
    return lab_cuda_launch_gemm_fill(stream, &((struct fill_plan *)plan)->fill);
}

struct lab_plan *lab_cuda_gemm_prepare_fill(struct lab_device *device, const struct lab_gemm_fill *fill)
{
    static const struct cuda_operation operation = {"filling a matrix", launch_fill, NULL};
    if (!lab_cuda_make_current(device) || !lab_cuda_gemm_check_type(device, fill->type) ||
        !lab_cuda_gemm_check_sizes(device, fill->rows, fill->columns, 1) ||
        !lab_cuda_gemm_check_address(device, fill->matrix))
        return NULL;
    if ((unsigned)fill->content > LAB_GEMM_POISON) {
        invalid(device, "the content of a matrix must be LAB_GEMM_NORMAL, LAB_GEMM_SMALL_INTS or LAB_GEMM_POISON");
        return NULL;
    }
    struct fill_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->fill = *fill;
    return lab_cuda_plan_preload(device, &plan->plan);
}

/* --- expected ----------------------------------------------------------------------------------------------------- */

struct expected_plan {
    struct lab_plan plan;
    struct lab_gemm_expected expected; /* the sizes and seeds of the product, and where to write it */
};

static cudaError_t launch_expected(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    (void)device;
    return lab_cuda_launch_gemm_expected(stream, &((struct expected_plan *)plan)->expected);
}

struct lab_plan *lab_cuda_gemm_prepare_expected(struct lab_device *device, const struct lab_gemm_expected *expected)
{
    static const struct cuda_operation operation = {"computing the exact product", launch_expected, NULL};
    if (!lab_cuda_make_current(device) || !lab_cuda_gemm_check_sizes(device, expected->m, expected->n, expected->k) ||
        !lab_cuda_gemm_check_address(device, expected->product))
        return NULL;
    struct expected_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->expected = *expected;
    return lab_cuda_plan_preload(device, &plan->plan);
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

struct compare_plan {
    struct lab_plan plan;
    struct lab_gemm_compare compare;
    struct cuda_comparison_buffers buffers;
};

static cudaError_t launch_compare(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct compare_plan *plan = (struct compare_plan *)base;
    (void)device;
    cudaError_t status = lab_cuda_comparison_clear(&plan->buffers, stream);
    if (status == cudaSuccess)
        status = lab_cuda_launch_gemm_compare(stream, &plan->compare, &plan->buffers.on_device->wrong);
    return status == cudaSuccess ? lab_cuda_comparison_read_back(&plan->buffers, stream) : status;
}

static void discard_compare(struct lab_device *device, struct lab_plan *plan)
{
    lab_cuda_comparison_release(device, &((struct compare_plan *)plan)->buffers);
}

struct lab_plan *lab_cuda_gemm_prepare_compare(struct lab_device *device, const struct lab_gemm_compare *compare)
{
    static const struct cuda_operation operation = {"comparing a product", launch_compare, discard_compare};
    if (!lab_cuda_make_current(device) || !lab_cuda_gemm_check_type(device, compare->type) ||
        !lab_cuda_gemm_check_address(device, compare->c) ||
        (compare->product != NULL && !lab_cuda_gemm_check_address(device, compare->product)))
        return NULL;
    if (compare->type == LAB_GEMM_FP8) {
        invalid(device, "the result of a product is never fp8");
        return NULL;
    }
    if (compare->wrong == NULL || compare->count == 0) {
        invalid(device, "a comparison needs at least one element and an address for the number of wrong elements");
        return NULL;
    }
    struct compare_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->compare = *compare;
    if (!lab_cuda_comparison_init(device, &plan->buffers, compare->wrong, NULL)) {
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    return lab_cuda_plan_preload(device, &plan->plan);
}

/* --- sample ------------------------------------------------------------------------------------------------------- */

struct sample_plan {
    struct lab_plan plan;
    struct lab_gemm_sample sample;
    struct cuda_comparison_buffers buffers;
};

static cudaError_t launch_sample(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct sample_plan *plan = (struct sample_plan *)base;
    (void)device;
    cudaError_t status = lab_cuda_comparison_clear(&plan->buffers, stream);
    if (status == cudaSuccess)
        status = lab_cuda_launch_gemm_sample(stream, &plan->sample, &plan->buffers.on_device->wrong);
    return status == cudaSuccess ? lab_cuda_comparison_read_back(&plan->buffers, stream) : status;
}

static void discard_sample(struct lab_device *device, struct lab_plan *plan)
{
    lab_cuda_comparison_release(device, &((struct sample_plan *)plan)->buffers);
}

struct lab_plan *lab_cuda_gemm_prepare_sample(struct lab_device *device, const struct lab_gemm_sample *sample)
{
    static const struct cuda_operation operation = {"comparing samples of a product", launch_sample, discard_sample};
    if (!lab_cuda_make_current(device) || !lab_cuda_gemm_check_product(device, &sample->gemm))
        return NULL;
    if (sample->wrong == NULL || sample->stride == 0) {
        invalid(device, "a comparison of samples needs a stride and an address for the number of wrong elements");
        return NULL;
    }
    struct sample_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->sample = *sample;
    if (!lab_cuda_comparison_init(device, &plan->buffers, sample->wrong, NULL)) {
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    return lab_cuda_plan_preload(device, &plan->plan);
}
