/* Reports as spans how old devices would execute a job. */
#include "job.h"

#include "benchmark/report.h"
#include "core/text.h"
#include "measure/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The devices whose schedules course texts draw: one hardware queue for each engine, and from two copy engines on
 * (compute capability 2.x) the end of consecutive kernels is signalled together. */
static const struct lab_schedule_device old_devices[] = {
    {.copy_engines = 1, .order = LAB_ORDER_ISSUED},
    {.copy_engines = 2, .order = LAB_ORDER_ISSUED, .kernels_end_together = true},
};

void overlap_describe_chunk(struct lab_span_text *text, size_t stream, size_t chunk, size_t bytes)
{
    char size[32];
    snprintf(text->lane, sizeof text->lane, "stream %zu", stream + 1);
    lab_text_size(bytes, size, sizeof size);
    if (bytes == 0)
        snprintf(text->label, sizeof text->label, "chunk %zu", chunk + 1);
    else
        snprintf(text->label, sizeof text->label, "chunk %zu · %s", chunk + 1, size);
}

static void send_operation(const struct overlap_job *job, size_t index, const struct lab_scheduled_operation *operation,
                           const struct lab_axes *axes)
{
    static const char *const kinds[] = {
        [LAB_ENGINE_H2D] = "copy-up", [LAB_ENGINE_COMPUTE] = "compute", [LAB_ENGINE_D2H] = "copy-down"};
    const struct lab_run *run = job->workload->run;
    size_t chunk = job->operations[index].chunk;
    struct lab_span_text text = {0};
    overlap_describe_chunk(&text, operation->stream, chunk,
                           operation->engine == LAB_ENGINE_COMPUTE ? 0 : overlap_job_chunk(job, chunk));
    run->sink.span(run->sink.context, &(struct lab_span){.lane = text.lane,
                                                         .kind = kinds[operation->engine],
                                                         .label = text.label,
                                                         .start_ns = llround(operation->start * 1e9),
                                                         .end_ns = llround(operation->end * 1e9),
                                                         .axes = axes});
}

/* Reports how one device would execute the operations. False when out of memory. */
static bool report_device(const struct overlap_job *job, struct lab_scheduled_operation *operations,
                          const struct lab_point *point, const struct lab_schedule_device *device)
{
    struct lab_point assumed = *point;
    struct lab_axes axes = {0};
    assumed.values[OVERLAP_AXIS_COPY_ENGINES] = (int64_t)device->copy_engines;
    lab_report_axes(job->workload->run, &assumed, &axes);
    if (lab_schedule_simulate(operations, job->operation_count, device) < 0)
        return false;
    for (size_t i = 0; i < job->operation_count; i++)
        send_operation(job, i, &operations[i], &axes);
    return true;
}

bool overlap_report_simulated(const struct overlap_job *job, const struct overlap_phases *phases,
                              const struct lab_point *point)
{
    struct lab_scheduled_operation *operations = overlap_scheduled(job, phases);
    bool reported = operations != NULL;
    for (size_t i = 0; reported && i < sizeof old_devices / sizeof *old_devices; i++)
        reported = report_device(job, operations, point, &old_devices[i]);
    free(operations);
    return reported || lab_error_set(&job->workload->run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                                     "out of memory for a simulated schedule");
}
