/* bank-conflicts: the rate of shared memory for accesses whose lanes are a stride apart, beside the predicted
 * wavefronts.
 *
 * The CUDA course text says that accesses to one bank of shared memory are served one after the other. The preset
 * `strides` has strides 1 to 33 and 0, a broadcast; rows of 32 and of 33 words are strides of 32 and of 33.
 */
#include "bank_conflicts.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <inttypes.h>

enum { VARIANT, WIDTH, STRIDE, LOAD };

static const char *const variants[] = {"load", "store", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL("variant", "Access",
                     "load: every warp loads the same elements; store: every warp stores to elements of its own.",
                     variants)},
    {LAB_INTEGERS("width", "Bytes per access",
                  "Bytes that a thread accesses with one instruction: 4, 8 or 16; other values are rounded down.", 4, 8,
                  16),
     .unit = "B", .minimum = 4, .maximum = 16},
    {LAB_INTEGERS(
         "stride", "Stride",
         "Elements, of `width` bytes, from the one that a thread accesses to that of the next thread. With 0 all threads "
         "of a warp load the same 4 bytes; it is left out for stores and for other widths.",
         0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 33),
     .minimum = 0, .maximum = BANK_CONFLICTS_STRIDE_MAX},
    {LAB_INTEGER(
         "wavefronts", "Wavefronts",
         "Predicted wavefronts of one kernel on each multiprocessor. The start of a kernel takes about 10000 cycles.",
         4194304),
     .minimum = 65536, .maximum = 67108864, .advanced = true},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static bool keeps_stride(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return value > 0 || (point->values[VARIANT] == BANK_CONFLICTS_LOAD && point->values[WIDTH] == 4);
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [WIDTH] = {.name = "width", .power_of_two = true},
    [STRIDE] = {.name = "stride", .keeps = keeps_stride},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "cycles_per_request", "Cycles per request", "cycles",
         "time * clock of the multiprocessors / requests of each multiprocessor; a request is one load or store of a "
         "warp"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC(
        "predicted_cycles_per_request", "Predicted cycles per request", "cycles",
        "computed, not measured: a cycle for each wavefront; for a warp, its half-warps (8 bytes) or its quarter-warps "
        "(16 bytes), the largest number of different words in one of the 32 banks, added up")},
    {LAB_METRIC(
         "cycles_per_wavefront", "Cycles per wavefront", "cycles",
         "cycles_per_request / number of wavefronts, as in the prediction; 1 if it is right and nothing else limits "
         "the rate"),
     .counter = LAB_COUNT_PARTS},
    {LAB_METRIC("counted_wavefronts_per_request", "Counted wavefronts per request", "1",
                "counted by the hardware: wavefronts of shared memory, of loads or of stores, / requests of warps")},
    {LAB_METRIC("conflict_ways", "Bank conflicts", "1",
                "computed, not measured: wavefronts for each 128 bytes of a request; 1 at best")},
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s",
                "32 * width bytes for each request, also if lanes access the same word, / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "cycles", "Cycles per request over stride", "cycles_per_request", "stride")},
    {LAB_VIEW("scatter", "prediction", "Cycles per request over predicted cycles", "cycles_per_request",
              "predicted_cycles_per_request"),
     .y = "stride"},
    {LAB_VIEW("scatter", "counted", "Counted over predicted wavefronts", "counted_wavefronts_per_request",
              "predicted_cycles_per_request"),
     .y = "stride", .beside = "cycles_per_request", .predicted = true},
    {LAB_VIEW("table", "wavefronts", "Cycles per wavefront", "cycles_per_wavefront", "stride")},
    {LAB_VIEW("heat", "widths", "Cycles per request by stride and width", "cycles_per_request", "stride"),
     .y = "width"},
    {0},
};

/* Shared memory of the one block of each multiprocessor: more than half of what there is, so that no second block
 * fits. */
static size_t shared_bytes(const struct lab_device_facts *device, size_t needed)
{
    enum { MORE = 256 };
    int64_t all = device->shared_per_multiprocessor_bytes;
    size_t least = all > 0 ? (size_t)all / 2 + MORE : 0;
    return needed > least ? needed : least;
}

/* Warps of a block, of which each needs `own` bytes of shared memory for itself: as many as fit, at least MIN. */
static uint32_t warps_of(const struct lab_device_facts *device, size_t own)
{
    enum { MIN = 8, MAX = 32 };
    uint32_t warps = MAX;
    while (warps > MIN && (int64_t)(own * warps) > device->shared_per_block_optin_bytes)
        warps /= 2;
    return warps;
}

