/* matmul: matrix multiplication by a sequence of kernels, each of which changes one thing compared with the previous
 * one, from the naive kernel to the tensor cores, compared with the vendor's library. This file holds the descriptor:
 * parameters, axes, metrics, views and explanation.
 *
 * The CUDA course text has the product in shared-memory tiles, of 2 x 2 elements of 4 x 4 matrices; here the tiles are of 8, 16
 * and 32, and the product in global memory comes before them. The roofline follows Williams, Waterman & Patterson, "Roofline: an insightful visual performance model", 2009.
 */
#include "matmul.h"

const char *const matmul_steps[] = {
    [MATMUL_NAIVE] = "naive",           [MATMUL_COALESCED] = "coalesced",
    [MATMUL_TILED_8] = "tiled-8",       [MATMUL_TILED_16] = "tiled-16",
    [MATMUL_TILED_32] = "tiled-32",     [MATMUL_BLOCK_TILED_2D] = "register-tiles",
    [MATMUL_VECTORIZED] = "vectorized", [MATMUL_DOUBLE_BUFFERED] = "double-buffered",
    [MATMUL_WARP_TILED] = "warp-tiled", [MATMUL_MMA] = "mma",
    [MATMUL_WGMMA] = "wgmma",           [MATMUL_CACHE_BLOCKED] = "blocked",
    [MATMUL_CUBLAS] = "cublas",         [MATMUL_OPENBLAS] = "openblas",
    [MATMUL_ALL_STEPS] = "all",         [MATMUL_ALL_STEPS + 1] = NULL,
};
const char *const matmul_types[] = {
    [LAB_GEMM_FP32] = "fp32", [LAB_GEMM_FP64] = "fp64", [LAB_GEMM_TF32] = "tf32", [LAB_GEMM_BF16] = "bf16",
    [LAB_GEMM_FP16] = "fp16", [LAB_GEMM_FP8] = "fp8",   [LAB_GEMM_TYPES] = NULL,
};
const char *const matmul_layouts[] = {[LAB_GEMM_NN] = "nn", [LAB_GEMM_TN] = "tn", [LAB_GEMM_LAYOUTS] = NULL};

#define SIDE .minimum = 0, .maximum = MATMUL_SIZE_MAX

static const struct lab_schema parameters[] = {
    {.name = "step",
     .title = "Steps",
     .text =
         "Kernels to measure. all: every kernel that the device's runtime has for the type. cublas (GPU) and openblas "
         "(host) are the references that the other kernels are compared with.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = matmul_steps,
     .fallback = "[\"all\"]"},
    {.name = "type",
     .title = "Types",
     .text =
         "Element types. Sums are accumulated in fp32, for fp64 in fp64. tf32 is stored as fp32; the tensor cores use "
         "10 bits of its fraction. fp8 is e4m3, its results are bf16, and it is multiplied only in the layout tn.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = matmul_types,
     .fallback = "[\"fp32\", \"bf16\"]"},
    {.name = "layout",
     .title = "Layouts",
     .text =
         "nn: A and B are stored row by row; tn: B is stored column by column, so that both inputs of a dot product "
         "are contiguous in memory.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = matmul_layouts,
     .fallback = "[\"nn\"]"},
    {.name = "min_size",
     .title = "Smallest size",
     .text = "First size of the sweep: that of m, n and k where they are 0, which makes all matrices square.",
     .type = LAB_TYPE_SIZE,
     .minimum = 1,
     .maximum = MATMUL_SIZE_MAX,
     .fallback = "256"},
    {.name = "max_size",
     .title = "Largest size",
     .text = "Largest size; it is always measured.",
     .type = LAB_TYPE_SIZE,
     .minimum = 1,
     .maximum = MATMUL_SIZE_MAX,
     .fallback = "4096"},
    {.name = "factor",
     .title = "Factor",
     .text = "Ratio of each size to the previous one.",
     .type = LAB_TYPE_NUMBER,
     .minimum = 1.01,
     .maximum = MATMUL_SIZE_MAX,
     .fallback = "4"},
    {LAB_INTEGERS(
         "m", "Rows of A and C (m)",
         "0: swept, that is each size of the sweep. Every combination of the values of m, n and k is measured; those "
         "that are swept are of the same size.",
         0),
     SIDE},
    {LAB_INTEGERS("n", "Columns of B and C (n)", "0: swept, as m.", 0), SIDE},
    {LAB_INTEGERS("k", "Columns of A, rows of B (k)", "0: swept, as m.", 0), SIDE},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "throughput",
     .title = "Throughput",
     .unit = "GFLOP/s",
     .formula =
         "2 m n k / time / 10^9, a multiply-add counting as two. Timed on standard normal inputs, and samples of this "
         "result are compared with dot products in double; then verified with the same kernel on integers from -4 to 4: "
         "every element of C must equal the exact product rounded to the type (sums stay below 2^24)",
     .counter = LAB_COUNT_OPERATIONS},
    {.name = "time", .title = "Time", .unit = "s", .formula = "time of one product, between two events on the device"},
    {.name = "share_of_reference",
     .title = "Share of reference",
     .unit = "1",
     .formula =
         "time of the reference (cublas, openblas) / time, for the same sizes, type and layout; their samples are taken "
         "alternately",
     .counter = LAB_COUNT_BASELINE},
    {.name = "share_of_peak",
     .title = "Share of peak",
     .unit = "1",
     .formula =
         "throughput / theoretical peak of the arithmetic unit that the kernel uses; each measurement names the unit"},
    {.name = "share_of_roof",
     .title = "Share of roof",
     .unit = "1",
     .formula =
         "throughput / min(theoretical peak of the arithmetic unit, arithmetic intensity * theoretical bandwidth of the "
         "memory), which is the limit of this shape; each measurement names the smaller one. Matrices that fit in the "
         "last-level cache can exceed the second"},
    {.name = "intensity",
     .title = "Arithmetic intensity",
     .unit = "FLOP/B",
     .formula = "2 m n k / bytes of A, B and C, each counted once: the upper limit, reached with a perfect cache"},
    {.name = "bandwidth",
     .title = "Effective bandwidth",
     .unit = "GB/s",
     .formula =
         "bytes of A, B and C, each counted once / time / 10^9. Matrices that fit in the last-level cache are read "
         "from it",
     .counter = LAB_COUNT_BYTES},
    {.name = "energy",
     .title = "Energy",
     .unit = "J/TFLOP",
     .formula =
         "power * time of a product / (2 m n k) * 10^12, while products run without a gap for at least 0.5 s after the "
         "samples; the whole board's power, by the device's energy counter. Only of sustained products of at least 100 us, "
         "if the time budget suffices. CPUs and GPUs before Volta report none",
     .counter = LAB_COUNT_ENERGY},
    {.name = "compute_ceiling",
     .title = "Measured compute ceiling",
     .unit = "GFLOP/s",
     .formula =
         "2 * (number of multiply-adds) / time / 10^9, for independent multiply-adds on values in registers or shared "
         "memory, on all cores or all tensor cores of the device; fp64 may have both"},
    {.name = "memory_ceiling",
     .title = "Measured memory ceiling",
     .unit = "GB/s",
     .formula =
         "bytes read and written / time / 10^9, for the kernels read, write and copy of the experiment stream on arrays "
         "larger than the last-level cache, of 4 GiB where the device's memory is large enough. The roofline is drawn with "
         "the largest"},
    {.name = NULL},
};

