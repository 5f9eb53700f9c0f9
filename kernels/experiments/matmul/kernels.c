/* Chooses and launches the kernels of this folder's .cu files, and calls the methods of the runtime. */
#include "kernels.h"

#include "benchmark/kernels.h"

#include <string.h>

/* --- choosing ----------------------------------------------------------------------------------------------------- */

static bool allows(const struct matmul_kernel *kernel, const struct lab_gemm *gemm)
{
    return kernel->type == gemm->type && kernel->layout == gemm->layout &&
           (gemm->n % 4 == 0 || kernel->aligned == MATMUL_ANY || kernel->aligned == MATMUL_K_4) &&
           (gemm->k % 4 == 0 || kernel->aligned == MATMUL_ANY || kernel->aligned == MATMUL_N_4);
}

static uint32_t divide_up(size_t x, uint32_t y)
{
    return (uint32_t)((x + y - 1) / y);
}

/* A relative measure of the time: the number of tiles that a multiprocessor computes, times their cost. With fewer than
 * four warps some of its schedulers have none. */
static uint64_t time_of(const struct matmul_kernel *kernel, const struct lab_gemm *gemm, uint64_t multiprocessors)
{
    enum { SCHEDULERS = 4 };
    uint64_t threads = kernel->block[0] * (kernel->block[1] > 0 ? kernel->block[1] : 1);
    uint64_t tiles = (uint64_t)divide_up(gemm->m, kernel->bm) * divide_up(gemm->n, kernel->bn);
    uint64_t of_each = (tiles + multiprocessors - 1) / multiprocessors, warps = of_each * threads / 32;
    uint64_t time = of_each * kernel->bm * kernel->bn * (100 + kernel->extra);
    return warps > 0 && warps < SCHEDULERS ? time * SCHEDULERS / warps : time;
}

static const struct matmul_kernel *choose(const struct matmul_step *step, const struct lab_gemm *gemm,
                                          const struct lab_device_facts *device)
{
    const struct matmul_kernel *best = NULL;
    uint64_t least = UINT64_MAX;
    for (const struct matmul_kernel *kernel = step->kernels; kernel->name != NULL; kernel++) {
        if (!allows(kernel, gemm))
            continue;
        uint64_t time = time_of(kernel, gemm, lab_facts_multiprocessors(device));
        best = time < least ? kernel : best;
        least = time < least ? time : least;
    }
    return best;
}

/* --- launching ---------------------------------------------------------------------------------------------------- */

void matmul_kernels_close(struct matmul_kernels *kernels)
{
    for (size_t i = 0; i < MATMUL_IMAGES; i++)
        if (kernels->modules[i] != NULL)
            kernels->device->runtime->module->unload(kernels->device, kernels->modules[i]);
    lab_own_module_close(&kernels->own);
}

static struct lab_kernel *load(struct matmul_kernels *kernels, const struct matmul_kernel *chosen)
{
    struct lab_device *device = kernels->device;
    struct lab_module **module = &kernels->modules[chosen->image];
    if (device->runtime->module == NULL) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
        return NULL;
    }
    if (*module == NULL)
        *module = device->runtime->module->load(device, &matmul_images[chosen->image]);
    return *module != NULL ? device->runtime->module->kernel(device, *module, chosen->name) : NULL;
}

static struct lab_launch launch_of(const struct matmul_kernel *kernel, const struct lab_gemm *gemm)
{
    uint32_t rows = divide_up(gemm->m, kernel->bm), columns = divide_up(gemm->n, kernel->bn);
    return (struct lab_launch){.grid = {kernel->columns_first ? rows : columns, kernel->columns_first ? columns : rows},
                               .block = {kernel->block[0], kernel->block[1]}};
}

/* The kernel and, where the run asks for another one, its launch: an own kernel, or else that of the image. Returns
 * NULL with the device's error set, also if the edited source has no kernel of the chosen name. */
static struct lab_kernel *find(struct matmul_kernels *kernels, const struct matmul_step *step,
                               const struct matmul_kernel *chosen, struct lab_launch *launch)
{
    const struct lab_own_module *own = &kernels->own;
    struct lab_kernel *kernel;
    if (!lab_own_module_find(own, chosen->name, &kernel))
        return NULL;
    if (kernel != NULL)
        return lab_own_module_launch(own, chosen->name, 0, launch) ? kernel : NULL;
    if (own->kernels != NULL && strcmp(own->kernels->step, step->name) == 0) {
        lab_own_kernels_not_found(own->kernels, chosen->name, &kernels->device->error);
        return NULL;
    }
    return load(kernels, chosen);
}

static struct lab_plan *prepare(struct matmul_kernels *kernels, const struct matmul_step *step,
                                const struct matmul_kernel *chosen, const struct lab_gemm *gemm,
                                struct lab_kernel_record *record)
{
    struct lab_device *device = kernels->device;
    struct lab_launch launch = launch_of(chosen, gemm);
    const struct lab_argument arguments[] = {
        lab_argument_u32((uint32_t)gemm->m), lab_argument_u32((uint32_t)gemm->n), lab_argument_u32((uint32_t)gemm->k),
        lab_argument_pointer(gemm->a),       lab_argument_pointer(gemm->b),       lab_argument_pointer(gemm->c),
    };
    struct lab_kernel *kernel = find(kernels, step, chosen, &launch);
    if (kernel == NULL)
        return NULL;
    *record = lab_kernel_record_of(device, kernel, chosen->name, &launch);
    return device->runtime->module->prepare(device, kernel, &launch, arguments, sizeof arguments / sizeof *arguments);
}

static struct lab_plan *prepare_call(struct matmul_kernels *kernels, const struct matmul_step *step,
                                     const struct lab_gemm *gemm, struct lab_kernel_record *record)
{
    const struct lab_runtime_gemm *gemms = kernels->device->runtime->gemm;
    struct lab_gemm_kernel *found = &kernels->of_call;
    struct lab_plan *plan = gemms->prepare(kernels->device, step->name, gemm);
    if (plan != NULL && gemms->describe != NULL && gemms->describe(kernels->device, plan, found))
        *record = lab_kernel_record_from(found->name, &found->attributes, found->threads);
    return plan;
}

static struct lab_plan *prepare_image(struct matmul_kernels *kernels, const struct matmul_step *step,
                                      const struct lab_gemm *gemm, struct lab_kernel_record *record)
{
    struct lab_device *device = kernels->device;
    const struct matmul_kernel *chosen = choose(step, gemm, &device->facts);
    if (chosen != NULL)
        return prepare(kernels, step, chosen, gemm, record);
    if (matmul_has(&device->facts, step, gemm->type))
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s supports only the layout nn", step->name);
    else
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s does not support the type %s", step->name,
                      matmul_types[gemm->type]);
    return NULL;
}

struct lab_plan *matmul_kernels_prepare(struct matmul_kernels *kernels, const struct matmul_step *step,
                                        const struct lab_gemm *gemm, struct lab_kernel_record *record)
{
    bool host = lab_facts_is_cpu(&kernels->device->facts);
    *record = (struct lab_kernel_record){0};
    if (!host && step->kernels != NULL)
        return prepare_image(kernels, step, gemm, record);
    if ((host ? step->host : step->cuda) != 0)
        return prepare_call(kernels, step, gemm, record);
    lab_error_set(&kernels->device->error, LAB_ERROR_UNSUPPORTED, "", "%s is not implemented for %s devices",
                  step->name, host ? "host" : "CUDA");
    return NULL;
}
