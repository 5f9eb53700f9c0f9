/* transpose: the transpose of a matrix, from the naive kernel to one that is as fast as a copy.
 *
 * Reproduces the case study of Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", 3.4: a matrix of 1024 x
 * 1024 elements of 4 bytes in tiles of 32 x 32, transposed by blocks of 32 x 8 threads.
 */
#include "transpose.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>
#include <string.h>

enum { M, N, STEP, LOAD };
enum { ELEMENT_BYTES = 4, SIDE_MAX = 32768 };

static const struct step {
    const char *name;
    uint32_t tile, access_bytes; /* elements of a tile's side, 0: no tiles; bytes of an access */
    double strided_sectors;      /* that a strided access touches; 0: no access is strided */
    double conflict_ways;        /* of shared memory; 0: none is used */
} steps[] = {
    {"copy", 0, 16, 0, 0},       {"naive", TILE, 4, 32, 0},      {"coalesced-writes", TILE, 4, 32, 0},
    {"texture", TILE, 4, 0, 0},  {"tiled", TILE, 4, 0, 32},      {"padded", TILE, 4, 0, 1},
    {"diagonal", TILE, 4, 0, 1}, {"vectorized", WIDE, 16, 0, 1}, {0},
};
enum { COPY, NAIVE, COALESCED_WRITES, TEXTURE };

static const struct lab_schema parameters[] = {
    {LAB_STEPS("step", "Step", steps)},
    {LAB_INTEGERS("m", "Rows", "Rows of the input.", 1024, 4096, 4097, 8100, 8192), .minimum = 1, .maximum = SIDE_MAX},
    {LAB_INTEGERS("n", "Columns", "Columns of the input. 0: as many as rows.", 0), .minimum = 0, .maximum = SIDE_MAX},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static int64_t square_if_0(const struct lab_point *point, int64_t columns)
{
    return columns > 0 ? columns : point->values[M];
}

static const struct lab_axis axes[] = {
    [M] = {.name = "m"},
    [N] = {.name = "n", .round = square_if_0},
    [STEP] = {.name = "step"},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    LAB_BANDWIDTH_METRICS("bytes of the two matrices (one read, one written)"),
    {LAB_METRIC("share_of_reference", "Share of the copy", "1",
                "time of copy / time, for the same matrix; their samples are taken alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC(
        "sectors_per_request", "Sectors per request", "1",
        "computed, not measured: the most sectors of 32 bytes that a load or store of a warp touches in the "
        "matrices; at best 4 for 4 bytes a thread and 16 for 16 bytes; not of texture, whose layout is not documented")},
    {LAB_METRIC("conflict_ways", "Bank conflicts", "1",
                "computed, not measured: the most words of one bank that a load or store of a warp takes from shared "
                "memory, one after the other, for each 128 bytes of it; 1 at best")},
    {LAB_METRIC(
        "bound", "Lower bound of the time", "s",
        "computed, not measured: the larger one of bytes / theoretical bandwidth of the device's memory, and "
        "cycles of shared memory / (multiprocessors * maximum clock): for each 32 elements 1 cycle to write them and "
        "conflict_ways cycles to read them")},
    {LAB_METRIC(
        "counted_sectors_per_request", "Counted sectors per request", "1",
        "counted by the hardware: sectors of 32 bytes / requests of warps, of the strided accesses if there are any, else of the loads")},
    {LAB_METRIC("counted_conflict_ways", "Counted bank conflicts", "1",
                "counted by the hardware: wavefronts of shared memory for each 128 bytes that warps load from it")},
    {LAB_TRAFFIC_METRIC},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("ladder", "ladder", "Bandwidth by step", "bandwidth", "step")},
    {LAB_VIEW("line", "size", "Bandwidth over size", "bandwidth", "m"), .log_x = true},
    {LAB_VIEW("line", "share", "Share of the copy over size", "share_of_reference", "m"), .log_x = true},
    {LAB_VIEW("table", "bound", "Lower bound of the time", "bound", "step")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "step")},
    {LAB_VIEW("table", "conflicts", "Bank conflicts", "conflict_ways", "step")},
    {LAB_VIEW("scatter", "counted-sectors", "Counted over predicted sectors", "counted_sectors_per_request",
              "sectors_per_request"),
     .y = "step", .beside = "bandwidth", .predicted = true, .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "counted-conflicts", "Counted over predicted bank conflicts", "counted_conflict_ways",
              "conflict_ways"),
     .y = "step", .beside = "bandwidth", .predicted = true, .log_x = true, .log_y = true},
    {0},
};

/* Sectors that a warp touches. Rows of a tile that do not begin at a sector touch one more, each. */
static double sectors_of(const struct step *step, uint64_t rows, uint64_t columns)
{
    enum { LANES = 32, SECTOR_BYTES = 32, PER_SECTOR = SECTOR_BYTES / ELEMENT_BYTES };
    uint32_t sectors = LANES * step->access_bytes / SECTOR_BYTES;
    uint32_t rows_of_warp = step->tile > 0 ? LANES * step->access_bytes / (step->tile * ELEMENT_BYTES) : 0;
    bool aligned = rows % PER_SECTOR == 0 && columns % PER_SECTOR == 0;
    return fmax(step->strided_sectors, sectors + (aligned ? 0 : rows_of_warp));
}

