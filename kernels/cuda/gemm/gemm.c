/* Matrix multiplication on CUDA devices: lists the kernels, checks the arguments of a product, and creates the plan
 * that launches one of the kernels. */
#include "gemm.h"

#include "../entries.h"
#include "plans.h"

#include <stdio.h>
#include <string.h>

/* --- the list of kernels ------------------------------------------------------------------------------------------ */

/* A method may have a kernel for some types and another one for others. cuBLAS is not in the list, because cublas.c
 * makes its plans. */
static const char cublas[] = "cublas", mma[] = "mma", wgmma[] = "wgmma";
static const struct kernel {
    const char *method;
    const struct cuda_gemm_method *functions;
} kernels[] = {
    {mma, &lab_cuda_gemm_mma},
#if GPULAB_HAVE_WGMMA
    {mma, &lab_cuda_gemm_mma_fp64},
    {wgmma, &lab_cuda_gemm_wgmma},
#endif
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const char *const type_names[LAB_GEMM_TYPES] = {
    [LAB_GEMM_FP32] = "fp32", [LAB_GEMM_FP64] = "fp64", [LAB_GEMM_TF32] = "tf32",
    [LAB_GEMM_BF16] = "bf16", [LAB_GEMM_FP16] = "fp16", [LAB_GEMM_FP8] = "fp8",
};
static const char *const layout_names[LAB_GEMM_LAYOUTS] = {[LAB_GEMM_NN] = "nn", [LAB_GEMM_TN] = "tn"};

/* The kernel of a method for a type; NULL if there is none. */
static const struct kernel *find(const char *method, enum lab_gemm_type type)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].method, method) == 0 && (kernels[i].functions->types & CUDA_GEMM_BIT(type)) != 0)
            return &kernels[i];
    return NULL;
}

/* The types of a method, as bits; 0 if this runtime or this build does not have it. */
static unsigned types_of(const char *method)
{
    unsigned types = 0;
    for (size_t i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].method, method) == 0)
            types |= kernels[i].functions->types;
    return types;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* Writes a list of the names whose bits are set: "fp32", "fp32 and fp64", "tf32, bf16 and fp16". */
static const char *list(unsigned bits, const char *const *names, size_t count, char *text, size_t size)
{
    size_t used = 0, left = 0;
    for (size_t i = 0; i < count; i++)
        left += bits >> i & 1;
    for (size_t i = 0; i < count && used < size; i++) {
        if ((bits >> i & 1) == 0)
            continue;
        left--;
        const char *separator = left > 1 ? ", " : left == 1 ? " and " : "";
        used += (size_t)snprintf(text + used, size - used, "%s%s", names[i], separator);
    }
    return text;
}

static bool check_capability(struct lab_device *device, const struct kernel *kernel, enum lab_gemm_type type)
{
    int least = kernel->functions->least_capability, most = kernel->functions->most_capability;
    int capability = lab_cuda_compute_capability(device);
    if ((least == 0 || capability >= least) && (most == 0 || capability <= most))
        return true;
    char required[48];
    if (most == 0)
        snprintf(required, sizeof required, "%d.%d or later", least / 10, least % 10);
    else if (least == most)
        snprintf(required, sizeof required, "%d.%d only", least / 10, least % 10);
    else
        snprintf(required, sizeof required, "%d.%d to %d.%d", least / 10, least % 10, most / 10, most % 10);
    return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                         "%s for %s runs on compute capability %s; this device has %s", kernel->method,
                         type_names[type], required, device->facts.compute_capability);
}

static bool unsupported(struct lab_device *device, const char *why)
{
    return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s", why);
}

