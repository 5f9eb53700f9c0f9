/* waiting: how soon a thread of the host knows that a kernel has ended, and how busy it is until then. This file holds
 * the descriptor.
 *
 * Belongs to the lectures on streams and events: synchronisation of device, stream and event, queries, blocking
 * synchronisation and functions of the host.
 */
#include "waiting.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Way to wait", waiting_ways)},
    {LAB_NUMBER("hold_s", "Time before the end", "Seconds that the host waits before the kernel may end.", 1e-3),
     .unit = "s", .minimum = 1e-4, .maximum = 0.1},
    {0},
};

static const struct lab_axis axes[] = {[WAITING_AXIS_VARIANT] = {.name = "variant"}, {0}};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "latency", "Latency", "s",
         "host clock from the moment at which another thread lets the kernel begin until this thread knows that it has "
         "ended: the kernel, of a few microseconds, is part of it; thread: from the post of a semaphore"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_latency", "Predicted latency", "s",
        "computed of two measured latencies: that of flag; where the thread sleeps, with that of thread added")},
    {LAB_METRIC(
        "cpu_share", "Share of CPU time", "1",
        "processor time of the waiting thread / time that it waited, over all waits. Threads of the driver are not "
        "counted")},
    {LAB_METRIC("predicted_cpu_share", "Predicted share of CPU time", "1",
                "computed, not measured: 0 where the thread should sleep, 1 where it asks again and again")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "latency", "Latency by way to wait", "latency", "variant")},
    {LAB_VIEW("bars", "cpu", "Share of CPU time", "cpu_share", "variant")},
    {LAB_VIEW("table", "predicted", "Predicted latency", "predicted_latency", "variant")},
    {0},
};

static void waiting_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                             const struct lab_point *point, struct lab_workload *workload)
{
    const struct waiting_way *way = &waiting_ways[point->values[WAITING_AXIS_VARIANT]];
    (void)device;
    size_t counter = lab_workload_zeros(workload, sizeof(uint32_t));
    size_t flag = lab_workload_declare(workload, (struct lab_buffer){.memory = LAB_MEMORY_MAPPED,
                                                                     .bytes = sizeof(uint32_t),
                                                                     .output = true,
                                                                     .content = LAB_CONTENT_ZEROS});
    lab_workload_add_step(workload, "waiting");
    LAB_ARGUMENTS(workload, LAB_BUFFER(counter), LAB_BUFFER(flag));
    lab_workload_launch(workload, 1, 1);
    workload->check = (struct lab_workload_check){
        .kernel = "waiting_check", .buffer = counter, .parameters = {way->no_device ? 0 : 1}, .accumulates = true};
    workload->waits = true;
    workload->seconds = 2 * lab_parameter_number(given, "hold_s");
}

LAB_IMAGE(waiting);
static const struct lab_benchmark benchmark = {.image = &image, .describe = waiting_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Synchronise the stream", "latency"), .at = {{"variant", "stream-synchronize"}}, .lowest = true},
    {0},
};

LAB_PAGE(waiting);
const struct lab_experiment lab_waiting = {
    .name = "waiting",
    .title = "Ways to wait",
    .subject = "overlap",
    .summary =
        "How soon the host knows that a kernel has ended, and how busy its thread is until then, by the way it waits.",
    LAB_BENCHMARK_RUN_FIELDS(waiting, benchmark, waiting_run),
};
