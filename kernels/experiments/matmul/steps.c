/* The steps of matmul: the kernels of this folder's .cu files, and the calls of the runtimes' methods. */
#include "kernels.h"

#include <string.h>

extern const struct lab_binary lab_binary_naive, lab_binary_coalesced, lab_binary_tiled, lab_binary_block_tiling,
    lab_binary_vectorized, lab_binary_double_buffered, lab_binary_warp_tiled, lab_binary_warp_tiled_tn;

const struct lab_image matmul_images[MATMUL_IMAGES] = {
    [MATMUL_NAIVE] = {"naive", &lab_binary_naive, NULL},
    [MATMUL_COALESCED] = {"coalesced", &lab_binary_coalesced, NULL},
    [MATMUL_TILED] = {"tiled", &lab_binary_tiled, NULL},
    [MATMUL_BLOCK_TILING] = {"register-tiles", &lab_binary_block_tiling, NULL},
    [MATMUL_VECTORIZED] = {"vectorized", &lab_binary_vectorized, NULL},
    [MATMUL_DOUBLE_BUFFERED] = {"double-buffered", &lab_binary_double_buffered, NULL},
    [MATMUL_WARP_TILED] = {"warp-tiled", &lab_binary_warp_tiled, NULL},
    [MATMUL_WARP_TILED_TN] = {"warp-tiled-tn", &lab_binary_warp_tiled_tn, NULL},
};

#define BIT(type) (1u << (type))
enum {
    CORES = BIT(LAB_GEMM_FP32) | BIT(LAB_GEMM_FP64),
    HALF = BIT(LAB_GEMM_BF16) | BIT(LAB_GEMM_FP16),
    TENSOR = BIT(LAB_GEMM_TF32) | HALF | BIT(LAB_GEMM_FP8)
};

#define KERNELS(...)                                                                                                   \
    .kernels = (const struct matmul_kernel[])                                                                          \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

