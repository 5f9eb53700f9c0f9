/* Measures the checks of the devices: memory and arithmetic of all GPUs at the same time, links one after the other. */
#include "health.h"

#include "benchmark/benchmark.h"
#include "experiments/matmul/product.h"
#include "measure/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct health {
    struct lab_run *run;
    struct lab_peer_access access;
    /* The current point's; NULL or zero where it has none. */
    struct lab_benchmark_state *copies;
    struct matmul_product product;
    struct health_pair pair;
};

/* --- copies between host and device, and within a device ---------------------------------------------------------- */

static void health_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                            const struct lab_point *point, struct lab_workload *workload)
{
    enum health_check check = (enum health_check)point->values[HEALTH_CHECK];
    size_t bytes = health_copy_bytes(device, check);
    struct lab_buffer source = {.bytes = bytes}, destination = {.bytes = bytes, .output = true};
    (void)given;
    if (check == HEALTH_H2D)
        source.memory = LAB_MEMORY_PINNED;
    if (check == HEALTH_D2H)
        destination.memory = LAB_MEMORY_PINNED;
    workload->counts[LAB_COUNT_BYTES] = (check == HEALTH_MEMORY ? 2 : 1) * (double)bytes;
    lab_workload_add_copy(workload,
                          (struct lab_workload_copy){.source = lab_workload_declare(workload, source),
                                                     .destination = lab_workload_declare(workload, destination)});
}

static const struct lab_benchmark copies = {.describe = health_describe};

/* --- the matrix product ------------------------------------------------------------------------------------------- */

static bool begin_product(struct health *h, struct lab_device *device, struct lab_case *c)
{
    const struct lab_device_facts *facts = &device->facts;
    const struct matmul_problem problem = health_problem(facts);
    const struct matmul_step *step = lab_facts_is_cpu(facts) ? matmul_step_find("blocked") : matmul_reference(facts);
    c->metric = "throughput";
    if (device->runtime->gemm == NULL)
        return lab_error_set(&h->run->error, LAB_ERROR_UNSUPPORTED, "",
                             "the runtime of the device has no matrix product");
    if (!matmul_product_open(&h->product, h->run, device) || !matmul_product_set(&h->product, &problem))
        return false;
    if (!matmul_product_prepare(&h->product, step, &c->work))
        return lab_run_forward_error(h->run, device, false);
    c->counts[LAB_COUNT_OPERATIONS] = matmul_operations(&problem);
    c->peak = matmul_peak(facts, matmul_on_tensor_cores(facts, step, problem.type), problem.type);
    return true;
}

/* Reports the clock, which is not verified as the result is. That of a CPU depends on what else it does. */
static bool report_clock(const struct lab_report *report, const struct lab_device_facts *facts)
{
    const struct lab_peak peak = {facts->clock_hz, "maximum clock"};
    struct lab_outcome outcome = *report->outcome;
    const struct lab_report unverified = {.run = report->run, .point = report->point, .outcome = &outcome};
    double clock_hz = outcome.conditions.sm_clock_mhz * 1e6;
    outcome.verified_known = false;
    return lab_facts_is_cpu(facts) || !(clock_hz > 0) ||
           lab_report_value_of_peak(&unverified, "clock", clock_hz, &peak);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* Host memory is on the NUMA node of the point's device. */
static bool health_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct health *h = context;
    struct lab_device *device = h->run->devices[point->values[HEALTH_DEVICE]];
    h->run->numa_node = lab_placement_bind(device->facts.numa_node);
    switch ((enum health_check)point->values[HEALTH_CHECK]) {
    case HEALTH_GEMM:
        return begin_product(h, device, c);
    case HEALTH_P2P:
        return health_pair_begin(&h->pair, &h->access, point, c);
    default:
        h->copies = lab_benchmark_open(h->run, device, &copies);
        return h->copies != NULL && lab_benchmark_begin(h->copies, point, c);
    }
}

static bool health_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct health *h = context;
    size_t device = (size_t)report->point->values[HEALTH_DEVICE];
    if (report->point->values[HEALTH_CHECK] == HEALTH_H2D)
        return health_report_link(h->run, device, &c->work);
    if (report->point->values[HEALTH_CHECK] == HEALTH_GEMM)
        return report_clock(report, &h->run->devices[device]->facts);
    return true;
}

static void health_end(void *context)
{
    struct health *h = context;
    if (h->copies != NULL)
        lab_benchmark_end(h->copies);
    lab_benchmark_close(h->copies);
    if (h->product.device != NULL)
        matmul_product_close(&h->product);
    health_pair_end(&h->pair);
    h->copies = NULL;
    h->product = (struct matmul_product){0};
}

static bool health_allows(const void *context, const struct lab_point *one, const struct lab_point *other)
{
    const struct lab_run *run = ((const struct health *)context)->run;
    int64_t check = one->values[HEALTH_CHECK];
    return check == other->values[HEALTH_CHECK] && one->values[HEALTH_DEVICE] != other->values[HEALTH_DEVICE] &&
           health_is_concurrent(&run->devices[0]->facts, (enum health_check)check);
}

static void *health_open(const void *context, struct lab_run *run)
{
    struct health *other = calloc(1, sizeof *other);
    (void)context;
    if (other == NULL)
        lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a check");
    else
        *other = (struct health){.run = run, .access = {.run = run}, .pair = {.resources = {.run = run}}};
    return other;
}

/* The errors are read last, so that those which the checks have caused are counted. */
static bool report_errors(struct lab_run *run)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (!health_report_errors(run, i))
            return false;
    return true;
}

bool health_run(struct lab_run *run)
{
    static const struct lab_loop_concurrency concurrency = {health_allows, health_open, free};
    static const struct lab_loop loop = {
        .begin = health_begin, .report = health_report, .end = health_end, .concurrency = &concurrency};
    struct health h = {.run = run, .access = {.run = run}, .pair = {.resources = {.run = run}}};
    bool good = lab_loop_run(run, &loop, &h) && report_errors(run);
    return lab_peer_access_deny(&h.access) && good;
}
