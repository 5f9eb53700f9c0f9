/* Measures an all-reduce with a plain loop of NCCL calls between two events, and compares it with gpulab's experiment.
 * Both run in one process on all GPUs (at most 16), alternating, so that both are measured under the same conditions.
 * The plain loop loads NCCL itself and shares no code with kernels/.
 *
 *   gpulab-plain-nccl [--rounds N] [BYTES…]
 *
 * Prints a JSON line for each size: {"bytes":…,"bare_busbw":…,"lab_busbw":…,"ratio":…}, with medians of the rounds in
 * GB/s (10^9 bytes per second); bare_busbw is the plain loop's. The ratio is the median of the ratios of each round,
 * whose two measurements are close in time. Exits with 0 if all ratios are within 3 % of 1, with 1 if one is not, with
 * 77 if the machine has no NCCL or fewer than two GPUs, and with 2 if something fails or a result of gpulab is wrong.
 * Defaults: 1 GiB, 256, 16, 4 and 1 MiB; 5 rounds, below 4 MiB 15, because launching limits these and varies between
 * rounds. NVLink multicast is off.
 */
#include "cuda/cuda.h"
#include "descriptor/parameters.h"
#include "measure/run.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct lab_experiment lab_collectives;

enum { GPUS_MAX = 16, SIZES_MAX = 16, ROUNDS_MAX = 100, CHUNK_FLOATS = 1 << 22, SKIPPED = 77 };

static const double tolerance = 0.03; /* largest deviation of a ratio from 1 */
static const double warm_up_s = 0.2;  /* before each round of the plain loop */

static void exit_with(int code, const char *what, const char *why)
{
    fprintf(stderr, "gpulab-plain-nccl: %s: %s\n", what, why);
    exit(code);
}

static void fail(const char *what, const char *why)
{
    exit_with(2, what, why);
}

static void must(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fail(what, cudaGetErrorString(status));
}

static void must_nccl(ncclResult_t result, const char *what)
{
    char number[32];
    snprintf(number, sizeof number, "NCCL error %d", (int)result);
    if (result != ncclSuccess)
        fail(what, number);
}

/* --- the plain loop ----------------------------------------------------------------------------------------------- */

struct plain {
    int count;
    size_t elements;
    ncclComm_t communicators[GPUS_MAX];
    cudaStream_t streams[GPUS_MAX];
    float *send[GPUS_MAX], *receive[GPUS_MAX];
    cudaEvent_t start, stop; /* on the first GPU */

    __typeof__(&ncclCommInitAll) init_all;
    __typeof__(&ncclCommDestroy) destroy;
    __typeof__(&ncclGroupStart) group_start;
    __typeof__(&ncclGroupEnd) group_end;
    __typeof__(&ncclAllReduce) all_reduce;
};

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL)
        fail(name, "missing from the library");
    return symbol;
}

