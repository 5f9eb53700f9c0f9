/* kernels/benchmark: the energy of the points of a benchmark, by a made-up counter of a host device. */
#include "benchmark/axes.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

#include <stdatomic.h>
#include <time.h>

AROUND_EACH_TEST(.setup = open_one, .teardown = close_one)

static const double joules_each = 0.1, operations = 1e9; /* of a repetition */
static atomic_uint repetitions;

static void wait(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    (void)arguments;
    if (part->index != 0)
        return;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&repetitions, 1);
}

static const struct lab_host_kernel host_kernels[] = {{"wait", wait}, {NULL, NULL}};
static const struct lab_image image = {"test", NULL, host_kernels};
static const struct lab_schema parameters[] = {{.name = NULL}};
static const struct lab_axis axes[] = {{LAB_LOAD_AXIS}, {.name = NULL}};
static const struct lab_metric metrics[] = {
    {.name = "throughput", .unit = "GFLOP/s", .counter = LAB_COUNT_OPERATIONS},
    {.name = "time", .unit = "s", .counter = LAB_COUNT_SECONDS},
    {.name = "energy", .unit = "J/TFLOP", .counter = LAB_COUNT_ENERGY},
    {.name = NULL},
};

static void describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload)
{
    (void)given, (void)device, (void)point;
    lab_workload_add_step(workload, "wait");
    lab_workload_launch(workload, 1, 1);
    workload->counts[LAB_COUNT_OPERATIONS] = operations;
}

static const struct lab_benchmark waiting = {.image = &image, .describe = describe};
FAKE_BENCHMARK(experiment, waiting, .name = "test", .parameters = parameters, .axes = axes, .metrics = metrics)

static bool read_energy(void *context, struct lab_device *device, double *joules)
{
    (void)context, (void)device;
    *joules = joules_each * atomic_load(&repetitions);
    return true;
}

TEST_WITH(sustained_points_have_an_energy_and_bursts_have_none, struct lab_device *device)
{
    struct results results;
    const struct reported *energy = NULL;
    for (int attempt = 0; attempt < 5 && energy == NULL; attempt++) { /* there is none if the machine has stalled */
        run_monitored(&experiment, device,
                      "{\"load\": [\"sustained\", \"burst\"], \"rest_s\": 0.001, \"settle_s\": 0, \"max_samples\": 20, "
                      "\"time_budget_s\": 600}",
                      NULL, (struct lab_monitor){.energy = read_energy}, &results);
        assert_true(results.good);
        energy = find_reported(&results, "energy", "sustained");
    }
    assert_non_null(energy);
    /* The counter counts what is enqueued, up to 40 ms before it runs, and the machine may be busy. */
    double wanted = joules_each / (operations / 1e12), found = energy->summary.median;
    if (!(fabs(found - wanted) <= wanted / 10))
        fail_msg("%g J/TFLOP instead of %g", found, wanted);
    assert_null(find_reported(&results, "energy", "burst"));
    assert_non_null(find_reported(&results, "time", "burst"));
}

TEST_WITH(without_a_counter_there_is_no_energy, struct lab_device *device)
{
    struct results results;
    run_experiment(&experiment, device, "{\"settle_s\": 0, \"max_samples\": 3, \"time_budget_s\": 600}", &results);
    assert_true(results.good);
    assert_non_null(find_reported(&results, "throughput", ""));
    assert_null(find_reported(&results, "energy", ""));
}
