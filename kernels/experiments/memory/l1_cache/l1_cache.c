/* l1-cache: how much of a multiprocessor's memory is L1 cache, and loads with hints for the caches.
 *
 * Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", 3.3.1, describe what the L1 cache serves and how it is
 * configured.
 */
#include "l1_cache.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

enum { VARIANT, CARVEOUT, WORKING_SET, LOAD };
enum { THREADS = 1024, READ_BYTES = 1 << 23 }; /* bytes that a block reads in a repetition */
enum { AUTOMATIC = -1 };

static const struct step {
    const char *name;
    bool past_l1;
} steps[] = {[L1_CA] = {"ca", false}, [L1_LDG] = {"ldg", false}, [L1_CS] = {"cs", false}, [L1_CG] = {"cg", true}, {0}};

static const struct carveout {
    const char *name;
    int percent;
} carveouts[] = {{"automatic", AUTOMATIC}, {"0%", 0}, {"25%", 25}, {"50%", 50}, {"75%", 75}, {"100%", 100}, {0}};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Load", steps)},
    {LAB_STEPS_OF("carveout", "Shared memory", carveouts, "automatic", "0%", "50%", "100%"),
     .text =
         "The share of the largest shared memory of a multiprocessor that the kernel asks for; L1 gets the rest. The driver takes "
         "the next size that the hardware has. automatic: what the driver chooses. By default other loads than ca have "
         "automatic only."},
    {LAB_INTEGERS("working_set", "Working set", "Bytes that each block reads again and again; a multiple of 16.", 16384,
                  65536, 98304, 131072, 163840, 196608, 229376, 262144),
     .unit = "B", .minimum = 1024, .maximum = 4194304},
    {0},
};

/* The division of the memory matters where L1 is used; a single value is kept. */
static bool keeps_carveout(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    bool divides = point->values[VARIANT] == L1_CA && !lab_facts_is_cpu(request->devices[0]);
    return divides || carveouts[value].percent == AUTOMATIC;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [CARVEOUT] = {.name = "carveout", .keeps = keeps_carveout},
    [WORKING_SET] = {.name = "working_set", .multiple = L1_VECTOR_BYTES},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes that all blocks load / time / 10^9; a byte of the working set counts each time that it is loaded"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("l1_bytes", "L1 cache as asked for", "B",
                "computed, not measured: (1 - carveout) * largest shared memory of a multiprocessor; if the driver "
                "follows the request. automatic: all, because the kernel needs no shared memory to speak of")},
    {LAB_METRIC(
        "level", "Level", "1",
        "computed, not measured: the cache that serves the loads after the first round; 1: L1, if the working set "
        "fits in l1_bytes and the load is not past L1; 2: L2")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "working-set", "Bandwidth over working set", "bandwidth", "working_set"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("table", "l1", "L1 cache as asked for", "l1_bytes", "carveout")},
    {LAB_VIEW("table", "level", "Level", "level", "working_set")},
    {0},
};

static void add_figures(const struct lab_device_facts *device, const struct lab_point *point, int percent,
                        struct lab_workload *workload)
{
    double largest = (double)device->shared_per_multiprocessor_bytes;
    double l1 = percent == AUTOMATIC ? largest : largest * (100 - percent) / 100;
    bool fits = (double)point->values[WORKING_SET] <= l1 && !steps[point->values[VARIANT]].past_l1;
    if (lab_facts_is_cpu(device) || device->shared_per_multiprocessor_bytes == LAB_UNKNOWN)
        return;
    lab_workload_add_figure(workload, "l1_bytes", l1);
    lab_workload_add_figure(workload, "level", fits ? 1 : 2);
}

static void l1_cache_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                              const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[VARIANT]];
    int percent = carveouts[point->values[CARVEOUT]].percent;
    uint64_t bytes = (uint64_t)point->values[WORKING_SET], blocks = lab_facts_multiprocessors(device);
    uint64_t rounds = (READ_BYTES + bytes - 1) / bytes, vectors = bytes / L1_VECTOR_BYTES;
    (void)given;
    if (lab_facts_is_cpu(device) && (point->values[VARIANT] != L1_CA || percent != AUTOMATIC))
        lab_workload_skip(workload, "a host device has no such hints, and its caches cannot be divided");
    lab_workload_add_kernel(workload, "l1_cache_%s", step->name);
    lab_workload_add_input(workload, bytes, LAB_CONTENT_WORDS);
    size_t sums = lab_workload_add_output(workload, blocks * L1_WORD_BYTES);
    LAB_ARGUMENTS(workload, LAB_U32(vectors), LAB_U32(rounds));
    lab_workload_launch(workload, blocks, THREADS);
    if (percent != AUTOMATIC) {
        workload->steps[0].launch.divides_l1 = true;
        workload->steps[0].launch.shared_percent = (uint32_t)percent;
    }
    workload->check = LAB_CHECK("l1_cache_check", sums, rounds, bytes / L1_WORD_BYTES);
    workload->counts[LAB_COUNT_BYTES] = (double)(rounds * bytes * blocks);
    workload->peak = (struct lab_peak){0, "caches"};
    add_figures(device, point, percent, workload);
}

LAB_IMAGE(l1_cache);
static const struct lab_benchmark benchmark = {.image = &image, .describe = l1_cache_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("From L1", "bandwidth"), .at = {{"variant", "ca"}, {"carveout", "automatic"}},
     .smallest = {"working_set"}},
    {LAB_HEADLINE("Past L1", "bandwidth"), .at = {{"variant", "cg"}, {"carveout", "automatic"}},
     .smallest = {"working_set"}},
    {0},
};

LAB_PAGE(l1_cache);
const struct lab_experiment lab_l1_cache = {
    .name = "l1-cache",
    .title = "L1 cache: carve-out and hints",
    .subject = "memory",
    .summary = "Reads of a small array by each multiprocessor: how much of its memory is L1 cache, and loads past it.",
    LAB_BENCHMARK_FIELDS(l1_cache, benchmark),
};