const struct matmul_step matmul_steps[] = {
    {"naive", .host = CORES,
     KERNELS({"naive_fp32", MATMUL_NAIVE, 32, 32, .block = {32, 32}, .columns_first = true},
             {"naive_fp64", MATMUL_NAIVE, 32, 32, .block = {32, 32}, .columns_first = true, .type = LAB_GEMM_FP64})},
    {"coalesced", KERNELS({"coalesced", MATMUL_COALESCED, 32, 32, .block = {32, 32}})},
    {"tiled-8", .host = CORES,
     KERNELS({"tiled_8_fp32", MATMUL_TILED, 8, 8, .block = {8, 8}},
             {"tiled_8_fp64", MATMUL_TILED, 8, 8, .block = {8, 8}, .type = LAB_GEMM_FP64})},
    {"tiled-16", .host = CORES,
     KERNELS({"tiled_16_fp32", MATMUL_TILED, 16, 16, .block = {16, 16}},
             {"tiled_16_fp64", MATMUL_TILED, 16, 16, .block = {16, 16}, .type = LAB_GEMM_FP64})},
    {"tiled-32", .host = CORES,
     KERNELS({"tiled_32_fp32", MATMUL_TILED, 32, 32, .block = {32, 32}},
             {"tiled_32_fp64", MATMUL_TILED, 32, 32, .block = {32, 32}, .type = LAB_GEMM_FP64})},
    {"register-tiles", KERNELS({"block_tiling", MATMUL_BLOCK_TILING, 128, 128, .block = {256}})},
    {"vectorized", KERNELS({"vectorized_aligned", MATMUL_VECTORIZED, 128, 128, .block = {256}, .aligned = MATMUL_N_K_4},
                           {"vectorized", MATMUL_VECTORIZED, 128, 128, .block = {256}})},
    {"double-buffered",
     KERNELS({"double_buffered_aligned", MATMUL_DOUBLE_BUFFERED, 128, 128, .block = {256}, .aligned = MATMUL_N_4},
             {"double_buffered", MATMUL_DOUBLE_BUFFERED, 128, 128, .block = {256}})},
    /* The largest tile takes the least time per element, but leaves multiprocessors idle if C is small. */
    {"warp-tiled",
     KERNELS(
         {"warp_tiled_128x256_aligned", MATMUL_WARP_TILED, 128, 256, .block = {256}, .aligned = MATMUL_N_4},
         {"warp_tiled_64x128_aligned", MATMUL_WARP_TILED, 64, 128, .block = {128}, .aligned = MATMUL_N_4, .extra = 8},
         {"warp_tiled_32x64_aligned", MATMUL_WARP_TILED, 32, 64, .block = {128}, .aligned = MATMUL_N_4, .extra = 60},
         {"warp_tiled_128x256", MATMUL_WARP_TILED, 128, 256, .block = {256}},
         {"warp_tiled_64x128", MATMUL_WARP_TILED, 64, 128, .block = {128}, .extra = 8},
         {"warp_tiled_32x64", MATMUL_WARP_TILED, 32, 64, .block = {128}, .extra = 60},
         {"warp_tiled_tn_128x256_aligned", MATMUL_WARP_TILED, 128, 256, .block = {256}, .layout = LAB_GEMM_TN,
          .aligned = MATMUL_N_4},
         {"warp_tiled_tn_32x64_aligned", MATMUL_WARP_TILED_TN, 32, 64, .block = {64}, .layout = LAB_GEMM_TN,
          .aligned = MATMUL_K_4, .extra = 24},
         {"warp_tiled_tn_16x64_aligned", MATMUL_WARP_TILED_TN, 16, 64, .block = {64}, .layout = LAB_GEMM_TN,
          .aligned = MATMUL_K_4, .extra = 50},
         {"warp_tiled_tn_128x256", MATMUL_WARP_TILED, 128, 256, .block = {256}, .layout = LAB_GEMM_TN},
         {"warp_tiled_tn_32x64", MATMUL_WARP_TILED_TN, 32, 64, .block = {64}, .layout = LAB_GEMM_TN, .extra = 24},
         {"warp_tiled_tn_16x64", MATMUL_WARP_TILED_TN, 16, 64, .block = {64}, .layout = LAB_GEMM_TN, .extra = 50})},
    {"mma", .cuda = BIT(LAB_GEMM_FP64) | BIT(LAB_GEMM_TF32) | HALF},
    {"wgmma", .cuda = TENSOR},
    {"blocked", .host = CORES},
    {"cublas", .cuda = CORES | TENSOR, .reference = true},
    {"openblas", .host = CORES, .reference = true},
    [MATMUL_ALL] = {"all"},
    {0},
};

const struct matmul_step *matmul_step_find(const char *name)
{
    for (const struct matmul_step *step = matmul_steps; step < matmul_steps + MATMUL_STEPS; step++)
        if (strcmp(step->name, name) == 0)
            return step;
    return NULL;
}

bool matmul_has(const struct lab_device_facts *device, const struct matmul_step *step, enum lab_gemm_type type)
{
    bool host = lab_facts_is_cpu(device);
    if (host || step->kernels == NULL)
        return ((host ? step->host : step->cuda) & BIT(type)) != 0;
    const struct matmul_kernel *kernel = step->kernels;
    while (kernel->name != NULL && kernel->type != type)
        kernel++;
    return kernel->name != NULL;
}

const struct matmul_step *matmul_reference(const struct lab_device_facts *device)
{
    const struct matmul_step *step = matmul_steps;
    while (!step->reference || !matmul_has(device, step, LAB_GEMM_FP32))
        step++;
    return step;
}

unsigned matmul_types_of(const struct lab_device_facts *device, bool tensor)
{
    bool has_fp64 = isfinite(device->tensor_fp64_peak_flops);
    return !tensor ? CORES : has_fp64 ? TENSOR | BIT(LAB_GEMM_FP64) : TENSOR;
}

/* CUDA cores and tensor cores both multiply fp64: kernels of images use the CUDA cores, calls the tensor cores where
 * the device has tensor cores for fp64. */
bool matmul_on_tensor_cores(const struct lab_device_facts *device, const struct matmul_step *step,
                            enum lab_gemm_type type)
{
    bool tensor = (matmul_types_of(device, true) & BIT(type)) != 0;
    return tensor && (type != LAB_GEMM_FP64 || (step->cuda & BIT(type)) != 0);
}
