/* Measures batches of Fourier transforms with a plain loop of cuFFT between two events, with its own plan, stream and
 * events, and compares them with gpulab's plan for cuFFT, measured by lab_measure as in every run. Both run in one
 * process, in alternating rounds, on the same arrays. The plain loop uses no other part of gpulab.
 *
 *   gpulab-plain-fft [ROUNDS]
 *
 * Prints one JSON line for each type and length, with medians of the rounds (default: 6) in GFLOP/s (10^9 operations
 * per second, 5 n log2 n per transform); bare_gflops is the plain loop's. The ratio is the median of the ratios of each
 * round, whose two measurements are close in time. Exits with 0 if all ratios are within 2 % of 1, with 1 if one is
 * not, with 77 if the machine has no cuFFT or no GPU, and with 2 if something fails.
 */
#include "plain_side.h"

#include "cuda/cufft_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 6, ROUNDS_MAX = 100, LOOPS = 10, TRANSFORMS_IN_LOOP = 50, BYTES = 256 << 20 };

static const double tolerance = 0.02; /* largest deviation of a ratio from 1 */
static const double settle_s = 0.2;   /* at least, in each measurement, before the samples */

struct batch {
    const char *type_name;
    bool fp64;
    int n;
};

static const struct batch batches[] = {
    {"fp32", false, 256}, {"fp32", false, 1024}, {"fp32", false, 4096}, {"fp32", false, 2401}, {"fp64", true, 1024},
};
enum { COUNT = sizeof batches / sizeof *batches };

static int transforms_of(const struct batch *batch)
{
    return BYTES / (batch->n * (batch->fp64 ? 16 : 8));
}

/* --- the plain loop ----------------------------------------------------------------------------------------------- */

struct plain {
    struct cufft cufft;
    cufftHandle handle; /* of the current batch */
    bool fp64;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *input, *output;
};

static void must_cufft(cufftResult result, const char *what)
{
    if (result != CUFFT_SUCCESS)
        fail(what, "cuFFT failed");
}

/* Fills the input with random numbers from 1 to 2; each two of them are a number in fp64, from 2^-7 to 2. */
static void fill(void *input)
{
    uint32_t *words = malloc(BYTES), state = 1;
    if (words == NULL)
        fail("input", "out of memory");
    for (size_t i = 0; i < BYTES / sizeof *words; i++) {
        state = state * 1664525 + 1013904223; /* D. E. Knuth and H. W. Lewis */
        words[i] = 0x3f800000 | state >> 9;
    }
    must(cudaMemcpy(input, words, BYTES, cudaMemcpyHostToDevice), "copy");
    free(words);
}

/* Returns false if cuFFT is not installed. */
static bool open_plain(struct plain *plain)
{
    char why[256];
    if (!lab_cuda_cufft_open(&plain->cufft, why, sizeof why)) {
        fprintf(stderr, "gpulab-plain-fft: %s\n", why);
        return false;
    }
    must(cudaStreamCreateWithFlags(&plain->stream, cudaStreamNonBlocking), "stream");
    must(cudaEventCreate(&plain->start), "event");
    must(cudaEventCreate(&plain->stop), "event");
    must(cudaMalloc(&plain->input, BYTES), "memory");
    must(cudaMalloc(&plain->output, BYTES), "memory");
    fill(plain->input);
    return true;
}

static void close_plain(struct plain *plain)
{
    must(cudaFree(plain->output), "memory");
    must(cudaFree(plain->input), "memory");
    must(cudaEventDestroy(plain->stop), "event");
    must(cudaEventDestroy(plain->start), "event");
    must(cudaStreamDestroy(plain->stream), "stream");
}

static void plan_plain(struct plain *plain, const struct batch *batch)
{
    long long n = batch->n;
    size_t work_bytes;
    plain->fp64 = batch->fp64;
    must_cufft(plain->cufft.create(&plain->handle), "cufftCreate");
    must_cufft(plain->cufft.make_plan(plain->handle, 1, &n, NULL, 1, 0, NULL, 1, 0, batch->fp64 ? CUFFT_Z2Z : CUFFT_C2C,
                                      transforms_of(batch), &work_bytes),
               "cufftMakePlanMany64");
    must_cufft(plain->cufft.set_stream(plain->handle, plain->stream), "cufftSetStream");
}

