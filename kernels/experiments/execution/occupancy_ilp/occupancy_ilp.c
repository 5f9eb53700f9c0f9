/* occupancy-ilp: how many independent operations must be in flight to hide the latency of memory and of arithmetic, and
 * that they may come from many warps or from few threads.
 *
 * Reproduces Ruetsch & Fatica, 3.5: copies of which one block fits on a multiprocessor, because of its shared memory,
 * with one and with several elements for each thread. The arithmetic follows V. Volkov, "Better performance at lower
 * occupancy" (GTC 2010).
 */
#include "occupancy_ilp.h"
#include "summary.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>

enum { BYTES = OCCUPANCY_ILP_INDEPENDENT + 1, LOAD };
enum { WARP = 32, BLOCK_WARPS_MAX = 32 };

static const struct {
    const char *name;
} steps[] = {
    [OCCUPANCY_ILP_COPY] = {"copy"},
    [OCCUPANCY_ILP_FMA] = {"fma"},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", steps)},
    {LAB_INTEGERS(
         "warps", "Warps per multiprocessor",
         "Warps of 32 threads on each multiprocessor: one block of up to 32 warps, or two blocks of half as many. Host "
         "devices have no warps.",
         1, 2, 4, 8, 16, 32, 48, 64),
     .minimum = 1, .maximum = 64},
    {LAB_INTEGERS("independent", "Independent operations per thread",
                  "Loads, or chains of multiply-adds, of a thread that do not wait for each other: 1, 2, 4 or 8.", 1, 2,
                  4, 8),
     .minimum = 1, .maximum = 8},
    {LAB_INTEGER("bytes", "Size", "Bytes of each of the two arrays of copy.", 134217728), .unit = "B",
     .minimum = 262144, .maximum = 17179869184.0},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static bool is_copy(const struct lab_point *point)
{
    return point->values[OCCUPANCY_ILP_VARIANT] == OCCUPANCY_ILP_COPY;
}

static void list_warps(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    (void)point;
    if (lab_facts_is_cpu(request->devices[0]))
        lab_axis_values_add(values, LAB_NO_VALUE);
    else
        lab_axis_values_add_parameter(values, request, "warps");
}

/* More than 32 warps are two equal blocks. */
static int64_t whole_blocks(const struct lab_point *point, int64_t warps)
{
    (void)point;
    return warps > BLOCK_WARPS_MAX ? warps / 2 * 2 : warps;
}

static const struct lab_axis axes[] = {
    [OCCUPANCY_ILP_VARIANT] = {.name = "variant"},
    [OCCUPANCY_ILP_WARPS] = {.name = "warps", .list = list_warps, .round = whole_blocks},
    [OCCUPANCY_ILP_INDEPENDENT] = {.name = "independent", .power_of_two = true},
    [BYTES] = {.name = "bytes", .applies = is_copy},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s", "copy: bytes read and written / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("throughput", "Throughput", "GFLOP/s",
                "fma: 2 operations for each multiply-add of each thread / time / 10^9"),
     .counter = LAB_COUNT_OPERATIONS},
    {LAB_METRIC(
        "share_of_peak", "Share of peak", "1",
        "copy: bandwidth / theoretical bandwidth of the device's memory; fma: throughput / peak of the fp32 cores")},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
         "round_cycles", "Cycles of a round", "cycles",
         "time * clock of the multiprocessor / rounds of a thread, which wait for each other: its loads and stores of "
         "one round, or one step of its chains. With one operation in flight this is the latency"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("occupancy", "Occupancy", "1",
                "warps on a multiprocessor / largest possible number, from the kernel's attributes")},
    {LAB_METRIC(
        "counted_occupancy", "Counted occupancy", "1",
        "counted by the hardware: warps on a multiprocessor, on average while it has any, / largest possible number")},
    {LAB_METRIC(
        "in_flight", "Operations in flight", "1",
        "computed, not measured: warps per multiprocessor * independent operations; each is an instruction of a "
        "warp. On a host device: independent operations of a core")},
    {LAB_METRIC("bytes_in_flight", "Bytes in flight per multiprocessor", "B",
                "computed, not measured: of copy, operations in flight * 32 threads * 4 bytes read")},
    {LAB_METRIC("predicted_bandwidth", "Bandwidth by Little's law", "GB/s",
                "computed from other points: operations in flight * bandwidth measured with one, at most the saturated "
                "bandwidth (needed_in_flight)")},
    {LAB_METRIC(
        "predicted_throughput", "Throughput by Little's law", "GFLOP/s",
        "computed from other points: operations in flight * throughput measured with one, at most the saturated "
        "throughput (needed_in_flight), and that of one scheduler for each warp if there are fewer than 4")},
    {LAB_METRIC(
        "needed_in_flight", "Operations in flight by Little's law", "1",
        "computed from other points: saturated rate / rate with one operation in flight = rate * unloaded latency. "
        "Saturated: the mean of the points with at least half of the most operations in flight")},
    {LAB_METRIC(
        "half_in_flight", "Operations in flight for half of the saturated rate", "1",
        "the fewest with which half of the saturated rate is measured, interpolated; half of needed_in_flight if the "
        "latency does not depend on the load")},
    {LAB_METRIC("saturated_in_flight", "Operations in flight for 90 % of the saturated rate", "1",
                "the fewest with which 90 % of the saturated rate is measured, interpolated")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("heat", "copy", "Bandwidth by warps and independent loads", "bandwidth", "independent"), .y = "warps"},
    {LAB_VIEW("heat", "fma", "Throughput by warps and independent chains", "throughput", "independent"), .y = "warps"},
    {LAB_VIEW("line", "warps", "Bandwidth over warps", "bandwidth", "warps"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "fma-warps", "Throughput over warps", "throughput", "warps"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "needed", "Operations in flight by Little's law", "needed_in_flight", "variant")},
    {LAB_VIEW("table", "half", "Operations in flight for half of the rate", "half_in_flight", "variant")},
    {LAB_VIEW("table", "saturated", "Operations in flight for 90 % of the rate", "saturated_in_flight", "variant")},
    {LAB_VIEW("scatter", "bytes-in-flight", "Bandwidth over bytes in flight", "bandwidth", "bytes_in_flight"),
     .y = "warps", .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "counted", "Counted over predicted occupancy", "counted_occupancy", "occupancy"), .y = "warps",
     .beside = "time", .predicted = true},
    {LAB_VIEW("scatter", "in-flight", "Throughput over operations in flight", "throughput", "in_flight"), .y = "warps",
     .log_x = true, .log_y = true},
    {0},
};

