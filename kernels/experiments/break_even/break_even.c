/* break-even: from which size on the device is faster than the cores of the host, with its copies and without. This
 * file holds the descriptor.
 *
 * Belongs to the introductions of the course texts: what a GPU saves must pay for the copies to it and back.
 */
#include "break_even.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

enum { BLOCK = 256 };

static const struct {
    const char *name;
} steps[] = {
    [BREAK_EVEN_CPU] = {"cpu"},
    [BREAK_EVEN_KERNEL] = {"kernel"},
    [BREAK_EVEN_PINNED] = {"pinned"},
    [BREAK_EVEN_PAGEABLE] = {"pageable"},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Where the job runs", steps)},
    {LAB_INTEGERS("weight", "Rounds", "Multiply-adds for each element, each of which needs the one before.", 1, 8, 64),
     .minimum = 1, .maximum = 1048576},
    LAB_SIZES_PARAMETERS("the input and of the result", 4096, 67108864, 8),
    {0},
};

static const struct lab_axis axes[] = {
    [BREAK_EVEN_AXIS_VARIANT] = {.name = "variant"},
    [BREAK_EVEN_AXIS_WEIGHT] = {.name = "weight"},
    [BREAK_EVEN_AXIS_BYTES] = {LAB_SIZES_AXIS, .multiple = 4},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("time", "Time", "s", "host clock around the whole job, with its copies and waits"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "computed: start + the longer of 2 * size / bandwidth of the memory and rounds / rate + copies of both arrays / "
        "bandwidth of the link. Of the device: its peaks, 10 us of a launch with its wait, a quarter of the link for "
        "pageable memory; of the host: rates that one core and all reach before the points; a thread for each 16384 elements, at most 8")},
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s", "bytes of input and result / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
        "break_even_bytes", "Break-even size", "B",
        "size of an array from which on the job is faster than on the cores of the host, between two measured sizes; the "
        "smallest size if it always is; none if the largest is not")},
    {LAB_METRIC("predicted_break_even_bytes", "Predicted break-even size", "B", "the same, of the predicted times")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "break-even", "Break-even size over rounds", "break_even_bytes", "weight"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "bandwidth", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true, .log_y = true},
    {0},
};

/* The kernel alone reads an input on the device. Otherwise the input is on the host, and copies overwrite that of the
 * device. */
static void declare_buffers(const struct lab_point *point, size_t bytes, struct lab_workload *workload)
{
    int64_t variant = point->values[BREAK_EVEN_AXIS_VARIANT];
    enum lab_memory memory = variant == BREAK_EVEN_PINNED   ? LAB_MEMORY_PINNED
                             : variant == BREAK_EVEN_KERNEL ? LAB_MEMORY_DEVICE
                                                            : LAB_MEMORY_PAGEABLE;
    lab_workload_declare(workload, (struct lab_buffer){.memory = memory, .bytes = bytes, .content = LAB_CONTENT_WORDS});
    lab_workload_output(workload, bytes);
    if (variant == BREAK_EVEN_KERNEL)
        return;
    lab_workload_output(workload, bytes);
    lab_workload_declare(workload, (struct lab_buffer){.memory = memory, .bytes = bytes, .output = true});
}

static void break_even_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    static const double slow_rounds = 1e9, slow_bytes = 2e9; /* per second, for the plan: those of a CPU of few cores */
    size_t bytes = (size_t)point->values[BREAK_EVEN_AXIS_BYTES], count = bytes / sizeof(uint32_t);
    uint64_t rounds = (uint64_t)point->values[BREAK_EVEN_AXIS_WEIGHT];
    bool on_device = point->values[BREAK_EVEN_AXIS_VARIANT] == BREAK_EVEN_KERNEL;
    bool slow = point->values[BREAK_EVEN_AXIS_VARIANT] == BREAK_EVEN_CPU || lab_facts_is_cpu(device);
    (void)given;
    declare_buffers(point, bytes, workload);
    lab_workload_add_step(workload, "break_even");
    LAB_ARGUMENTS(workload, LAB_BUFFER(on_device ? BREAK_EVEN_HOST_IN : BREAK_EVEN_DEVICE_IN),
                  LAB_BUFFER(BREAK_EVEN_DEVICE_OUT), LAB_U64(count), LAB_U32(rounds), LAB_U32(BREAK_EVEN_MULTIPLIER),
                  LAB_U32(BREAK_EVEN_INCREMENT));
    lab_workload_launch_items(workload, count, BLOCK);
    workload->check = LAB_CHECK("break_even_check", BREAK_EVEN_DEVICE_OUT, rounds);
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)bytes;
    workload->seconds = 20e-6 + 2 * (double)bytes / slow_bytes + (slow ? (double)(count * rounds) / slow_rounds : 0);
}

LAB_IMAGE(break_even);
static const struct lab_benchmark benchmark = {.image = &image, .describe = break_even_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Copy, kernel, copy", "time"), .at = {{"variant", "pinned"}}, .largest = {"bytes", "weight"},
     .lowest = true},
    {0},
};

LAB_PAGE(break_even);
const struct lab_experiment lab_break_even = {
    .name = "break-even",
    .title = "Break-even of CPU and GPU",
    .subject = "transfer",
    .summary =
        "From which size on a job is faster on the GPU than on the cores of the host, with its copies and without.",
    LAB_BENCHMARK_RUN_FIELDS(break_even, benchmark, break_even_run),
};
