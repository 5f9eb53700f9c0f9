/* concurrent-kernels: how many small kernels run at the same time, by streams and by the size of the kernels.
 *
 * Belongs to the texts on streams, of which one kernel in each is the first condition, and free multiprocessors the
 * second.
 */
#include "concurrent_kernels.h"

#include "benchmark/benchmark.h"
#include "benchmark/resident.h"
#include "benchmark/spins.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

enum { VARIANT, BLOCKS_PER_MULTIPROCESSOR, BLOCKS, STREAMS };
enum { BREADTH_FIRST, DEPTH_FIRST };

static const struct {
    const char *name;
} steps[] = {
    [BREADTH_FIRST] = {"breadth-first"},
    [DEPTH_FIRST] = {"depth-first"},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Order of the launches", steps)},
    {LAB_RESIDENT_PARAMETER},
    {LAB_INTEGERS("blocks", "Blocks", "Blocks of each kernel, of 32 threads.", 1, 16, 128), .minimum = 1,
     .maximum = 4096},
    {LAB_INTEGERS("streams", "Streams", "Streams among which the kernels are divided; no more than there are kernels.",
                  1, 2, 4, 8, 16, 32),
     .minimum = 1, .maximum = LAB_STREAMS_MAX},
    {LAB_INTEGER("kernels", "Kernels", "Kernels of a repetition.", 32), .minimum = 1,
     .maximum = CONCURRENT_KERNELS_MAX},
    {LAB_NUMBER("kernel_s", "Time of a block", "Seconds that each block occupies its place.", 1e-4), .unit = "s",
     .minimum = 1e-5, .maximum = 0.01},
    {LAB_INTEGER("queues", "Hardware queues",
                 "Queues that the prediction assumes between host and device. A GPU has as many as "
                 "CUDA_DEVICE_MAX_CONNECTIONS says in the environment of gpulab, at most 32; without it 8.",
                 8),
     .minimum = 1, .maximum = 128},
    {0},
};

static bool keeps_streams(const struct lab_points_request *request, const struct lab_point *point, int64_t streams)
{
    (void)point;
    return streams <= lab_parameter_integer(request->parameters, "kernels");
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [BLOCKS_PER_MULTIPROCESSOR] = {.name = "blocks_per_multiprocessor"},
    [BLOCKS] = {.name = "blocks"},
    [STREAMS] = {.name = "streams", .keeps = keeps_streams},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("time", "Time", "s", "from the start of the first kernel to the end of the last one"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "computed, not measured: units of time until all blocks have run * the time of a block, by the rules of "
        "predicted_at_once")},
    {LAB_METRIC("at_once", "Kernels at once", "1",
                "the largest number of kernels that ran at the same time, as the blocks of the last repetition have "
                "recorded: a kernel runs from the start of its first block to the end of its last one")},
    {LAB_METRIC(
        "predicted_at_once", "Predicted kernels at once", "1",
        "computed, not measured: the kernels of a stream run one after the other, stream i is in hardware queue i "
        "modulo `queues`, a kernel that must wait holds up those behind it in its queue, and blocks get the places "
        "on the multiprocessors in the order of the launches; on a host device one kernel")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "at-once", "Kernels at once over streams", "at_once", "streams"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "time", "Time over streams", "time", "streams"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "blocks", "Kernels at once over blocks", "at_once", "blocks"), .log_x = true, .log_y = true},
    {LAB_VIEW("kernels", "kernels", "Kernels in the streams", "time", "variant")},
    {0},
};

/* The most kernels that a GPU of compute capability 7.0 and later executes at the same time; a host device executes
 * one. */
static size_t most_kernels(const struct lab_device_facts *device)
{
    return lab_facts_is_cpu(device) ? 1 : 128;
}

static size_t stream_of(const struct lab_point *point, size_t kernel, size_t kernels)
{
    size_t streams = (size_t)point->values[STREAMS];
    return point->values[VARIANT] == BREADTH_FIRST ? kernel % streams : kernel * streams / kernels;
}

static void predict(const struct lab_parameters *given, const struct lab_device_facts *device,
                    const struct lab_point *point, struct lab_workload *workload)
{
    size_t resident = (size_t)point->values[BLOCKS_PER_MULTIPROCESSOR];
    struct concurrent_kernels kernels = {.count = workload->step_count,
                                         .blocks = (size_t)point->values[BLOCKS],
                                         .queues = (size_t)lab_parameter_integer(given, "queues"),
                                         .slots = (size_t)lab_facts_multiprocessors(device) * resident,
                                         .most = most_kernels(device)};
    for (size_t k = 0; k < kernels.count; k++)
        kernels.streams[k] = workload->steps[k].stream;
    struct concurrent_kernels_times times = concurrent_kernels_predict(&kernels);
    workload->seconds = (double)times.units * lab_parameter_number(given, "kernel_s");
    lab_workload_add_figure(workload, "predicted_time", workload->seconds);
    lab_workload_add_figure(workload, "predicted_at_once", (double)times.at_once);
}

static void concurrent_kernels_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                        const struct lab_point *point, struct lab_workload *workload)
{
    int64_t resident = point->values[BLOCKS_PER_MULTIPROCESSOR], most = lab_resident_most(device, LAB_SPIN_THREADS);
    const struct lab_spins spins = {.kernel = "concurrent_kernels",
                                    .check = "concurrent_kernels_check",
                                    .count = (size_t)lab_parameter_integer(given, "kernels"),
                                    .blocks = (uint32_t)point->values[BLOCKS],
                                    .shared_bytes = lab_resident_shared_bytes(device, resident),
                                    .seconds = lab_parameter_number(given, "kernel_s")};
    lab_spins_describe(workload, &spins);
    workload->stream_count = (size_t)point->values[STREAMS];
    for (size_t k = 0; k < spins.count; k++)
        workload->steps[k].stream = stream_of(point, k, spins.count);
    if (resident > most)
        lab_workload_skip(workload, "a multiprocessor of this device executes at most %d such blocks at the same time",
                          (int)most);
    predict(given, device, point, workload);
}

static bool read_records(const struct lab_report *report, const struct lab_workload *workload, const void *records)
{
    return lab_spins_report(report, workload, records, NULL);
}

LAB_IMAGE(concurrent_kernels);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = concurrent_kernels_describe, .read = read_records};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Kernels at once", "at_once"), .largest = {"streams"}, .smallest = {"blocks"}},
    {0},
};

LAB_PAGE(concurrent_kernels);
const struct lab_experiment lab_concurrent_kernels = {
    .name = "concurrent-kernels",
    .title = "Concurrent kernels",
    .subject = "overlap",
    .summary = "How many small kernels run at the same time, by the streams they are in and the blocks they have.",
    LAB_BENCHMARK_FIELDS(concurrent_kernels, benchmark),
};