/* What the hardware counts of these predictions. The naive kernel strides when it stores. */
static void add_counted(const struct step *step, double bytes, struct lab_workload *workload)
{
    bool stores = strcmp(step->name, "naive") == 0;
    lab_workload_add_counted(workload, "counted_sectors_per_request", 1,
                             LAB_SUM_OF(stores ? LAB_HARDWARE_STORE_SECTORS : LAB_HARDWARE_LOAD_SECTORS),
                             LAB_SUM_OF(stores ? LAB_HARDWARE_STORE_REQUESTS : LAB_HARDWARE_LOAD_REQUESTS));
    lab_workload_add_counted(workload, "counted_conflict_ways", (double)ELEMENT_BYTES / step->access_bytes,
                             LAB_SUM_OF(LAB_HARDWARE_SHARED_LOAD_WAVEFRONTS), LAB_SUM_OF(LAB_HARDWARE_SHARED_LOADS));
    lab_workload_add_traffic(workload, bytes, bytes);
}

/* The lower bound of the time in seconds; not finite if the device's peaks are unknown. */
static double bound_of(const struct step *step, const struct lab_device_facts *device, double elements)
{
    double memory = 2 * ELEMENT_BYTES * elements / device->memory_peak_bytes_per_s;
    double cycles = elements / 32 * (1 + step->conflict_ways);
    double shared = cycles / ((double)device->multiprocessors * device->clock_hz);
    return step->conflict_ways > 0 && shared > memory ? shared : memory;
}

static void add_figures(const struct step *step, const struct lab_device_facts *device, uint64_t rows, uint64_t columns,
                        struct lab_workload *workload)
{
    if (strcmp(device->backend, "cuda") != 0)
        return;
    double bound = bound_of(step, device, (double)(rows * columns));
    if (step != &steps[TEXTURE])
        lab_workload_add_figure(workload, "sectors_per_request", sectors_of(step, rows, columns));
    if (step->conflict_ways > 0)
        lab_workload_add_figure(workload, "conflict_ways", step->conflict_ways);
    if (isfinite(bound) && bound > 0)
        lab_workload_add_figure(workload, "bound", bound);
}

static void launch(const struct step *step, uint64_t rows, uint64_t columns, struct lab_workload *workload)
{
    enum { THREADS = 256 };
    if (step->tile == 0) {
        lab_workload_launch_items(workload, (rows * columns + 3) / 4, THREADS);
        return;
    }
    struct lab_launch *launch = &workload->steps[0].launch;
    launch->grid[0] = (uint32_t)((columns + step->tile - 1) / step->tile);
    launch->grid[1] = (uint32_t)((rows + step->tile - 1) / step->tile);
    launch->block[0] = step->tile == WIDE ? UNITS : TILE;
    launch->block[1] = THREADS / launch->block[0];
}

static void transpose_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                               const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[STEP]];
    uint64_t rows = (uint64_t)point->values[M], columns = (uint64_t)point->values[N], count = rows * columns;
    uint64_t bytes = count * ELEMENT_BYTES;
    bool copies = point->values[STEP] == COPY, texture = point->values[STEP] == TEXTURE;
    (void)given;
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)bytes;
    workload->counts[LAB_COUNT_BASELINE] = 1;
    if (step->tile == WIDE && (rows % 4 != 0 || columns % 4 != 0))
        lab_workload_skip(workload, "accesses of 16 bytes need numbers of rows and columns that are multiples of 4");
    if (texture && lab_facts_is_cpu(device))
        lab_workload_skip(workload, "only GPUs have texture units");
    size_t in = lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS), out = lab_workload_output(workload, bytes);
    lab_workload_add_kernel(workload, "transpose_%s", step->name);
    if (texture)
        LAB_ARGUMENTS(workload, LAB_TEXTURE(in, lab_texture_of_words(columns, rows)));
    else
        LAB_ARGUMENTS(workload, LAB_BUFFER(in));
    LAB_ARGUMENTS(workload, LAB_BUFFER(out), LAB_U32(rows), LAB_U32(columns));
    launch(step, rows, columns, workload);
    workload->check = LAB_CHECK("transpose_check", out, copies ? 1 : rows, copies ? count : columns);
    /* On a CPU each strided access moves a cache line of 64 bytes: about 10 ns for each element, on all cores
     * together. */
    if (step->strided_sectors > 0 && lab_facts_is_cpu(device))
        workload->seconds = 10e-9 * (double)count;
    add_figures(step, device, rows, columns, workload);
    add_counted(step, (double)bytes, workload);
}

/* All steps are compared with the copy. */
static bool transpose_copy_of(const struct lab_point *point, struct lab_point *copy)
{
    *copy = *point;
    copy->values[STEP] = COPY;
    return point->values[STEP] != COPY;
}

LAB_IMAGE(transpose);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = transpose_describe, .baseline = transpose_copy_of};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Transpose", "bandwidth"), .at = {{"step", "vectorized"}}, .largest = {"m", "n"},
     .share = "share_of_reference"},
    {0},
};

LAB_PAGE(transpose);
const struct lab_experiment lab_transpose = {
    .name = "transpose",
    .title = "Matrix transpose",
    .subject = "memory",
    .summary = "The transpose of a matrix, from the naive kernel to one that is about as fast as a copy.",
    LAB_BENCHMARK_FIELDS(transpose, benchmark),
};
