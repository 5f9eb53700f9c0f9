/* local-memory: a private array of each thread in registers, in local memory and in shared memory.
 *
 * Reproduces what a lecture on the CUDA memory model says of local memory: arrays whose indices are not known when the
 * kernel is compiled, and registers that do not suffice.
 */
#include "local_memory.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <inttypes.h>

enum { VARIANT, LENGTH, LOAD };
enum { SHARED = 2 }; /* the step that needs shared memory */
enum { WORD_BYTES = 4, WARP = 32 };

static const struct step {
    const char *name;
    double cycles; /* of a step of the recurrence, roughly, for the estimate */
} steps[] = {
    {"registers", 1}, {"indexed", 10}, [SHARED] = {"shared", 5}, {"bounds-4", 1}, {"bounds-full", 5}, {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Place of the array", steps)},
    {LAB_INTEGERS("length", "Array length", "Words of 4 bytes in the array of each thread: 8, 16, 32 or 64.", 8, 16, 32,
                  64),
     .minimum = LOCAL_MEMORY_SHORTEST, .maximum = LOCAL_MEMORY_LONGEST},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [LENGTH] = {.name = "length", .power_of_two = true},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("step_cycles", "Cycles per step", "cycles",
                "time * clock of the multiprocessors / (2048 steps * warps / multiprocessors): the clock cycles that a "
                "multiprocessor takes for one step of one warp"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("registers", "Registers", "1", "registers of a thread, as the compiler says, not measured")},
    {LAB_METRIC("local_bytes", "Local memory", "B",
                "bytes of local memory of a thread, as the compiler says, not measured")},
    {LAB_METRIC("occupancy", "Occupancy", "1",
                "computed, not measured: resident threads of a multiprocessor / the most that it can hold")},
    {LAB_METRIC(
        "local_traffic", "Local memory traffic", "B",
        "computed, not measured: local_bytes * 2 / length, the bytes of local memory that a thread reads and writes "
        "in a step")},
    {LAB_METRIC("counted_local_traffic", "Counted local memory traffic", "B",
                "counted by the hardware: bytes of local memory that are loaded and stored / (threads * 2048 steps)")},
    {LAB_METRIC("array_bytes", "Arrays of a multiprocessor", "B",
                "computed, not measured: 4 bytes * length * the most threads that a multiprocessor can hold")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "cycles", "Cycles per step over array length", "step_cycles", "length"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "registers", "Registers over array length", "registers", "length"), .log_x = true},
    {LAB_VIEW("line", "local", "Local memory over array length", "local_bytes", "length"), .log_x = true},
    {LAB_VIEW("line", "occupancy", "Occupancy over array length", "occupancy", "length"), .log_x = true},
    {LAB_VIEW("scatter", "traffic", "Cycles per step over local memory traffic", "step_cycles", "local_traffic"),
     .y = "length"},
    {LAB_VIEW("scatter", "counted", "Counted over predicted local memory traffic", "counted_local_traffic",
              "local_traffic"),
     .y = "length", .beside = "step_cycles", .predicted = true},
    {0},
};

/* Writes why the device cannot measure the point, if it cannot. */
static void check_device(const struct lab_device_facts *device, size_t shared_bytes, struct lab_workload *workload)
{
    int64_t most = device->shared_per_block_optin_bytes;
    if (lab_facts_is_cpu(device))
        lab_workload_skip(
            workload, "a CPU has no local memory: its compiler places arrays on the stack, which is ordinary memory");
    else if (most > 0 && shared_bytes > (size_t)most)
        lab_workload_skip(workload, "a block needs %zu bytes of shared memory; the device has %" PRId64, shared_bytes,
                          most);
}

/* The sum of the values of the recurrence of `length` that begins with 1. It has all values, so it needs no window. */
static uint32_t sum_from_one(uint64_t length)
{
    uint32_t values[LOCAL_MEMORY_STEPS + 1] = {1}, sum = 0;
    for (uint64_t t = 1; t <= LOCAL_MEMORY_STEPS; t++) {
        values[t] = LOCAL_MEMORY_FACTOR * values[t - 1] + (t > length ? values[t - length] : 0);
        sum += values[t];
    }
    return sum;
}

static void local_memory_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                  const struct lab_point *point, struct lab_workload *workload)
{
    enum { BEGIN = 3 }; /* any place in the window */
    const struct step *step = &steps[point->values[VARIANT]];
    int64_t resident = device->max_threads_per_multiprocessor;
    uint64_t per_multiprocessor = resident > 0 ? (uint64_t)resident : 2048;
    uint64_t warps = per_multiprocessor / WARP;
    uint64_t threads = per_multiprocessor * lab_facts_multiprocessors(device);
    uint64_t length = (uint64_t)point->values[LENGTH];
    size_t shared_bytes = step == &steps[SHARED] ? WORD_BYTES * length * LOCAL_MEMORY_BLOCK : 0;
    double array_bytes = (double)(WORD_BYTES * length * per_multiprocessor);
    (void)given;
    workload->counts[LAB_COUNT_STEPS] = (double)(LOCAL_MEMORY_STEPS * warps);
    check_device(device, shared_bytes, workload);
    lab_workload_add_kernel(workload, "local_memory_%s-%d", step->name, (int)length);
    lab_workload_add_input(workload, WORD_BYTES * threads, LAB_CONTENT_WORDS);
    size_t sums = lab_workload_add_output(workload, WORD_BYTES * threads);
    LAB_ARGUMENTS(workload, LAB_U32(BEGIN));
    lab_workload_launch(workload, threads / LOCAL_MEMORY_BLOCK, LOCAL_MEMORY_BLOCK);
    workload->steps[0].launch.shared_bytes = shared_bytes;
    workload->check = LAB_CHECK("local_memory_check", sums, sum_from_one(length));
    workload->local_accesses = 2.0 / (double)length;
    if (device->clock_hz > 0)
        workload->seconds = workload->counts[LAB_COUNT_STEPS] * step->cycles / device->clock_hz;
    lab_workload_add_figure(workload, "array_bytes", array_bytes);
    lab_workload_add_counted(workload, "counted_local_traffic", 1 / ((double)threads * LOCAL_MEMORY_STEPS),
                             LAB_SUM_OF(LAB_HARDWARE_LOCAL_READ_BYTES, LAB_HARDWARE_LOCAL_WRITTEN_BYTES),
                             LAB_SUM_OF_NONE);
}

LAB_CUDA_IMAGE(local_memory);
static const struct lab_benchmark benchmark = {.image = &image, .describe = local_memory_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Registers", "step_cycles"), .at = {{"variant", "registers"}}, .largest = {"length"}, .lowest = true},
    {LAB_HEADLINE("Bounded registers", "step_cycles"), .at = {{"variant", "bounds-full"}}, .largest = {"length"},
     .lowest = true},
    {0},
};

LAB_PAGE(local_memory);
const struct lab_experiment lab_local_memory = {
    .name = "local-memory",
    .title = "Local memory and register spilling",
    .subject = "memory",
    .summary =
        "A private array of each thread in registers, in local memory, in shared memory and in spilled registers.",
    LAB_BENCHMARK_FIELDS(local_memory, benchmark),
};
