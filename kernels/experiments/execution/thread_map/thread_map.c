/* thread-map: where and when the blocks of a kernel run.
 *
 * In code 1 of the CUDA course text each thread of a grid of 2 x 2 blocks prints its indices. Here the grid has one
 * dimension, and each block records its multiprocessor and its times.
 */
#include "thread_map.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "benchmark/resident.h"

#include <math.h>
#include <stdio.h>

enum { VARIANT, BLOCKS_PER_MULTIPROCESSOR, BLOCKS, LOAD };
enum { WAVES_MAX = 16, DRAWN_MAX = 2048 };

/* A round is x = MULTIPLIER * x + INCREMENT: a generator of pseudo-random numbers (Numerical Recipes). */
enum { MULTIPLIER = 1664525, INCREMENT = 1013904223 };

static const struct {
    const char *name;
} steps[] = {
    [THREAD_MAP_EVEN] = {"even"},
    [THREAD_MAP_LONG_LAST] = {"long-last"},
    [THREAD_MAP_LONG_FIRST] = {"long-first"},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Work of a block", steps)},
    {LAB_RESIDENT_PARAMETER},
    {LAB_INTEGER("waves", "Waves",
                 "The largest number of blocks, in waves: as many blocks as the device executes at the same time.", 4),
     .minimum = 1, .maximum = WAVES_MAX},
    {LAB_INTEGER(
         "points_per_wave", "Points per wave",
         "Numbers of blocks that are measured within each wave. With 2 waves and more, one block more than a wave is measured too.",
         4),
     .minimum = 1, .maximum = 32},
    {LAB_INTEGER(
         "rounds", "Rounds",
         "Multiply-adds of a thread, each of which needs the result of the one before; of uneven blocks the mean.",
         25000),
     .minimum = 1, .maximum = 1000000},
    {0},
};

/* Blocks that the device executes at the same time. */
static int64_t resident_blocks(const struct lab_device_facts *device, const struct lab_point *point)
{
    return (int64_t)lab_facts_multiprocessors(device) * point->values[BLOCKS_PER_MULTIPROCESSOR];
}

static void list_blocks(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    int64_t wave = resident_blocks(request->devices[0], point);
    int64_t waves = lab_parameter_integer(request->parameters, "waves");
    int64_t per_wave = lab_parameter_integer(request->parameters, "points_per_wave");
    lab_axis_values_add(values, 1);
    for (int64_t step = 1; step <= waves * per_wave; step++) {
        if (step > per_wave && step % per_wave == 1 % per_wave)
            lab_axis_values_add(values, wave * ((step - 1) / per_wave) + 1);
        lab_axis_values_add(values, wave * step / per_wave);
    }
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [BLOCKS_PER_MULTIPROCESSOR] = {.name = "blocks_per_multiprocessor"},
    [BLOCKS] = {.name = "blocks", .title = "Blocks", .list = list_blocks, .multiple = 1},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("wave_time", "Time of a wave", "s",
                "time / waves: the same for all numbers of blocks if the computed waves are right"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC(
        "waves", "Waves", "1",
        "computed, not measured: time of the kernel / time of a block of mean work. even: blocks / blocks at the "
        "same time, rounded up; long-last: the work of the last block and of every n-th before it, n blocks "
        "being executed at the same time; long-first: the longest block, or all work / n if that is longer, a lower bound")},
    {LAB_METRIC("predicted_time", "Predicted time", "s",
                "computed, not measured: waves * rounds * 4 cycles of a multiply-add / maximum clock; on a host device "
                "* 128, because the threads of a block run one after the other")},
    {LAB_METRIC(
        "busy_share", "Busy share", "1",
        "sum of the times of all blocks / (blocks at the same time * time from the first start to the last end), "
        "as the blocks of the last repetition have recorded them")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("blocks", "blocks", "Blocks on the multiprocessors", "time", "variant")},
    {LAB_VIEW("line", "time", "Time over blocks", "time", "blocks")},
    {LAB_VIEW("table", "waves", "Waves", "waves", "blocks")},
    {LAB_VIEW("line", "busy", "Busy share over blocks", "busy_share", "blocks")},
    {LAB_VIEW("line", "wave", "Time of a wave", "wave_time", "blocks")},
    {0},
};

/* The time of the kernel in times of a block of mean work, if `slots` blocks run at the same time. Blocks are started
 * in order, each in the place of the first that ends. */
static double waves_of(const struct lab_point *point, int64_t slots, uint32_t rounds)
{
    enum thread_map_variant variant = (enum thread_map_variant)point->values[VARIANT];
    int64_t blocks = point->values[BLOCKS];
    double work = 0;
    if (variant == THREAD_MAP_LONG_FIRST)
        return fmax(thread_map_rounds(variant, 0, (uint64_t)blocks, rounds) / (double)rounds,
                    (double)blocks / (double)slots);
    for (int64_t block = blocks - 1; block >= 0; block -= slots)
        work += thread_map_rounds(variant, (uint64_t)block, (uint64_t)blocks, rounds);
    return work / (double)rounds;
}

/* Seconds of a block of mean work. The result of a multiply-add of integers takes 4 cycles, on GPUs of compute
 * capability 7.0 and later and on CPUs. NAN if the clock is unknown. */