static void describe_accesses(const struct lab_parameters *given, const struct lab_device_facts *device,
                              const struct lab_point *point, struct lab_workload *workload)
{
    enum { UNROLL = 32 };
    enum bank_conflicts_variant variant = (enum bank_conflicts_variant)point->values[VARIANT];
    uint32_t stride = (uint32_t)point->values[STRIDE], words = (uint32_t)point->values[WIDTH] / 4;
    uint32_t wavefronts = bank_conflicts_wavefronts(stride, words);
    uint32_t all_wavefronts = (uint32_t)lab_parameter_integer(given, "wavefronts");
    size_t own = variant == BANK_CONFLICTS_STORE ? sizeof(uint32_t) * bank_conflicts_span(stride, words) : 0;
    uint32_t warps = warps_of(device, own);
    uint32_t requests = all_wavefronts / (warps * wavefronts) / UNROLL * UNROLL;
    uint64_t multiprocessors = lab_facts_multiprocessors(device);
    size_t needed = own > 0 ? own * warps : sizeof(uint32_t) * bank_conflicts_span(stride, words);
    size_t result = lab_workload_output(workload, sizeof(uint32_t) * multiprocessors * warps * BANK_CONFLICTS_LANES);
    if ((int64_t)needed > device->shared_per_block_optin_bytes)
        lab_workload_skip(workload,
                          "the stores need %zu bytes of shared memory for each block; this device has at most %" PRId64,
                          needed, device->shared_per_block_optin_bytes);
    lab_workload_add_kernel(workload, "bank_conflicts_%s-%d", variants[variant], (int)point->values[WIDTH]);
    LAB_ARGUMENTS(workload, LAB_BUFFER(result), LAB_U32(stride), LAB_U32(requests),
                  LAB_U64(lab_parameter_integer(given, "seed")));
    lab_workload_launch(workload, multiprocessors, warps * BANK_CONFLICTS_LANES);
    workload->steps[0].launch.shared_bytes = shared_bytes(device, needed);
    workload->check = LAB_CHECK("bank_conflicts_check", result, variant, stride | words << 8, requests);
    workload->counts[LAB_COUNT_STEPS] = (double)warps * requests;
    workload->counts[LAB_COUNT_PARTS] = (double)warps * requests * wavefronts;
    workload->counts[LAB_COUNT_BYTES] = (double)(multiprocessors * warps) * requests * BANK_CONFLICTS_LANES * 4 * words;
    workload->seconds = device->clock_hz > 0 ? all_wavefronts / device->clock_hz : 0;
    lab_workload_add_figure(workload, "predicted_cycles_per_request", wavefronts);
    lab_workload_add_figure(workload, "conflict_ways", (double)wavefronts / words);
    lab_workload_add_counted(workload, "counted_wavefronts_per_request",
                             1 / ((double)(multiprocessors * warps) * requests),
                             LAB_SUM_OF(variant == BANK_CONFLICTS_STORE ? LAB_HARDWARE_SHARED_STORE_WAVEFRONTS
                                                                        : LAB_HARDWARE_SHARED_LOAD_WAVEFRONTS),
                             LAB_SUM_OF_NONE);
}

static void bank_conflicts_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                    const struct lab_point *point, struct lab_workload *workload)
{
    if (lab_facts_is_cpu(device))
        lab_workload_skip(workload, "a CPU has no shared memory with banks that programs address");
    else
        describe_accesses(given, device, point, workload);
}

LAB_CUDA_IMAGE(bank_conflicts);
static const struct lab_benchmark benchmark = {.image = &image, .describe = bank_conflicts_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Without conflicts", "cycles_per_request"),
     .at = {{"variant", "load"}, {"width", "4"}, {"stride", "1"}}, .lowest = true},
    {LAB_HEADLINE("All lanes in one bank", "cycles_per_request"),
     .at = {{"variant", "load"}, {"width", "4"}, {"stride", "32"}}, .lowest = true},
    {0},
};

LAB_PAGE(bank_conflicts);
const struct lab_experiment lab_bank_conflicts = {
    .name = "bank-conflicts",
    .title = "Shared memory bank conflicts",
    .subject = "memory",
    .summary = "Cycles of loads and stores of shared memory by stride and width, beside the predicted wavefronts.",
    LAB_BENCHMARK_FIELDS(bank_conflicts, benchmark),
};