/* --- the workload of a point -------------------------------------------------------------------------------------- */

/* Shared memory of a block with which `blocks` blocks fit on a multiprocessor and one more does not. */
static size_t limiting_shared_bytes(const struct lab_device_facts *device, int64_t blocks)
{
    enum { GRANULARITY = 1024 };
    return (size_t)(device->shared_per_multiprocessor_bytes / (blocks + 1) / GRANULARITY * GRANULARITY + GRANULARITY -
                    device->reserved_shared_per_block_bytes);
}

/* Sets a launch with the point's warps on each multiprocessor. Returns its number of threads. */
static uint64_t set_launch(struct lab_workload *workload, const struct lab_device_facts *device,
                           const struct lab_point *point)
{
    int64_t warps = occupancy_ilp_warps(point), blocks = warps > BLOCK_WARPS_MAX ? 2 : 1;
    uint64_t grid = (uint64_t)blocks * lab_facts_multiprocessors(device);
    uint32_t block = lab_facts_is_cpu(device) ? 1 : (uint32_t)(warps / blocks * WARP);
    lab_workload_launch(workload, grid, block);
    if (!lab_facts_is_cpu(device))
        workload->steps[0].launch.shared_bytes = limiting_shared_bytes(device, blocks);
    return grid * block;
}