static void open_nccl(struct plain *plain)
{
    static const char *const names[] = {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2", "libnccl.so"};
    void *library = NULL, *symbol;
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        exit_with(SKIPPED, "NCCL", dlerror());
    symbol = find(library, "ncclCommInitAll");
    memcpy(&plain->init_all, &symbol, sizeof symbol);
    symbol = find(library, "ncclCommDestroy");
    memcpy(&plain->destroy, &symbol, sizeof symbol);
    symbol = find(library, "ncclGroupStart");
    memcpy(&plain->group_start, &symbol, sizeof symbol);
    symbol = find(library, "ncclGroupEnd");
    memcpy(&plain->group_end, &symbol, sizeof symbol);
    symbol = find(library, "ncclAllReduce");
    memcpy(&plain->all_reduce, &symbol, sizeof symbol);
}

/* The data to send: integers below 2^20. All-reduces do not write the send buffer, so repeating them does not change
 * the result. */
static float *random_floats(void)
{
    float *numbers = malloc(CHUNK_FLOATS * sizeof *numbers);
    if (numbers == NULL)
        fail("host memory", "out of memory");
    for (uint32_t i = 0; i < CHUNK_FLOATS; i++)
        numbers[i] = (float)(i * 2654435761u >> 12);
    return numbers;
}

static void open_plain(struct plain *plain, int count, size_t bytes)
{
    float *numbers = random_floats();
    *plain = (struct plain){.count = count, .elements = bytes / sizeof(float)};
    open_nccl(plain);
    for (int i = 0; i < count; i++) {
        must(cudaSetDevice(i), "device");
        must(cudaStreamCreateWithFlags(&plain->streams[i], cudaStreamNonBlocking), "stream");
        must(cudaMalloc((void **)&plain->send[i], bytes), "device memory");
        must(cudaMalloc((void **)&plain->receive[i], bytes), "device memory");
        for (size_t at = 0; at < plain->elements; at += CHUNK_FLOATS) {
            size_t floats = plain->elements - at < CHUNK_FLOATS ? plain->elements - at : CHUNK_FLOATS;
            must(cudaMemcpy(plain->send[i] + at, numbers, floats * sizeof(float), cudaMemcpyHostToDevice), "filling");
        }
    }
    free(numbers);
    must(cudaSetDevice(0), "device");
    must(cudaEventCreate(&plain->start), "event");
    must(cudaEventCreate(&plain->stop), "event");
    must_nccl(plain->init_all(plain->communicators, count, NULL), "communicators");
}

static void close_plain(struct plain *plain)
{
    for (int i = 0; i < plain->count; i++)
        must_nccl(plain->destroy(plain->communicators[i]), "communicator");
    for (int i = 0; i < plain->count; i++) {
        must(cudaSetDevice(i), "device");
        must(cudaFree(plain->send[i]), "device memory");
        must(cudaFree(plain->receive[i]), "device memory");
        must(cudaStreamDestroy(plain->streams[i]), "stream");
    }
    must(cudaEventDestroy(plain->start), "event");
    must(cudaEventDestroy(plain->stop), "event");
}

static void all_reduce(const struct plain *plain)
{
    must_nccl(plain->group_start(), "group");
    for (int i = 0; i < plain->count; i++)
        must_nccl(plain->all_reduce(plain->send[i], plain->receive[i], plain->elements, ncclFloat, ncclSum,
                                    plain->communicators[i], plain->streams[i]),
                  "all-reduce");
    must_nccl(plain->group_end(), "group");
}

static void synchronize(const struct plain *plain)
{
    for (int i = 0; i < plain->count; i++)
        must(cudaStreamSynchronize(plain->streams[i]), "synchronize");
}

/* The calls of a round: 20 as in nccl-tests, but of small arrays so many that the time until the first one starts, some
 * 10 us, is below 1 % of the round. */
static int calls_of(const struct plain *plain)
{
    return plain->elements * sizeof(float) < (size_t)64 << 20 ? 400 : 20;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs all-reduces for a while, because the devices and their links take time to leave the idle state. */
static void warm_up(const struct plain *plain)
{
    for (double end_s = now_s() + warm_up_s; now_s() < end_s; synchronize(plain))
        for (int i = 0; i < 20; i++)
            all_reduce(plain);
}

/* Returns the bus bandwidth of one round. */
static double plain_round(const struct plain *plain)
{
    int calls = calls_of(plain);
    float milliseconds;
    warm_up(plain);
    must(cudaSetDevice(0), "device");
    must(cudaEventRecord(plain->start, plain->streams[0]), "record");
    for (int i = 0; i < calls; i++)
        all_reduce(plain);
    must(cudaEventRecord(plain->stop, plain->streams[0]), "record");
    synchronize(plain);
    must(cudaEventElapsedTime(&milliseconds, plain->start, plain->stop), "elapsed time");
    double each = (double)milliseconds * 1e-3 / calls;
    return (double)(plain->elements * sizeof(float)) / each * 2 * (plain->count - 1) / plain->count / 1e9;
}

/* --- gpulab ------------------------------------------------------------------------------------------------------- */

struct lab {
    size_t count;
    struct lab_device *devices[GPUS_MAX];
    double busbw; /* bus bandwidth of the last round, in GB/s */
};

static void take_measurement(void *context, const struct lab_measurement *m)
{
    struct lab *lab = context;
    if (m->skipped != NULL)
        fail("gpulab skipped the point", m->skipped);
    if (!m->verified_known || !m->verified)
        fail("gpulab", "the result is wrong or was not verified");
    if (strcmp(m->metric, "busbw") == 0)
        lab->busbw = m->summary.median;
}

static void ignore_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    (void)done;
    (void)total;
    (void)label;
}

static void print_text(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static void open_lab(struct lab *lab)
{
    struct lab_error error = {0};
    if (!lab_cuda_runtime.start(&(struct lab_runtime_options){0}, &error))
        exit_with(SKIPPED, "gpulab", error.detail);
    size_t found = lab_cuda_runtime.device_count();
    *lab = (struct lab){.count = found < GPUS_MAX ? found : GPUS_MAX};
    if (lab->count < 2)
        exit_with(SKIPPED, "gpulab", "an all-reduce needs two GPUs");
    for (size_t i = 0; i < lab->count; i++) {
        lab->devices[i] = lab_cuda_runtime.open(i, &error);
        if (lab->devices[i] == NULL)
            fail("gpulab", error.detail);
    }
}

static void close_lab(struct lab *lab)
{
    for (size_t i = 0; i < lab->count; i++)
        lab_cuda_runtime.close(lab->devices[i]);
    lab_cuda_runtime.stop();
}

/* Runs the experiment for one size, out of place, and returns its bus bandwidth. */
static double lab_round(struct lab *lab, size_t bytes)
{
    struct lab_errors errors = {0};
    atomic_bool cancel = false;
    json_t *given = json_pack("{s:s, s:b, s:I, s:I, s:f}", "operation", "all-reduce", "in_place", 0, "min_bytes",
                              (json_int_t)bytes, "max_bytes", (json_int_t)bytes, "time_budget_s", 1.0);
    struct lab_parameters *parameters = lab_parameters_parse(&lab_collectives, given, &errors);
    json_decref(given);
    if (parameters == NULL)
        fail("gpulab", errors.items[0].detail);
    struct lab_run run = {.experiment = &lab_collectives,
                          .parameters = parameters,
                          .device_count = lab->count,
                          .sink = {lab, take_measurement, NULL, ignore_progress, print_text, print_text},
                          .numa_node = LAB_UNKNOWN,
                          .cancel = &cancel};
    memcpy(run.devices, lab->devices, sizeof lab->devices);
    lab->busbw = NAN;
    if (!lab_collectives.run(&run))
        fail("gpulab", run.error.detail);
    lab_parameters_free(parameters);
    return lab->busbw;
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

static bool compare(struct lab *lab, size_t bytes, size_t rounds)
{
    double plain_busbw[ROUNDS_MAX], lab_busbw[ROUNDS_MAX], ratios[ROUNDS_MAX];
    struct lab_summary of_plain, of_lab, of_ratios;
    struct plain plain;
    open_plain(&plain, (int)lab->count, bytes);
    for (size_t i = 0; i < rounds; i++) {
        plain_busbw[i] = plain_round(&plain);
        lab_busbw[i] = lab_round(lab, bytes);
        ratios[i] = lab_busbw[i] / plain_busbw[i];
    }
    close_plain(&plain);
    if (!lab_summarise(plain_busbw, rounds, &of_plain) || !lab_summarise(lab_busbw, rounds, &of_lab) ||
        !lab_summarise(ratios, rounds, &of_ratios))
        fail("host memory", "out of memory");
    printf("{\"bytes\":%zu,\"device_count\":%zu,\"bare_busbw\":%.6g,\"lab_busbw\":%.6g,\"ratio\":%.6g}\n", bytes,
           lab->count, of_plain.median, of_lab.median, of_ratios.median);
    fflush(stdout);
    return fabs(of_ratios.median - 1) <= tolerance; /* also false for NAN */
}

static int usage(void)
{
    fputs("usage: gpulab-plain-nccl [--rounds N] [BYTES…]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    size_t sizes[SIZES_MAX] = {1 << 30, 256 << 20, 16 << 20, 4 << 20, 1 << 20}, given = 0, rounds = 0;
    for (int i = 1; i < argc; i++) {
        bool of_rounds = strcmp(argv[i], "--rounds") == 0 && i + 1 < argc;
        char *end;
        size_t number = strtoull(argv[of_rounds ? ++i : i], &end, 10);
        if (*end != '\0' || number == 0 || given == SIZES_MAX || (of_rounds && number > ROUNDS_MAX))
            return usage();
        if (of_rounds)
            rounds = number;
        else
            sizes[given++] = number / sizeof(float) * sizeof(float);
    }
    struct lab lab;
    bool ok = true;
    if (setenv("NCCL_NVLS_ENABLE", "0", 1) != 0) /* must be set before NCCL is loaded */
        fail("environment", "out of memory");
    open_lab(&lab);
    for (size_t i = 0; i < (given > 0 ? given : 5); i++)
        ok = compare(&lab, sizes[i], rounds > 0 ? rounds : sizes[i] < 4 << 20 ? 15 : 5) && ok;
    close_lab(&lab);
    return ok ? 0 : 1;
}
