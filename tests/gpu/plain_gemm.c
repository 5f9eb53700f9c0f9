/* Measures matrix products with a plain loop of cublasGemmEx between two events, with its own handle, stream and events
 * and cuBLAS's default settings, and compares them with gpulab's plan for cuBLAS, measured by lab_measure as in every
 * run. Both run in one process, in alternating rounds. Both compute the same number of products in a row, because more
 * products make the GPU hotter, which lowers its clock near the power limit. The plain loop uses gpulab's input
 * matrices, which hold normally distributed numbers, and no other part of gpulab.
 *
 *   gpulab-plain-gemm [ROUNDS]
 *
 * Prints one JSON line for each type, size and layout, with medians of the rounds (default: 6) in GFLOP/s (10^9
 * operations per second, 2 n^3 per product); bare_gflops is the plain loop's. The ratio is the median of the ratios of
 * each round, whose two measurements are close in time. Exits with 0 if all ratios are within 2 % of 1, with 1 if one
 * is not, with 77 if the machine has no cuBLAS or no GPU, and with 2 if something fails.
 */
#include "plain_side.h"

#include "cuda/gemm/cublas_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 12, ROUNDS_MAX = 100, LOOPS = 10, PRODUCTS_MAX = 100 };

static const double tolerance = 0.02; /* largest deviation of a ratio from 1 */
static const double settle_s = 0.3;   /* at least, in each measurement, before the samples */
static const double loop_s = 20e-3;   /* approximate duration of one loop */

struct product {
    const char *type_name, *layout_name;
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    int size;
};

static const struct product products[] = {
    {"fp32", "nn", LAB_GEMM_FP32, LAB_GEMM_NN, 4096}, {"fp32", "nn", LAB_GEMM_FP32, LAB_GEMM_NN, 8192},
    {"bf16", "tn", LAB_GEMM_BF16, LAB_GEMM_TN, 4096}, {"bf16", "tn", LAB_GEMM_BF16, LAB_GEMM_TN, 8192},
    {"fp64", "nn", LAB_GEMM_FP64, LAB_GEMM_NN, 4096},
};
enum { COUNT = sizeof products / sizeof *products };

/* --- the plain loop ----------------------------------------------------------------------------------------------- */