/* The views over m, n and k are shown of runs in which m does not determine n and k, instead of those over m. */
static const struct lab_view views[] = {
    {.name = "shapes",
     .title = "Share of reference by shape",
     .kind = "heat",
     .metric = "share_of_reference",
     .x = "step",
     .y = "m n k"},
    {.name = "shapes-throughput",
     .title = "Throughput by shape",
     .kind = "heat",
     .metric = "throughput",
     .x = "step",
     .y = "m n k"},
    {.name = "shapes-roof",
     .title = "Share of roof by shape",
     .kind = "heat",
     .metric = "share_of_roof",
     .x = "step",
     .y = "m n k"},
    {.name = "ladder", .title = "Throughput by step", .kind = "ladder", .metric = "throughput", .x = "step"},
    {.name = "size",
     .title = "Throughput over size",
     .kind = "line",
     .metric = "throughput",
     .x = "m",
     .log_x = true,
     .log_y = true},
    {.name = "share",
     .title = "Share of reference over size",
     .kind = "line",
     .metric = "share_of_reference",
     .x = "m",
     .log_x = true},
    {.name = "roofline",
     .title = "Roofline",
     .kind = "roofline",
     .metric = "throughput",
     .x = "m",
     .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "energy", "Energy over size", "energy", "m"), .log_x = true, .log_y = true},
    {.name = "peak", .title = "Share of peak", .kind = "table", .metric = "share_of_peak", .x = "step"},
    {.name = "compute-ceiling",
     .title = "Measured compute ceiling",
     .kind = "table",
     .metric = "compute_ceiling",
     .x = "type"},
    {.name = "memory-ceiling",
     .title = "Measured memory ceiling",
     .kind = "table",
     .metric = "memory_ceiling",
     .x = "variant"},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("fp32", "throughput"), .at = {{"type", "fp32"}}, .largest = {"m", "n", "k"}},
    {LAB_HEADLINE("fp64", "throughput"), .at = {{"type", "fp64"}}, .largest = {"m", "n", "k"}},
    {LAB_HEADLINE("tf32", "throughput"), .at = {{"type", "tf32"}}, .largest = {"m", "n", "k"}},
    {LAB_HEADLINE("bf16", "throughput"), .at = {{"type", "bf16"}}, .largest = {"m", "n", "k"}},
    {LAB_HEADLINE("fp16", "throughput"), .at = {{"type", "fp16"}}, .largest = {"m", "n", "k"}},
    {LAB_HEADLINE("fp8", "throughput"), .at = {{"type", "fp8"}}, .largest = {"m", "n", "k"}},
    {0},
};

LAB_PAGE(matmul);
const struct lab_experiment lab_matmul = {
    .name = "matmul",
    .title = "Matrix multiply (GEMM)",
    .subject = "matmul",
    .summary =
        "Throughput of matrix multiplication by kernels from naive to tensor cores, compared with the vendor's "
        "library.",
    .parameters = parameters,
    .axes = matmul_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .edits = true,
    .devices_min = 1,
    .devices_max = 1,
    LAB_PAGE_FIELDS(matmul),
    .plan = matmul_plan,
    .run = matmul_run,
};