static void describe_copy(const struct lab_point *point, uint64_t threads, struct lab_workload *workload)
{
    static const double latency_s = 5e-7;
    uint64_t bytes = (uint64_t)point->values[BYTES];
    uint64_t round_bytes = threads * (uint64_t)point->values[OCCUPANCY_ILP_INDEPENDENT] * sizeof(float),
             rounds = bytes / round_bytes;
    if (rounds == 0)
        lab_workload_skip(workload, "one round of all threads copies %llu bytes, more than the array has",
                          (unsigned long long)round_bytes);
    size_t in = lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS); /* equal at all points: it is filled once */
    size_t out = lab_workload_output(workload, rounds * round_bytes);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U64(rounds * round_bytes / sizeof(float)));
    workload->check.buffer = out;
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)(rounds * round_bytes);
    workload->counts[LAB_COUNT_STEPS] = (double)rounds;
    workload->seconds = (double)rounds * fmax(latency_s, (double)round_bytes / 1.5e12);
    lab_workload_add_figure(workload, "bytes_in_flight", occupancy_ilp_in_flight(point) * WARP * sizeof(float));
}

static void describe_fma(const struct lab_device_facts *device, const struct lab_point *point, uint64_t threads,
                         struct lab_workload *workload)
{
    static const double cycle_s = 0.5e-9, latency_cycles = 4;
    uint64_t chains = threads * (uint64_t)point->values[OCCUPANCY_ILP_INDEPENDENT];
    size_t in = LAB_FILLED(workload, chains * sizeof(float), "occupancy_ilp_fill", 0);
    size_t out = lab_workload_output(workload, chains * sizeof(float));
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U32(OCCUPANCY_ILP_STEPS),
                  LAB_VALUE(lab_argument_f32(OCCUPANCY_ILP_FACTOR)),
                  LAB_VALUE(lab_argument_f32(OCCUPANCY_ILP_SUMMAND)));
    workload->check.buffer = out;
    workload->counts[LAB_COUNT_OPERATIONS] = 2.0 * OCCUPANCY_ILP_STEPS * (double)chains;
    workload->counts[LAB_COUNT_STEPS] = OCCUPANCY_ILP_STEPS;
    workload->seconds =
        OCCUPANCY_ILP_STEPS * cycle_s * fmax(latency_cycles, occupancy_ilp_in_flight(point) / OCCUPANCY_ILP_SCHEDULERS);
    workload->peak = (struct lab_peak){device->fp32_peak_flops / 1e9, "fp32 cores"};
}

static void occupancy_ilp_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                   const struct lab_point *point, struct lab_workload *workload)
{
    int64_t most = device->max_threads_per_multiprocessor / WARP;
    (void)given;
    if (lab_facts_is_cpu(device) && is_copy(point))
        lab_workload_skip(workload,
                          "a core of a CPU has no warps whose loads could be counted; stream measures its copies");
    else if (!lab_facts_is_cpu(device) && occupancy_ilp_warps(point) > most)
        lab_workload_skip(workload, "a multiprocessor of this device has at most %lld warps", (long long)most);
    lab_workload_add_kernel(workload, "occupancy_ilp_%s-%d", steps[point->values[OCCUPANCY_ILP_VARIANT]].name,
                            (int)point->values[OCCUPANCY_ILP_INDEPENDENT]);
    workload->check = (struct lab_workload_check){.kernel = "occupancy_ilp_check",
                                                  .parameters = {(uint64_t)point->values[OCCUPANCY_ILP_VARIANT]}};
    uint64_t threads = set_launch(workload, device, point);
    if (is_copy(point))
        describe_copy(point, threads, workload);
    else
        describe_fma(device, point, threads, workload);
    lab_workload_add_figure(workload, "in_flight", occupancy_ilp_in_flight(point));
    lab_workload_add_counted(workload, "counted_occupancy", 1, LAB_SUM_OF(LAB_HARDWARE_OCCUPANCY), LAB_SUM_OF_NONE);
}

/* --- the experiment ----------------------------------------------------------------------------------------------- */

LAB_IMAGE(occupancy_ilp);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = occupancy_ilp_describe, .summarise = occupancy_ilp_summarise};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Copy", "bandwidth"), .at = {{"variant", "copy"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Multiply-add", "throughput"), .at = {{"variant", "fma"}}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(occupancy_ilp);
const struct lab_experiment lab_occupancy_ilp = {
    .name = "occupancy-ilp",
    .title = "Occupancy and instruction-level parallelism",
    .subject = "execution",
    .summary =
        "Copies and arithmetic over the number of warps and of independent operations of a thread, against Little's "
        "law.",
    LAB_BENCHMARK_FIELDS(occupancy_ilp, benchmark),
};