struct plain {
    struct cublas cublas;
    cublasHandle_t handle;
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

static void must_cublas(const struct plain *plain, cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail(what, plain->cublas.status_name(status));
}

/* Returns false if cuBLAS is not installed. */
static bool open_plain(struct plain *plain)
{
    char why[256];
    if (!lab_cuda_cublas_open(&plain->cublas, why, sizeof why)) {
        fprintf(stderr, "gpulab-plain-gemm: %s\n", why);
        return false;
    }
    must_cublas(plain, plain->cublas.create(&plain->handle), "cublasCreate");
    must(cudaStreamCreateWithFlags(&plain->stream, cudaStreamNonBlocking), "stream");
    must_cublas(plain, plain->cublas.set_stream(plain->handle, plain->stream), "cublasSetStream");
    must(cudaEventCreate(&plain->start), "event");
    must(cudaEventCreate(&plain->stop), "event");
    return true;
}

static void close_plain(struct plain *plain)
{
    must(cudaEventDestroy(plain->stop), "event");
    must(cudaEventDestroy(plain->start), "event");
    must_cublas(plain, plain->cublas.destroy(plain->handle), "cublasDestroy");
    must(cudaStreamDestroy(plain->stream), "stream");
}

/* Queues one product. cuBLAS is column-major, so it computes the transpose, C' = B' A'. */
static void multiply(const struct plain *plain, const struct product *product, const void *a, const void *b, void *c)
{
    const float one = 1, zero = 0;
    const double one_fp64 = 1, zero_fp64 = 0;
    int n = product->size;
    bool fp64 = product->type == LAB_GEMM_FP64, bf16 = product->type == LAB_GEMM_BF16;
    cudaDataType element = fp64 ? CUDA_R_64F : bf16 ? CUDA_R_16BF : CUDA_R_32F;
    must_cublas(plain,
                plain->cublas.gemm(plain->handle, product->layout == LAB_GEMM_TN ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   CUBLAS_OP_N, n, n, n, fp64 ? (const void *)&one_fp64 : &one, b, element, n, a,
                                   element, n, fp64 ? (const void *)&zero_fp64 : &zero, c, element, n,
                                   fp64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx");
}

/* Computes `count` products in a row; returns the seconds per product. */
static double loop(const struct plain *plain, const struct product *product, size_t count, void *const memory[3])
{
    float milliseconds;
    must(cudaEventRecord(plain->start, plain->stream), "record");
    for (size_t i = 0; i < count; i++)
        multiply(plain, product, memory[0], memory[1], memory[2]);
    must(cudaEventRecord(plain->stop, plain->stream), "record");
    must(cudaEventSynchronize(plain->stop), "synchronize");
    must(cudaEventElapsedTime(&milliseconds, plain->start, plain->stop), "elapsed time");
    return (double)milliseconds * 1e-3 / (double)count;
}

/* The number of products in a loop. */
static size_t products_per_loop(const struct plain *plain, const struct product *product, void *const memory[3])
{
    loop(plain, product, 1, memory); /* loads the kernels */
    double count = loop_s / loop(plain, product, 1, memory);
    return count < 1 ? 1 : count > PRODUCTS_MAX ? PRODUCTS_MAX : (size_t)count;
}

/* The arguments of loop. */
struct loop {
    const struct plain *plain;
    const struct product *product;
    size_t count;
    void *const *memory;
};

static void run_loop(const void *context)
{
    const struct loop *l = context;
    loop(l->plain, l->product, l->count, l->memory);
}

static double time_plain(const struct plain *plain, const struct product *product, size_t count, void *const memory[3])
{
    double loops[LOOPS];
    settle(run_loop, &(struct loop){plain, product, count, memory}, settle_s);
    for (size_t i = 0; i < LOOPS; i++)
        loops[i] = loop(plain, product, count, memory);
    return median(loops, LOOPS);
}

/* --- gpulab ------------------------------------------------------------------------------------------------------- */

struct lab {
    struct plain_side side;
    size_t count; /* products in a row */
};

static void *matrix(struct plain_side *side, const struct product *product, uint64_t seed)
{
    size_t size = (size_t)product->size;
    void *memory = lab_side_allocate(side, size * size * lab_gemm_element_bytes(product->type));
    const struct lab_gemm_fill fill = {product->type, LAB_GEMM_NORMAL, size, size, false, seed, memory};
    lab_side_perform(side, side->runtime->gemm->prepare_fill(side->device, &fill), "filling a matrix");
    return memory;
}

static bool enqueue(void *context)
{
    struct lab *lab = context;
    bool ok = true;
    for (size_t i = 0; i < lab->count && ok; i++)
        ok = lab->side.runtime->enqueue(lab->side.device, lab->side.plan, lab->side.stream);
    return ok;
}

static double time_lab(struct lab *lab)
{
    const struct lab_lane lane = {lab->side.device, lab->side.stream};
    const struct lab_work work = {.timing = LAB_TIME_EVENTS,
                                  .lane_count = 1,
                                  .lanes = &lane,
                                  .operations = lab->count,
                                  .compute = true,
                                  .context = lab,
                                  .enqueue = enqueue};
    return lab_side_time(&lab->side, &work) / (double)lab->count;
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

/* Measures one product both ways and prints a line. Returns whether the two agree. In every other round gpulab is
 * measured first. */
static bool compare(struct lab *lab, const struct plain *plain, const struct product *product, size_t rounds)
{
    size_t size = (size_t)product->size;
    double operations = 2.0 * product->size * product->size * product->size / 1e9;
    double plain_rates[ROUNDS_MAX], lab_rates[ROUNDS_MAX], ratios[ROUNDS_MAX];
    struct plain_side *side = &lab->side;
    void *memory[] = {matrix(side, product, 1), matrix(side, product, 2), matrix(side, product, 3)};
    struct lab_gemm gemm = {product->type, product->layout, size, size, size, memory[0], memory[1], memory[2]};
    side->plan = side->runtime->gemm->prepare(side->device, "cublas", &gemm);
    must_lab(side->device, side->plan != NULL, "preparing a product");
    lab->count = products_per_loop(plain, product, memory);
    for (size_t i = 0; i < rounds; i++) {
        if (i % 2 == 1)
            lab_rates[i] = operations / time_lab(lab);
        plain_rates[i] = operations / time_plain(plain, product, lab->count, memory);
        if (i % 2 == 0)
            lab_rates[i] = operations / time_lab(lab);
        ratios[i] = lab_rates[i] / plain_rates[i];
    }
    side->runtime->plan_free(side->device, side->plan);
    for (size_t i = 0; i < 3; i++)
        side->runtime->free(side->device, LAB_MEMORY_DEVICE, memory[i]);

    double ratio = median(ratios, rounds);
    printf("{\"type\":\"%s\",\"size\":%d,\"layout\":\"%s\",\"bare_gflops\":%.6g,\"lab_gflops\":%.6g,\"ratio\":%.4f}\n",
           product->type_name, product->size, product->layout_name, median(plain_rates, rounds),
           median(lab_rates, rounds), ratio);
    fflush(stdout);
    return fabs(ratio - 1) <= tolerance;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    if (rounds < 1 || rounds > ROUNDS_MAX || argc > 2) {
        fprintf(stderr, "usage: gpulab-plain-gemm [ROUNDS]\n");
        return 2;
    }
    struct lab lab;
    struct plain plain;
    bool agree = true;
    if (!lab_side_open(&lab.side))
        return SKIPPED;
    lab_side_prepare(&lab.side, "matmul", COUNT * (size_t)rounds, LOOPS, settle_s);
    bool has_cublas = open_plain(&plain);
    for (size_t i = 0; i < COUNT && has_cublas; i++)
        agree = compare(&lab, &plain, &products[i], (size_t)rounds) && agree;
    if (has_cublas)
        close_plain(&plain);
    lab_side_close(&lab.side);
    return !has_cublas ? SKIPPED : agree ? 0 : 1;
}
