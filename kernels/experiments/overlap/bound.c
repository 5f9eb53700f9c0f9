/* Simulates the schedule of a job from the times of its phases (measure/schedule.h). */
#include "calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct operation_list {
    struct lab_scheduled_operation *operations;
    size_t count; /* appended so far */
    const struct overlap_phases *phases;
};

static bool append_operation(const struct overlap_job *job, const struct overlap_operation *operation, void *context)
{
    struct operation_list *list = context;
    const struct overlap_phases *phases = list->phases;
    const double alone[] = {phases->up, phases->kernel, phases->down};
    const double contended[] = {phases->up_contended, phases->kernel, phases->down_contended};
    double fraction = (double)overlap_job_chunk(job, operation->chunk) / (double)job->chunk_bytes;
    list->operations[list->count++] = (struct lab_scheduled_operation){
        .stream = operation->stream,
        .engine = operation->engine,
        .alone = fraction * alone[operation->engine],
        .contended = fraction * contended[operation->engine],
        .event_after = operation->event_after,
    };
    return true;
}

/* Devices before compute capability 3.5 have one hardware queue per engine, which executes operations in the order of
 * issue. Later devices and the host runtime have many queues, so an engine may start any operation that is ready. */
static bool has_one_queue(const struct lab_device_facts *facts)
{
    int major, minor;
    return sscanf(facts->compute_capability, "%d.%d", &major, &minor) == 2 && (major < 3 || (major == 3 && minor < 5));
}

/* The order in which a device with many queues starts operations is not documented. So the bound is the shortest of the
 * simulated times, over the orders of enum lab_schedule_order. */
double overlap_bound(const struct overlap_job *job, const struct overlap_phases *phases, size_t copy_engines)
{
    struct operation_list list = {.phases = phases};
    list.operations = calloc(overlap_operation_count(job), sizeof *list.operations);
    if (list.operations == NULL)
        return -1;
    overlap_each_operation(job, append_operation, &list);
    bool one_queue = has_one_queue(&job->workload->device->facts);
    double best = INFINITY;
    for (enum lab_schedule_order order = LAB_ORDER_ISSUED; order < (one_queue ? LAB_ORDER_READY : LAB_ORDERS);
         order++) {
        const struct lab_schedule_device device = {.copy_engines = copy_engines, .order = order};
        best = fmin(best, lab_schedule_simulate(list.operations, list.count, &device));
    }
    free(list.operations);
    return best;
}