/* Transforms the batch so many times in a row; returns the seconds of one. */
static double loop(const struct plain *plain)
{
    float milliseconds;
    must(cudaEventRecord(plain->start, plain->stream), "record");
    for (int i = 0; i < TRANSFORMS_IN_LOOP; i++)
        must_cufft(plain->fp64
                       ? plain->cufft.transform_complex_fp64(plain->handle, plain->input, plain->output, CUFFT_FORWARD)
                       : plain->cufft.transform_complex(plain->handle, plain->input, plain->output, CUFFT_FORWARD),
                   "a transform");
    must(cudaEventRecord(plain->stop, plain->stream), "record");
    must(cudaEventSynchronize(plain->stop), "synchronize");
    must(cudaEventElapsedTime(&milliseconds, plain->start, plain->stop), "elapsed time");
    return (double)milliseconds * 1e-3 / TRANSFORMS_IN_LOOP;
}

static void run_loop(const void *plain)
{
    loop(plain);
}

static double time_plain(const struct plain *plain)
{
    double loops[LOOPS];
    settle(run_loop, plain, settle_s);
    for (size_t i = 0; i < LOOPS; i++)
        loops[i] = loop(plain);
    return median(loops, LOOPS);
}

/* --- gpulab ------------------------------------------------------------------------------------------------------- */

static bool enqueue(void *context)
{
    struct plain_side *lab = context;
    return lab->runtime->enqueue(lab->device, lab->plan, lab->stream);
}

static double time_lab(struct plain_side *lab)
{
    const struct lab_lane lane = {lab->device, lab->stream};
    const struct lab_work work = {.timing = LAB_TIME_LATCHED,
                                  .lane_count = 1,
                                  .lanes = &lane,
                                  .operations = 1,
                                  .sample_s = 5e-3,
                                  .compute = true,
                                  .context = lab,
                                  .enqueue = enqueue};
    return lab_side_time(lab, &work);
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

/* Measures one batch both ways and prints a line. Returns whether the two agree. In every other round gpulab is
 * measured first. */
static bool compare(struct plain_side *lab, struct plain *plain, const struct batch *batch, size_t rounds)
{
    double operations = 5.0 * batch->n * log2(batch->n) * transforms_of(batch) / 1e9;
    double plain_rates[ROUNDS_MAX], lab_rates[ROUNDS_MAX], ratios[ROUNDS_MAX];
    const struct lab_fft fft = {.dimensions = 1,
                                .n = (uint64_t)batch->n,
                                .batch = (uint64_t)transforms_of(batch),
                                .fp64 = batch->fp64,
                                .input = plain->input,
                                .output = plain->output};
    lab->plan = lab->runtime->fft->prepare(lab->device, &fft);
    must_lab(lab->device, lab->plan != NULL, "preparing a transform");
    plan_plain(plain, batch);
    for (size_t i = 0; i < rounds; i++) {
        if (i % 2 == 1)
            lab_rates[i] = operations / time_lab(lab);
        plain_rates[i] = operations / time_plain(plain);
        if (i % 2 == 0)
            lab_rates[i] = operations / time_lab(lab);
        ratios[i] = lab_rates[i] / plain_rates[i];
    }
    must_cufft(plain->cufft.destroy(plain->handle), "cufftDestroy");
    lab->runtime->plan_free(lab->device, lab->plan);

    double ratio = median(ratios, rounds);
    printf("{\"type\":\"%s\",\"n\":%d,\"bare_gflops\":%.6g,\"lab_gflops\":%.6g,\"ratio\":%.4f}\n", batch->type_name,
           batch->n, median(plain_rates, rounds), median(lab_rates, rounds), ratio);
    fflush(stdout);
    return fabs(ratio - 1) <= tolerance;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    if (rounds < 1 || rounds > ROUNDS_MAX || argc > 2) {
        fprintf(stderr, "usage: gpulab-plain-fft [ROUNDS]\n");
        return 2;
    }
    struct plain_side lab;
    struct plain plain = {0};
    bool agree = true;
    if (!lab_side_open(&lab))
        return SKIPPED;
    lab_side_prepare(&lab, "fft", COUNT * (size_t)rounds, LOOPS, settle_s);
    bool has_cufft = open_plain(&plain);
    for (size_t i = 0; i < COUNT && has_cufft; i++)
        agree = compare(&lab, &plain, &batches[i], (size_t)rounds) && agree;
    if (has_cufft)
        close_plain(&plain);
    lab_side_close(&lab);
    return !has_cufft ? SKIPPED : agree ? 0 : 1;
}
