/* Chooses and launches the kernels of this folder's .cu files, and calls the methods of the runtime. */
#include "kernels.h"

#include "benchmark/kernels.h"

#include <string.h>

extern const struct lab_binary lab_binary_naive, lab_binary_coalesced, lab_binary_tiled, lab_binary_block_tiling,
    lab_binary_vectorized, lab_binary_double_buffered, lab_binary_warp_tiled, lab_binary_warp_tiled_tn;

enum { NAIVE, COALESCED, TILED, BLOCK_TILING, VECTORIZED, BUFFERED, WARP_TILED, WARP_TILED_TN };
static const struct lab_image images[MATMUL_IMAGES] = {
    [NAIVE] = {"naive", &lab_binary_naive, NULL},
    [COALESCED] = {"coalesced", &lab_binary_coalesced, NULL},
    [TILED] = {"tiled", &lab_binary_tiled, NULL},
    [BLOCK_TILING] = {"register-tiles", &lab_binary_block_tiling, NULL},
    [VECTORIZED] = {"vectorized", &lab_binary_vectorized, NULL},
    [BUFFERED] = {"double-buffered", &lab_binary_double_buffered, NULL},
    [WARP_TILED] = {"warp-tiled", &lab_binary_warp_tiled, NULL},
    [WARP_TILED_TN] = {"warp-tiled-tn", &lab_binary_warp_tiled_tn, NULL},
};

/* All have the parameters m, n, k, a, b, c. Of the kernels of a step that allow a product the one with the least estimated
 * time is launched, and of several with the same time the first. */
enum { ANY, N_4, K_4, N_K_4 }; /* the sizes that must be multiples of 4 */
static const struct kernel {
    enum matmul_step step;
    enum lab_gemm_type type;
    bool tn; /* B is stored column by column */
    const char *name;
    int image;
    uint32_t bm, bn;   /* rows and columns of C per block */
    uint32_t block[2]; /* threads */
    int aligned;
    /* the time per element of C in percent of the time with the largest tile, measured on an H200 with enough tiles for
     * all multiprocessors */
    uint32_t cost;
} table[] = {
    {MATMUL_NAIVE, LAB_GEMM_FP32, false, "naive_fp32", NAIVE, 32, 32, {32, 32}, ANY, 100},
    {MATMUL_NAIVE, LAB_GEMM_FP64, false, "naive_fp64", NAIVE, 32, 32, {32, 32}, ANY, 100},
    {MATMUL_COALESCED, LAB_GEMM_FP32, false, "coalesced", COALESCED, 32, 32, {32, 32}, ANY, 100},
    {MATMUL_TILED_8, LAB_GEMM_FP32, false, "tiled_8_fp32", TILED, 8, 8, {8, 8}, ANY, 100},
    {MATMUL_TILED_8, LAB_GEMM_FP64, false, "tiled_8_fp64", TILED, 8, 8, {8, 8}, ANY, 100},
    {MATMUL_TILED_16, LAB_GEMM_FP32, false, "tiled_16_fp32", TILED, 16, 16, {16, 16}, ANY, 100},
    {MATMUL_TILED_16, LAB_GEMM_FP64, false, "tiled_16_fp64", TILED, 16, 16, {16, 16}, ANY, 100},
    {MATMUL_TILED_32, LAB_GEMM_FP32, false, "tiled_32_fp32", TILED, 32, 32, {32, 32}, ANY, 100},
    {MATMUL_TILED_32, LAB_GEMM_FP64, false, "tiled_32_fp64", TILED, 32, 32, {32, 32}, ANY, 100},
    {MATMUL_BLOCK_TILED_2D, LAB_GEMM_FP32, false, "block_tiling", BLOCK_TILING, 128, 128, {256}, ANY, 100},
    {MATMUL_VECTORIZED, LAB_GEMM_FP32, false, "vectorized_aligned", VECTORIZED, 128, 128, {256}, N_K_4, 100},
    {MATMUL_VECTORIZED, LAB_GEMM_FP32, false, "vectorized", VECTORIZED, 128, 128, {256}, ANY, 100},
    {MATMUL_DOUBLE_BUFFERED, LAB_GEMM_FP32, false, "double_buffered_aligned", BUFFERED, 128, 128, {256}, N_4, 100},
    {MATMUL_DOUBLE_BUFFERED, LAB_GEMM_FP32, false, "double_buffered", BUFFERED, 128, 128, {256}, ANY, 100},
    /* The largest tile takes the least time per element, but leaves multiprocessors idle if C is small. */
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, false, "warp_tiled_128x256_aligned", WARP_TILED, 128, 256, {256}, N_4, 100},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, false, "warp_tiled_64x128_aligned", WARP_TILED, 64, 128, {128}, N_4, 108},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, false, "warp_tiled_32x64_aligned", WARP_TILED, 32, 64, {128}, N_4, 160},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, false, "warp_tiled_128x256", WARP_TILED, 128, 256, {256}, ANY, 100},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, false, "warp_tiled_64x128", WARP_TILED, 64, 128, {128}, ANY, 108},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, false, "warp_tiled_32x64", WARP_TILED, 32, 64, {128}, ANY, 160},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, true, "warp_tiled_tn_128x256_aligned", WARP_TILED, 128, 256, {256}, N_4, 100},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, true, "warp_tiled_tn_32x64_aligned", WARP_TILED_TN, 32, 64, {64}, K_4, 124},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, true, "warp_tiled_tn_16x64_aligned", WARP_TILED_TN, 16, 64, {64}, K_4, 150},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, true, "warp_tiled_tn_128x256", WARP_TILED, 128, 256, {256}, ANY, 100},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, true, "warp_tiled_tn_32x64", WARP_TILED_TN, 32, 64, {64}, ANY, 124},
    {MATMUL_WARP_TILED, LAB_GEMM_FP32, true, "warp_tiled_tn_16x64", WARP_TILED_TN, 16, 64, {64}, ANY, 150},
};
enum { TABLE_LENGTH = sizeof table / sizeof *table };