static double block_seconds(const struct lab_device_facts *device, uint32_t rounds)
{
    return 4.0 * rounds * (lab_facts_is_cpu(device) ? THREAD_MAP_THREADS : 1) / device->clock_hz;
}

/* Why a multiprocessor cannot execute `blocks` blocks at the same time, "" if it can. */
static void check_resident(const struct lab_device_facts *device, int64_t blocks, char *reason, size_t size)
{
    int64_t most = lab_resident_most(device, THREAD_MAP_THREADS);
    if (blocks > most)
        snprintf(reason, size,
                 "a multiprocessor of this device executes at most %d blocks of %d threads at the same time", (int)most,
                 (int)THREAD_MAP_THREADS);
}

static void thread_map_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t blocks = (uint64_t)point->values[BLOCKS], variant = (uint64_t)point->values[VARIANT];
    uint32_t rounds = (uint32_t)lab_parameter_integer(given, "rounds");
    double waves = waves_of(point, resident_blocks(device, point), rounds);
    size_t records = blocks * sizeof(struct thread_map_record);
    size_t result = lab_workload_output(workload, records + blocks * THREAD_MAP_THREADS * sizeof(uint32_t));
    lab_workload_add_step(workload, "thread_map");
    LAB_ARGUMENTS(workload, LAB_BUFFER(result), LAB_U64(lab_parameter_integer(given, "seed")), LAB_U32(variant),
                  LAB_U32(rounds), LAB_U32(MULTIPLIER), LAB_U32(INCREMENT));
    lab_workload_launch(workload, blocks, THREAD_MAP_THREADS);
    workload->steps[0].launch.shared_bytes =
        lab_resident_shared_bytes(device, point->values[BLOCKS_PER_MULTIPROCESSOR]);
    check_resident(device, point->values[BLOCKS_PER_MULTIPROCESSOR], workload->skipped, sizeof workload->skipped);
    workload->check =
        LAB_CHECK("thread_map_check", result, blocks, variant << 32 | rounds, (uint64_t)INCREMENT << 32 | MULTIPLIER);
    workload->records = (struct lab_workload_records){result, records};
    workload->counts[LAB_COUNT_STEPS] = waves;
    lab_workload_add_figure(workload, "waves", waves);
    double seconds = waves * block_seconds(device, rounds);
    if (isfinite(seconds))
        lab_workload_add_figure(workload, "predicted_time", workload->seconds = seconds);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* The points whose blocks are drawn: the largest number of blocks, and one block more than a wave. */
static bool is_drawn(const struct lab_report *report, int64_t wave)
{
    int64_t blocks = report->point->values[BLOCKS];
    int64_t largest = wave * lab_parameter_integer(report->run->parameters, "waves");
    return (blocks == largest || blocks == wave + 1) && blocks <= DRAWN_MAX;
}

static void draw(const struct lab_report *report, const struct thread_map_record *records, uint64_t origin_ns)
{
    struct lab_run *run = report->run;
    bool host = lab_facts_is_cpu(&run->devices[0]->facts);
    struct lab_axes of_point = {0};
    lab_report_axes(run, report->point, &of_point);
    for (int64_t i = 0; i < report->point->values[BLOCKS]; i++) {
        char lane[32], label[32];
        snprintf(lane, sizeof lane, "%s %u", host ? "core" : "SM", (unsigned)records[i].multiprocessor);
        snprintf(label, sizeof label, "block %u", (unsigned)records[i].block);
        run->sink.span(run->sink.context, &(struct lab_span){.lane = lane,
                                                             .kind = "block",
                                                             .label = label,
                                                             .start_ns = (int64_t)(records[i].start_ns - origin_ns),
                                                             .end_ns = (int64_t)(records[i].end_ns - origin_ns),
                                                             .axes = &of_point});
    }
}

static bool read_records(const struct lab_report *report, const struct lab_workload *workload, const void *content)
{
    const struct thread_map_record *records = content;
    int64_t blocks = report->point->values[BLOCKS];
    int64_t wave = resident_blocks(&report->run->devices[0]->facts, report->point);
    uint64_t first_ns = records[0].start_ns, last_ns = records[0].end_ns;
    double busy_ns = 0;
    (void)workload;
    for (int64_t i = 0; i < blocks; i++) {
        first_ns = records[i].start_ns < first_ns ? records[i].start_ns : first_ns;
        last_ns = records[i].end_ns > last_ns ? records[i].end_ns : last_ns;
        busy_ns += (double)(records[i].end_ns - records[i].start_ns);
    }
    if (is_drawn(report, wave))
        draw(report, records, first_ns);
    return last_ns == first_ns ||
           lab_report_value(report, "busy_share", busy_ns / ((double)wave * (double)(last_ns - first_ns)));
}

LAB_IMAGE(thread_map);
static const struct lab_benchmark benchmark = {.image = &image, .describe = thread_map_describe, .read = read_records};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Wave", "wave_time"), .at = {{"variant", "even"}}, .largest = {"blocks"}, .lowest = true},
    {0},
};

LAB_PAGE(thread_map);
const struct lab_experiment lab_thread_map = {
    .name = "thread-map",
    .title = "Threads, blocks and waves",
    .subject = "execution",
    .summary = "On which multiprocessor and when the blocks of a kernel run, and why they do so in waves.",
    LAB_BENCHMARK_FIELDS(thread_map, benchmark),
};
