/* The plan that measures the arithmetic ceiling of a device: every core executes only multiply-adds
 * (multiply_adds.c). */
#include "../plan.h"
#include "check.h"
#include "gemm.h"

#include "core/clock.h"

#include <stdlib.h>

enum { CEILING_NS = 5000000 };

struct ceiling_plan {
    struct lab_plan base;
    host_multiply_adds *multiply_adds;
    size_t rounds; /* rounds of multiply-adds that each core executes */
};

static void run_cores(void *context, size_t begin, size_t end)
{
    const struct ceiling_plan *plan = context;
    for (size_t core = begin; core < end; core++)
        plan->multiply_adds(plan->rounds);
}

static size_t core_count(const struct host_device *device)
{
    return device->pool.helper_count + 1;
}

static void host_ceiling_run(struct lab_plan *base)
{
    lab_host_pool_run_parts(&base->device->pool, core_count(base->device), 1, run_cores, base);
}

static void host_ceiling_release(struct lab_plan *base)
{
    free(base);
}

/* The time of `rounds` rounds in ns: the shortest of several trials, because the others were interrupted. */
static uint64_t time_of(host_multiply_adds *multiply_adds, size_t rounds)
{
    enum { TRIALS = 4 };
    uint64_t least_ns = UINT64_MAX;
    for (int trial = 0; trial < TRIALS; trial++) {
        uint64_t start_ns = lab_clock_ns();
        multiply_adds(rounds);
        uint64_t took_ns = lab_clock_ns() - start_ns;
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    return least_ns;
}

/* The number of rounds that take about CEILING_NS, found by measuring on the calling thread: the number doubles until
 * the time is long enough to be measured well. */
static size_t find_rounds(host_multiply_adds *multiply_adds)
{
    enum { MEASURABLE_NS = CEILING_NS / 20 };
    size_t rounds = 1024;
    uint64_t took_ns = time_of(multiply_adds, rounds);
    while (took_ns < MEASURABLE_NS) {
        rounds *= 2;
        took_ns = time_of(multiply_adds, rounds);
    }
    return (size_t)((double)rounds * CEILING_NS / (double)took_ns) + 1;
}

struct lab_plan *lab_host_gemm_prepare_ceiling(struct lab_device *device, struct lab_gemm_ceiling *ceiling)
{
    if (!lab_host_alive(device) || !lab_host_gemm_check_type(device, ceiling->type))
        return NULL;
    if (ceiling->tensor) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "host devices have no tensor cores");
        return NULL;
    }
    struct lab_plan *base =
        lab_host_plan_create(device, sizeof(struct ceiling_plan), host_ceiling_run, host_ceiling_release);
    if (base == NULL)
        return NULL;
    struct ceiling_plan *plan = (struct ceiling_plan *)(void *)base;
    plan->multiply_adds = lab_host_vectors[lab_host_best_instructions()].multiply_adds[ceiling->type];
    plan->rounds = find_rounds(plan->multiply_adds);
    ceiling->operations = (double)core_count(base->device) * plan->multiply_adds(1) * (double)plan->rounds;
    return base;
}