/* --- choosing ----------------------------------------------------------------------------------------------------- */

static bool has_type(enum matmul_step step, enum lab_gemm_type type)
{
    for (size_t i = 0; i < TABLE_LENGTH; i++)
        if (table[i].step == step && table[i].type == type)
            return true;
    return false;
}

static bool allows(const struct kernel *kernel, enum matmul_step step, const struct lab_gemm *gemm)
{
    return kernel->step == step && kernel->type == gemm->type && kernel->tn == (gemm->layout == LAB_GEMM_TN) &&
           (gemm->n % 4 == 0 || kernel->aligned == ANY || kernel->aligned == K_4) &&
           (gemm->k % 4 == 0 || kernel->aligned == ANY || kernel->aligned == N_4);
}

static uint32_t divide_up(size_t x, uint32_t y)
{
    return (uint32_t)((x + y - 1) / y);
}

/* A relative measure of the time: the number of tiles that a multiprocessor computes, times their cost. With fewer than
 * four warps some of its schedulers have none. */
static uint64_t time_of(const struct kernel *kernel, const struct lab_gemm *gemm, uint64_t multiprocessors)
{
    enum { SCHEDULERS = 4 };
    uint64_t threads = kernel->block[0] * (kernel->block[1] > 0 ? kernel->block[1] : 1);
    uint64_t tiles = (uint64_t)divide_up(gemm->m, kernel->bm) * divide_up(gemm->n, kernel->bn);
    uint64_t of_each = (tiles + multiprocessors - 1) / multiprocessors, warps = of_each * threads / 32;
    uint64_t time = of_each * kernel->bm * kernel->bn * kernel->cost;
    return warps > 0 && warps < SCHEDULERS ? time * SCHEDULERS / warps : time;
}

static const struct kernel *choose(enum matmul_step step, const struct lab_gemm *gemm, int64_t multiprocessors)
{
    const struct kernel *best = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < TABLE_LENGTH; i++) {
        if (!allows(&table[i], step, gemm))
            continue;
        uint64_t time = time_of(&table[i], gemm, multiprocessors > 0 ? (uint64_t)multiprocessors : 1);
        best = time < least ? &table[i] : best;
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

static struct lab_kernel *load(struct matmul_kernels *kernels, const struct kernel *chosen)
{
    struct lab_device *device = kernels->device;
    struct lab_module **module = &kernels->modules[chosen->image];
    if (device->runtime->module == NULL) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
        return NULL;
    }
    if (*module == NULL)
        *module = device->runtime->module->load(device, &images[chosen->image]);
    return *module != NULL ? device->runtime->module->kernel(device, *module, chosen->name) : NULL;
}

