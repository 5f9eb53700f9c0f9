/* The arrays, streams and events of a workload, and their contents. */
#include "job.h"

#include "experiment/parameters.h"

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static bool allocate_arrays(struct overlap_workload *w)
{
    const struct lab_runtime *runtime = w->runtime;
    for (size_t i = 0; i < overlap_inputs(w->kernel); i++)
        if (!runtime->allocate(w->device, w->memory, w->bytes + OVERLAP_BASELINE_OFFSET, &w->host_inputs[i]) ||
            !runtime->allocate(w->device, LAB_MEMORY_DEVICE, w->bytes, &w->device_inputs[i]))
            return false;
    if (!runtime->allocate(w->device, w->memory, w->bytes, &w->host_output))
        return false;
    if (overlap_device_arrays(w->kernel) > overlap_inputs(w->kernel))
        return runtime->allocate(w->device, LAB_MEMORY_DEVICE, w->bytes, &w->device_output);
    w->device_output = w->device_inputs[0];
    return true;
}

static bool make_streams(struct overlap_workload *w)
{
    const struct lab_runtime *runtime = w->runtime;
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++)
        if ((w->streams[i] = runtime->stream_create(w->device)) == NULL ||
            (w->joins[i] = runtime->event_create(w->device)) == NULL)
            return false;
    if (runtime->stream_default != NULL)
        w->default_stream = runtime->stream_default(w->device);
    return (w->fork = runtime->event_create(w->device)) != NULL &&
           (w->marker = runtime->event_create(w->device)) != NULL;
}

static bool fill_inputs(const struct overlap_workload *w)
{
    enum lab_content content = w->kernel == OVERLAP_WAVES ? LAB_CONTENT_FLOATS : LAB_CONTENT_INTS;
    for (size_t i = 0; i < overlap_inputs(w->kernel); i++)
        if (!lab_verify_fill(w->device, w->streams[0], w->memory,
                             lab_region_of(w->host_inputs[i], w->bytes + OVERLAP_BASELINE_OFFSET),
                             (struct lab_expectation){.content = content, .seed = w->seed + i}))
            return false;
    return true;
}

bool overlap_workload_open(struct overlap_workload *w, struct lab_run *run, const struct lab_point *point)
{
    *w = (struct overlap_workload){
        .run = run,
        .device = run->devices[0],
        .runtime = run->devices[0]->runtime,
        .bytes = (size_t)point->values[OVERLAP_AXIS_BYTES],
        .memory = point->values[OVERLAP_AXIS_MEMORY] == OVERLAP_PINNED ? LAB_MEMORY_PINNED : LAB_MEMORY_PAGEABLE,
        .kernel = (enum overlap_kernel)point->values[OVERLAP_AXIS_KERNEL],
        .weight = 1,
        .block = (uint32_t)lab_parameter_integer(run->parameters, "block"),
        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * 2,
    };
    if (allocate_arrays(w) && make_streams(w) && fill_inputs(w))
        return true;
    run->error = w->device->error;
    return false;
}

void overlap_workload_close(struct overlap_workload *w)
{
    const struct lab_runtime *runtime = w->runtime;
    if (runtime == NULL)
        return;
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++) {
        runtime->event_release(w->device, w->joins[i]);
        runtime->stream_release(w->device, w->streams[i]);
    }
    runtime->event_release(w->device, w->fork);
    runtime->event_release(w->device, w->marker);
    if (w->device_output != w->device_inputs[0])
        runtime->release(w->device, LAB_MEMORY_DEVICE, w->device_output);
    for (size_t i = 0; i < OVERLAP_INPUTS_MAX; i++) {
        runtime->release(w->device, LAB_MEMORY_DEVICE, w->device_inputs[i]);
        runtime->release(w->device, w->memory, w->host_inputs[i]);
    }
    runtime->release(w->device, w->memory, w->host_output);
    *w = (struct overlap_workload){0};
}

/* --- verification ------------------------------------------------------------------------------------------------- */

static struct lab_expectation output_of(const struct overlap_workload *w)
{
    static const enum lab_content contents[] = {[OVERLAP_WAVES] = LAB_CONTENT_FLOATS_PLUS_ONE,
                                                [OVERLAP_AVERAGE] = LAB_CONTENT_AVERAGES,
                                                [OVERLAP_INCREMENT] = LAB_CONTENT_INTS_INCREMENTED};
    return (struct lab_expectation){.content = contents[w->kernel], .seed = w->seed};
}

static bool poison(const struct overlap_workload *w, enum lab_memory memory, void *array)
{
    return lab_verify_poison(w->device, w->streams[0], memory, lab_region_of(array, w->bytes), output_of(w));
}

/* Also poisons the device arrays, so that leftovers of an earlier job cannot pass verification. */
bool overlap_job_poison(void *context)
{
    const struct overlap_workload *w = ((const struct overlap_job *)context)->workload;
    for (size_t i = 0; i < overlap_inputs(w->kernel); i++)
        if (!poison(w, LAB_MEMORY_DEVICE, w->device_inputs[i]))
            return false;
    return (w->device_output == w->device_inputs[0] || poison(w, LAB_MEMORY_DEVICE, w->device_output)) &&
           poison(w, w->memory, w->host_output);
}

bool overlap_job_verify(void *context, uint64_t *wrong)
{
    struct overlap_job *job = context;
    const struct overlap_workload *w = job->workload;
    struct lab_comparison comparison = {0};
    bool good = lab_verify_check(w->device, w->streams[0], w->memory, lab_region_of(w->host_output, w->bytes),
                                 output_of(w), &comparison);
    *wrong = comparison.wrong;
    job->max_error = comparison.max_error;
    return good;
}
