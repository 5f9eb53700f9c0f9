/* The hardware counters of a copy by a kernel, whose bytes are known. Does nothing if the runtime does not have the
 * table. Where the driver does not let this process count, the reason must be said.
 */
#include "runtime_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Twice as much as the caches of present devices hold. */
enum { BYTES = 256 << 20, REPEATED = 3, TIMED = 20 };

static const double tolerance = 0.05;

/* The copy that is counted. */
struct counted {
    struct fixture *fixture;
    struct lab_plan *plan;
    size_t runs;
};

static bool prepare(void *counted)
{
    return counted != NULL;
}

static bool run(void *counted_)
{
    struct counted *counted = counted_;
    const struct lab_runtime *r = counted->fixture->runtime;
    counted->runs++;
    return r->enqueue(counted->fixture->device, counted->plan, counted->fixture->stream) &&
           r->stream_synchronize(counted->fixture->device, counted->fixture->stream);
}

/* The shortest of TIMED runs by the host's clock, in seconds. */
static double shortest_s(struct counted *counted)
{
    double shortest = INFINITY;
    for (size_t i = 0; i < TIMED; i++) {
        double start = now_s();
        expect_call(counted->fixture, run(counted), "copying");
        shortest = fmin(shortest, now_s() - start);
    }
    return shortest;
}

static bool is_near(double value, double expected)
{
    return fabs(value / expected - 1) <= tolerance;
}

static void check_counts(struct fixture *fixture, const struct lab_hardware_counts *counts, bool shows)
{
    const struct lab_hardware_count *items = counts->items;
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT && shows; i++)
        printf("  %-26s %-16.9g %-2s %s\n", lab_hardware_counter_rows[i].name, items[i].value,
               lab_hardware_counter_rows[i].unit, items[i].metric);
    expect(fixture, is_near(items[LAB_HARDWARE_DRAM_READ_BYTES].value, BYTES),
           "a copy of %d bytes must read as many from DRAM, not %.0f", BYTES,
           items[LAB_HARDWARE_DRAM_READ_BYTES].value);
    expect(fixture, is_near(items[LAB_HARDWARE_L2_WRITTEN_BYTES].value, BYTES),
           "a copy of %d bytes must write as many to L2, not %.0f", BYTES, items[LAB_HARDWARE_L2_WRITTEN_BYTES].value);
    double occupancy = items[LAB_HARDWARE_OCCUPANCY].value;
    expect(fixture, occupancy > 0 && occupancy <= 1, "the occupancy must be above 0 and at most 1, not %g", occupancy);
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        expect(fixture, isnan(items[i].value) == (items[i].metric[0] == '\0') && !(items[i].value < 0),
               "%s is %g, of the metric \"%s\"", lab_hardware_counter_rows[i].name, items[i].value, items[i].metric);
}

static void count(struct counted *counted, bool shows)
{
    struct fixture *fixture = counted->fixture;
    const struct lab_runtime_counters *counters = fixture->runtime->counters;
    const struct lab_counted_work work = {counted, prepare, run};
    struct lab_hardware_counts counts;
    size_t passes = 0;
    double before_s = shortest_s(counted), start = now_s();
    if (!counters->prepare(fixture->device, &passes)) {
        printf("hardware counters: %s\n", fixture->device->error.detail);
        expect(fixture,
               fixture->device->error.code == LAB_ERROR_UNSUPPORTED && fixture->device->error.detail[0] != '\0',
               "a refusal of hardware counters must have a reason");
        return;
    }
    double prepared_s = now_s() - start, with_s = shortest_s(counted);
    printf("hardware counters: prepared in %.3f s, %zu passes\n", prepared_s, passes);
    for (size_t i = 0; i < REPEATED; i++) {
        size_t runs = counted->runs;
        start = now_s();
        if (!expect_call(fixture, counters->count(fixture->device, &work, &counts), "counting"))
            return;
        printf("hardware counters: counted in %.3f s\n", now_s() - start);
        expect(fixture, counted->runs - runs == passes, "the work must run %zu times, not %zu", passes,
               counted->runs - runs);
        check_counts(fixture, &counts, shows && i + 1 == REPEATED);
    }
    printf("hardware counters: a copy takes %.6f s before they are prepared, %.6f s after, %.6f s after counting\n",
           before_s, with_s, shortest_s(counted));
}

static void count_copy(struct fixture *fixture, bool shows)
{
    const struct lab_runtime *r = fixture->runtime;
    void *source = NULL, *target = NULL;
    if (r->counters == NULL)
        return;
    if (expect_call(fixture,
                    r->allocate(fixture->device, LAB_MEMORY_DEVICE, BYTES, &source) &&
                        r->allocate(fixture->device, LAB_MEMORY_DEVICE, BYTES, &target),
                    "allocating the copy that is counted")) {
        struct lab_operation operation = {.kind = LAB_OPERATION_COPY,
                                          .destination = lab_region_of(target, BYTES),
                                          .source = lab_region_of(source, BYTES)};
        struct counted counted = {.fixture = fixture, .plan = r->prepare(fixture->device, &operation)};
        if (expect_call(fixture, counted.plan != NULL, "prepare"))
            count(&counted, shows);
        r->plan_free(fixture->device, counted.plan);
    }
    r->free(fixture->device, LAB_MEMORY_DEVICE, target);
    r->free(fixture->device, LAB_MEMORY_DEVICE, source);
}

void check_counters(struct fixture *fixture)
{
    count_copy(fixture, false);
}

void show_counters(struct fixture *fixture)
{
    count_copy(fixture, true);
}
