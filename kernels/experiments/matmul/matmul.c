/* matmul: matrix multiplication by a sequence of kernels, each of which changes one thing compared with the previous
 * one, from the naive kernel to the tensor cores, compared with the vendor's library. This file holds the descriptor:
 * parameters, axes, metrics, views and explanation.
 *
 * The CUDA course text has the product in shared-memory tiles, of 2 x 2 elements of 4 x 4 matrices; here the tiles are
 * of 8, 16 and 32, and the product in global memory comes before them. The roofline follows Williams, Waterman &
 * Patterson, "Roofline: an insightful visual performance model", 2009.
 */
#include "matmul.h"

#include "descriptor/parameters.h"
#include "descriptor/points.h"

const char *const matmul_types[] = {
    [LAB_GEMM_FP32] = "fp32", [LAB_GEMM_FP64] = "fp64", [LAB_GEMM_TF32] = "tf32", [LAB_GEMM_BF16] = "bf16",
    [LAB_GEMM_FP16] = "fp16", [LAB_GEMM_FP8] = "fp8",   [LAB_GEMM_TYPES] = NULL,
};
const char *const matmul_layouts[] = {[LAB_GEMM_NN] = "nn", [LAB_GEMM_TN] = "tn", [LAB_GEMM_LAYOUTS] = NULL};

#define SIZE .minimum = 1, .maximum = MATMUL_SIZE_MAX
#define SIDE .minimum = 0, .maximum = MATMUL_SIZE_MAX

static const struct lab_schema parameters[] = {
    {LAB_STEPS_OF("step", "Steps", matmul_steps, "all"),
     .text =
         "Kernels to measure. all: every kernel that the device's runtime has for the type. cublas (GPU) and openblas "
         "(host) are the references that the other kernels are compared with."},
    {LAB_CHOICES(
        "type", "Types",
        "Element types. Sums are accumulated in fp32, for fp64 in fp64. tf32 is stored as fp32; the tensor cores use "
        "10 bits of its fraction. fp8 is e4m3, its results are bf16, and it is multiplied only in the layout tn.",
        matmul_types, "fp32", "bf16")},
    {LAB_CHOICES(
        "layout", "Layouts",
        "nn: A and B are stored row by row; tn: B is stored column by column, so that both inputs of a dot product "
        "are contiguous in memory.",
        matmul_layouts, "nn")},
    {LAB_INTEGER("min_size", "Smallest size",
                 "First size of the sweep: that of m, n and k where they are 0, which makes all matrices square.", 256),
     SIZE},
    {LAB_INTEGER("max_size", "Largest size", "Largest size; it is always measured.", 4096), SIZE},
    {LAB_FACTOR_PARAMETER("size", 1.01, MATMUL_SIZE_MAX, 4)},
    {LAB_INTEGERS(
         "m", "Rows of A and C (m)",
         "0: swept, that is each size of the sweep. Every combination of the values of m, n and k is measured; those "
         "that are swept are of the same size.",
         0),
     SIDE},
    {LAB_INTEGERS("n", "Columns of B and C (n)", "0: swept, as m.", 0), SIDE},
    {LAB_INTEGERS("k", "Columns of A, rows of B (k)", "0: swept, as m.", 0), SIDE},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "throughput", "Throughput", "GFLOP/s",
         "2 m n k / time / 10^9, a multiply-add counting as two. Timed on standard normal inputs, and samples of this "
         "result are compared with dot products in double; then verified with the same kernel on integers from -4 to 4: "
         "every element of C must equal the exact product rounded to the type (sums stay below 2^24)"),
     .counter = LAB_COUNT_OPERATIONS},
    {LAB_METRIC("time", "Time", "s", "time of one product, between two events on the device")},
    {LAB_METRIC(
         "share_of_reference", "Share of reference", "1",
         "time of the reference (cublas, openblas) / time, for the same sizes, type and layout; their samples are taken "
         "alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC(
        "share_of_peak", "Share of peak", "1",
        "throughput / theoretical peak of the arithmetic unit that the kernel uses; each measurement names the unit")},
    {LAB_METRIC(
        "share_of_roof", "Share of roof", "1",
        "throughput / min(theoretical peak of the arithmetic unit, arithmetic intensity * theoretical bandwidth of the "
        "memory), which is the limit of this shape; each measurement names the smaller one. Matrices that fit in the "
        "last-level cache can exceed the second")},
    {LAB_METRIC("intensity", "Arithmetic intensity", "FLOP/B",
                "2 m n k / bytes of A, B and C, each counted once: the upper limit, reached with a perfect cache")},
    {LAB_METRIC("counted_intensity", "Counted arithmetic intensity", "FLOP/B",
                "counted by the hardware: 2 m n k / bytes that device memory reads and writes")},
    {LAB_METRIC(
         "bandwidth", "Effective bandwidth", "GB/s",
         "bytes of A, B and C, each counted once / time / 10^9. Matrices that fit in the last-level cache are read "
         "from it"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
         "energy", "Energy", "J/TFLOP",
         "power * time of a product / (2 m n k) * 10^12, while products run without a gap for at least 0.5 s after the "
         "samples; the whole board's power, by the device's energy counter. Only of sustained products of at least 100 us, "
         "if the time budget suffices. CPUs and GPUs before Volta report none"),
     .counter = LAB_COUNT_ENERGY},
    {LAB_METRIC(
        "compute_ceiling", "Measured compute ceiling", "GFLOP/s",
        "2 * (number of multiply-adds) / time / 10^9, for independent multiply-adds on values in registers or shared "
        "memory, on all cores or all tensor cores of the device; fp64 may have both")},
    {LAB_METRIC(
        "memory_ceiling", "Measured memory ceiling", "GB/s",
        "bytes read and written / time / 10^9, for the kernels read, write and copy of the experiment stream on arrays "
        "larger than the last-level cache, of 4 GiB where the device's memory is large enough. The roofline is drawn with "
        "the largest")},
    {0},
};

/* The views over m, n and k are shown of runs in which m does not determine n and k, instead of those over m. */
static const struct lab_view views[] = {
    {LAB_VIEW("heat", "shapes", "Share of reference by shape", "share_of_reference", "step"), .y = "m n k"},
    {LAB_VIEW("heat", "shapes-throughput", "Throughput by shape", "throughput", "step"), .y = "m n k"},
    {LAB_VIEW("heat", "shapes-roof", "Share of roof by shape", "share_of_roof", "step"), .y = "m n k"},
    {LAB_VIEW("ladder", "ladder", "Throughput by step", "throughput", "step")},
    {LAB_VIEW("line", "size", "Throughput over size", "throughput", "m"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "share", "Share of reference over size", "share_of_reference", "m"), .log_x = true},
    {LAB_VIEW("roofline", "roofline", "Roofline", "throughput", "m"), .y = "step", .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "counted", "Counted over highest arithmetic intensity", "counted_intensity", "intensity"),
     .y = "step", .beside = "throughput", .predicted = true, .log_x = true, .log_y = true},
    {LAB_VIEW("line", "energy", "Energy over size", "energy", "m"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "peak", "Share of peak", "share_of_peak", "step")},
    {LAB_VIEW("table", "compute-ceiling", "Measured compute ceiling", "compute_ceiling", "type")},
    {LAB_VIEW("table", "memory-ceiling", "Measured memory ceiling", "memory_ceiling", "variant")},
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
    .edits = true,
    .devices_min = 1,
    .devices_max = 1,
    LAB_RUN_FIELDS(matmul),
};