static struct lab_launch launch_of(const struct kernel *kernel, const struct lab_gemm *gemm)
{
    uint32_t rows = divide_up(gemm->m, kernel->bm), columns = divide_up(gemm->n, kernel->bn);
    bool rows_along_x = kernel->step == MATMUL_NAIVE;
    return (struct lab_launch){.grid = {rows_along_x ? rows : columns, rows_along_x ? columns : rows},
                               .block = {kernel->block[0], kernel->block[1]}};
}

/* The kernel and, where the run asks for another one, its launch: an own kernel, or else that of the image. Returns NULL with
 * the device's error set, also if the edited source has no kernel of the chosen name. */
static struct lab_kernel *find(struct matmul_kernels *kernels, const struct kernel *chosen, struct lab_launch *launch)
{
    const struct lab_own_module *own = &kernels->own;
    struct lab_kernel *kernel;
    if (!lab_own_module_find(own, chosen->name, &kernel))
        return NULL;
    if (kernel != NULL)
        return lab_own_module_launch(own, chosen->name, 0, launch) ? kernel : NULL;
    if (own->kernels != NULL && strcmp(own->kernels->step, matmul_steps[chosen->step]) == 0) {
        lab_own_kernels_not_found(own->kernels, chosen->name, &kernels->device->error);
        return NULL;
    }
    return load(kernels, chosen);
}

static struct lab_plan *prepare(struct matmul_kernels *kernels, const struct kernel *chosen,
                                const struct lab_gemm *gemm, struct lab_kernel_record *record)
{
    struct lab_device *device = kernels->device;
    struct lab_launch launch = launch_of(chosen, gemm);
    const struct lab_argument arguments[] = {
        lab_argument_u32((uint32_t)gemm->m), lab_argument_u32((uint32_t)gemm->n), lab_argument_u32((uint32_t)gemm->k),
        lab_argument_pointer(gemm->a),       lab_argument_pointer(gemm->b),       lab_argument_pointer(gemm->c),
    };
    struct lab_kernel *kernel = find(kernels, chosen, &launch);
    if (kernel == NULL)
        return NULL;
    *record = lab_kernel_record_of(device, kernel, chosen->name, &launch);
    return device->runtime->module->prepare(device, kernel, &launch, arguments, sizeof arguments / sizeof *arguments);
}

static struct lab_plan *prepare_call(struct matmul_kernels *kernels, enum matmul_step step, const struct lab_gemm *gemm,
                                     struct lab_kernel_record *record)
{
    const struct lab_runtime_gemm *gemms = kernels->device->runtime->gemm;
    struct lab_gemm_kernel *found = &kernels->of_call;
    struct lab_plan *plan = gemms->prepare(kernels->device, matmul_steps[step], gemm);
    if (plan != NULL && gemms->describe != NULL && gemms->describe(kernels->device, plan, found))
        *record = lab_kernel_record_from(found->name, &found->attributes, found->threads);
    return plan;
}

static struct lab_plan *prepare_image(struct matmul_kernels *kernels, enum matmul_step step,
                                      const struct lab_gemm *gemm, struct lab_kernel_record *record)
{
    struct lab_device *device = kernels->device;
    const struct kernel *chosen = choose(step, gemm, device->facts.multiprocessors);
    if (chosen != NULL)
        return prepare(kernels, chosen, gemm, record);
    if (has_type(step, gemm->type))
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s supports only the layout nn", matmul_steps[step]);
    else
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s does not support the type %s", matmul_steps[step],
                      matmul_types[gemm->type]);
    return NULL;
}

struct lab_plan *matmul_kernels_prepare(struct matmul_kernels *kernels, enum matmul_step step,
                                        const struct lab_gemm *gemm, struct lab_kernel_record *record)
{
    const struct lab_device_facts *facts = &kernels->device->facts;
    *record = (struct lab_kernel_record){0};
    switch (matmul_source_of(facts, step)) {
    case MATMUL_IMAGE:
        return prepare_image(kernels, step, gemm, record);
    case MATMUL_CALL:
        return prepare_call(kernels, step, gemm, record);
    case MATMUL_MISSING:
        break;
    }
    lab_error_set(&kernels->device->error, LAB_ERROR_UNSUPPORTED, "", "%s is not implemented for %s devices",
                  matmul_steps[step], lab_facts_is_cpu(facts) ? "host" : "CUDA");
    return NULL;
}