static bool check_method(struct lab_device *device, const char *method, const struct lab_gemm *gemm)
{
    char names[64];
    if (strcmp(method, cublas) == 0)
        return true;
    unsigned types = types_of(method);
    const struct kernel *kernel = find(method, gemm->type);
    if (types == 0 && strcmp(method, wgmma) == 0)
        return unsupported(device, "this program was built without wgmma, which needs nvcc 12.0 or later");
    if (types == 0)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s is not implemented for CUDA devices",
                             method);
    if (kernel == NULL && strcmp(method, mma) == 0 && gemm->type == LAB_GEMM_FP64)
        return unsupported(device, "this program was built without mma for fp64, which needs nvcc 12.0 or later");
    if (kernel == NULL)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s supports only the types %s", method,
                             list(types, type_names, LAB_GEMM_TYPES, names, sizeof names));
    if ((kernel->functions->layouts & CUDA_GEMM_BIT(gemm->layout)) == 0)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s supports only the layout %s", method,
                             list(kernel->functions->layouts, layout_names, LAB_GEMM_LAYOUTS, names, sizeof names));
    return check_capability(device, kernel, gemm->type);
}

/* --- products ----------------------------------------------------------------------------------------------------- */

struct product_plan {
    struct lab_plan plan;
    const struct cuda_gemm_method *functions;
    struct cuda_gemm gemm;
};

static cudaError_t launch_product(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct product_plan *plan = (struct product_plan *)base;
    (void)device;
    return plan->functions->launch(&plan->gemm, stream);
}

static void discard_product(struct lab_device *device, struct lab_plan *base)
{
    struct product_plan *plan = (struct product_plan *)base;
    (void)device;
    if (plan->functions->discard != NULL && plan->gemm.prepared != NULL)
        plan->functions->discard(&plan->gemm);
}

static bool prepare_step(struct lab_device *device, struct product_plan *plan)
{
    const char *why = NULL;
    cudaError_t status = plan->functions->prepare != NULL ? plan->functions->prepare(&plan->gemm, &why) : cudaSuccess;
    bool ok = lab_cuda_check(device, status, "preparing a product");
    if (status == cudaErrorNotSupported && why != NULL)
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s", why);
    return ok;
}

static struct lab_plan *cuda_gemm_prepare(struct lab_device *device, const char *method, const struct lab_gemm *gemm)
{
    static const struct cuda_operation operation = {"multiplying matrices", launch_product, discard_product};
    if (!lab_cuda_make_current(device) || !lab_cuda_gemm_check_product(device, gemm) ||
        !check_method(device, method, gemm))
        return NULL;
    if (strcmp(method, cublas) == 0)
        return lab_cuda_gemm_prepare_cublas(device, gemm);

    struct product_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operation);
    if (plan == NULL)
        return NULL;
    plan->functions = find(method, gemm->type)->functions;
    plan->gemm = (struct cuda_gemm){.type = gemm->type,
                                    .layout = gemm->layout,
                                    .m = (uint32_t)gemm->m,
                                    .n = (uint32_t)gemm->n,
                                    .k = (uint32_t)gemm->k,
                                    .a = gemm->a,
                                    .b = gemm->b,
                                    .c = gemm->c,
                                    .multiprocessors = (int)device->facts.multiprocessors};
    if (!prepare_step(device, plan)) {
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    return lab_cuda_plan_preload(device, &plan->plan);
}

static bool cuda_gemm_describe(struct lab_device *device, struct lab_plan *base, struct lab_gemm_kernel *kernel)
{
    const struct product_plan *plan = (const struct product_plan *)base;
    struct cuda_gemm_kernel found;
    if (base->operation->launch != launch_product)
        return false;
    plan->functions->describe(&plan->gemm, &found);
    memcpy(kernel->name, found.name, sizeof kernel->name);
    kernel->threads = found.threads;
    return lab_cuda_make_current(device) &&
           lab_cuda_function_attributes(device, found.function, found.threads, found.shared_bytes, &kernel->attributes);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

const struct lab_runtime_gemm lab_cuda_gemm = {
    .prepare = cuda_gemm_prepare,
    .describe = cuda_gemm_describe,
    .prepare_fill = lab_cuda_gemm_prepare_fill,
    .prepare_expected = lab_cuda_gemm_prepare_expected,
    .prepare_compare = lab_cuda_gemm_prepare_compare,
    .prepare_sample = lab_cuda_gemm_prepare_sample,
    .prepare_ceiling = lab_cuda_gemm_prepare_ceiling,
};
