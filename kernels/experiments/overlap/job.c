/* The arrays and operations of a job, and the orders in which its operations are issued. */
#include "job.h"

#include "experiment/parameters.h"

#include <stdlib.h>
#include <string.h>

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static bool failed(struct overlap_job *job)
{
    job->run->error = job->device->error;
    return false;
}

static bool allocate_arrays(struct overlap_job *job)
{
    const struct lab_runtime *runtime = job->runtime;
    size_t inputs = overlap_inputs(job->workload.kernel);
    for (size_t i = 0; i < inputs; i++)
        if (!runtime->allocate(job->device, job->workload.memory, job->workload.bytes, &job->host_inputs[i]) ||
            !runtime->allocate(job->device, LAB_MEMORY_DEVICE, job->workload.bytes, &job->device_inputs[i]))
            return false;
    if (!runtime->allocate(job->device, job->workload.memory, job->workload.bytes, &job->host_output))
        return false;
    if (job->workload.kernel == OVERLAP_AVERAGE)
        return runtime->allocate(job->device, LAB_MEMORY_DEVICE, job->workload.bytes, &job->device_output);
    job->device_output = job->device_inputs[0];
    return true;
}

static bool make_streams(struct overlap_job *job)
{
    const struct lab_runtime *runtime = job->runtime;
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++)
        if ((job->streams[i] = runtime->stream_create(job->device)) == NULL ||
            (job->joins[i] = runtime->event_create(job->device)) == NULL)
            return false;
    if (runtime->stream_default != NULL)
        job->default_stream = runtime->stream_default(job->device);
    return (job->fork = runtime->event_create(job->device)) != NULL &&
           (job->marker = runtime->event_create(job->device)) != NULL;
}

static bool fill_inputs(struct overlap_job *job)
{
    enum lab_content content = job->workload.kernel == OVERLAP_WAVES ? LAB_CONTENT_FLOATS : LAB_CONTENT_INTS;
    for (size_t i = 0; i < overlap_inputs(job->workload.kernel); i++)
        if (!lab_verify_fill(job->device, job->streams[0], job->workload.memory,
                             lab_region_of(job->host_inputs[i], job->workload.bytes),
                             (struct lab_expectation){.content = content, .seed = job->seed + i}))
            return false;
    return true;
}

bool overlap_job_open(struct overlap_job *job, struct lab_run *run, const struct overlap_workload *workload)
{
    *job = (struct overlap_job){
        .run = run,
        .device = run->devices[0],
        .runtime = run->devices[0]->runtime,
        .workload = *workload,
        .weight = 1,
        .block = (uint32_t)lab_parameter_integer(run->parameters, "block"),
        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * 2,
    };
    return (allocate_arrays(job) && make_streams(job) && fill_inputs(job)) || failed(job);
}

static void release_point(struct overlap_job *job)
{
    for (size_t i = 0; job->kernels != NULL && i < job->point.chunks; i++)
        job->runtime->plan_release(job->device, job->kernels[i]);
    free(job->kernels);
    job->kernels = NULL;
    if (job->graph != NULL)
        job->runtime->graph->release(job->device, job->graph);
    job->graph = NULL;
}

void overlap_job_close(struct overlap_job *job)
{
    const struct lab_runtime *runtime = job->runtime;
    if (runtime == NULL)
        return;
    release_point(job);
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++) {
        runtime->event_release(job->device, job->joins[i]);
        runtime->stream_release(job->device, job->streams[i]);
    }
    runtime->event_release(job->device, job->fork);
    runtime->event_release(job->device, job->marker);
    if (job->device_output != job->device_inputs[0])
        runtime->release(job->device, LAB_MEMORY_DEVICE, job->device_output);
    for (size_t i = 0; i < OVERLAP_INPUTS_MAX; i++) {
        runtime->release(job->device, LAB_MEMORY_DEVICE, job->device_inputs[i]);
        runtime->release(job->device, job->workload.memory, job->host_inputs[i]);
    }
    runtime->release(job->device, job->workload.memory, job->host_output);
    *job = (struct overlap_job){0};
}

/* --- one operation ------------------------------------------------------------------------------------------------ */

size_t overlap_chunk_bytes(const struct overlap_job *job, size_t index)
{
    size_t start = index * job->chunk_bytes;
    if (start >= job->workload.bytes)
        return 0;
    return job->workload.bytes - start < job->chunk_bytes ? job->workload.bytes - start : job->chunk_bytes;
}

static void *chunk_of(const struct overlap_job *job, void *array, size_t chunk)
{
    return (char *)array + chunk * job->chunk_bytes;
}

bool overlap_enqueue_up(struct overlap_job *job, size_t chunk, size_t input, struct lab_stream *stream)
{
    return job->runtime->copy(job->device, stream, chunk_of(job, job->device_inputs[input], chunk),
                              chunk_of(job, job->host_inputs[input], chunk), overlap_chunk_bytes(job, chunk), LAB_H2D);
}

bool overlap_enqueue_kernel(struct overlap_job *job, size_t chunk, struct lab_stream *stream)
{
    return job->runtime->enqueue(job->device, job->kernels[chunk], stream);
}

bool overlap_enqueue_down(struct overlap_job *job, size_t chunk, struct lab_stream *stream)
{
    return job->runtime->copy(job->device, stream, chunk_of(job, job->host_output, chunk),
                              chunk_of(job, job->device_output, chunk), overlap_chunk_bytes(job, chunk), LAB_D2H);
}

static struct lab_plan *prepare_kernel(struct overlap_job *job, size_t chunk)
{
    static const enum lab_operation_kind kinds[] = {[OVERLAP_WAVES] = LAB_OPERATION_SINE_COSINE,
                                                    [OVERLAP_AVERAGE] = LAB_OPERATION_AVERAGE,
                                                    [OVERLAP_INCREMENT] = LAB_OPERATION_INCREMENT};
    size_t bytes = overlap_chunk_bytes(job, chunk);
    struct lab_operation operation = {
        .kind = kinds[job->workload.kernel],
        .destination = lab_region_of(chunk_of(job, job->device_output, chunk), bytes),
        .first = chunk * job->chunk_bytes / 4,
        .weight = job->weight,
        .block = job->block,
    };
    if (job->workload.kernel == OVERLAP_AVERAGE) {
        operation.source = lab_region_of(chunk_of(job, job->device_inputs[0], chunk), bytes);
        operation.source2 = lab_region_of(chunk_of(job, job->device_inputs[1], chunk), bytes);
    }
    return job->runtime->prepare(job->device, &operation);
}

/* --- orders of issue ---------------------------------------------------------------------------------------------- */

struct visitor {
    bool (*visit)(struct overlap_job *job, const struct overlap_operation *operation, void *context);
    void *context;
};

static bool issue(struct overlap_job *job, const struct visitor *visitor, enum lab_engine engine, size_t chunk)
{
    struct overlap_operation operation = {.engine = engine, .chunk = chunk, .stream = chunk % job->point.streams};
    operation.event_after = engine == LAB_ENGINE_COMPUTE && job->point.variant == OVERLAP_BREADTH_FIRST_EVENTS;
    size_t times = engine == LAB_ENGINE_H2D ? overlap_inputs(job->workload.kernel) : 1;
    for (operation.input = 0; operation.input < times; operation.input++)
        if (!visitor->visit(job, &operation, visitor->context))
            return false;
    return true;
}

/* Issues all copies in of the chunks from `first` to `end` - 1, then all their kernels, then all their copies out. */
static bool issue_breadth_first(struct overlap_job *job, const struct visitor *visitor, size_t first, size_t end)
{
    for (enum lab_engine engine = LAB_ENGINE_H2D; engine <= LAB_ENGINE_D2H; engine++)
        for (size_t chunk = first; chunk < end; chunk++)
            if (!issue(job, visitor, engine, chunk))
                return false;
    return true;
}

bool overlap_each_operation(struct overlap_job *job,
                            bool (*visit)(struct overlap_job *job, const struct overlap_operation *operation,
                                          void *context),
                            void *context)
{
    const struct visitor visitor = {visit, context};
    size_t chunks = job->point.chunks, round = 1; /* depth first: rounds of one chunk */
    switch (job->point.variant) {
    case OVERLAP_BREADTH_FIRST:
    case OVERLAP_BREADTH_FIRST_EVENTS:
        round = chunks;
        break;
    case OVERLAP_INTERLEAVED:
        round = job->point.streams;
        break;
    case OVERLAP_SEQUENTIAL:
    case OVERLAP_ONE_STREAM:
    case OVERLAP_DEPTH_FIRST:
    case OVERLAP_DEFAULT_STREAM:
        break;
    }
    for (size_t first = 0; first < chunks; first += round)
        if (!issue_breadth_first(job, &visitor, first, first + round < chunks ? first + round : chunks))
            return false;
    return true;
}

size_t overlap_operation_count(const struct overlap_job *job)
{
    return job->point.chunks * (overlap_inputs(job->workload.kernel) + 2);
}

/* --- the whole job ------------------------------------------------------------------------------------------------ */

static bool in_default_stream(const struct overlap_job *job)
{
    return job->point.variant == OVERLAP_DEFAULT_STREAM;
}

struct lab_stream *overlap_job_origin(const struct overlap_job *job)
{
    return in_default_stream(job) ? job->default_stream : job->streams[0];
}

static bool enqueue_operation(struct overlap_job *job, const struct overlap_operation *operation, void *context)
{
    (void)context;
    struct lab_stream *stream = in_default_stream(job) ? job->default_stream : job->streams[operation->stream];
    switch (operation->engine) {
    case LAB_ENGINE_H2D:
        return overlap_enqueue_up(job, operation->chunk, operation->input, stream);
    case LAB_ENGINE_D2H:
        return overlap_enqueue_down(job, operation->chunk, stream);
    case LAB_ENGINE_COMPUTE:
        break;
    }
    return overlap_enqueue_kernel(job, operation->chunk, stream) &&
           (!operation->event_after || job->runtime->event_record(job->device, job->marker, stream));
}

/* The other streams wait for an event at the start of the first, and the first waits for all others at the end. So the
 * job begins and ends in one stream, as timing and graph capture require. */
static bool enqueue_operations(struct overlap_job *job)
{
    const struct lab_runtime *runtime = job->runtime;
    size_t streams = job->point.streams;
    if (streams > 1 && !runtime->event_record(job->device, job->fork, job->streams[0]))
        return false;
    for (size_t i = 1; i < streams; i++)
        if (!runtime->stream_wait(job->device, job->streams[i], job->fork))
            return false;
    if (!overlap_each_operation(job, enqueue_operation, NULL))
        return false;
    for (size_t i = 1; i < streams; i++)
        if (!runtime->event_record(job->device, job->joins[i], job->streams[i]) ||
            !runtime->stream_wait(job->device, job->streams[0], job->joins[i]))
            return false;
    return true;
}

bool overlap_job_enqueue(void *context)
{
    struct overlap_job *job = context;
    if (job->graph != NULL)
        return job->runtime->graph->launch(job->device, job->graph, job->streams[0]);
    return enqueue_operations(job);
}

static bool capture_graph(struct overlap_job *job)
{
    const struct lab_runtime_graph *graph = job->runtime->graph;
    if (!graph->begin(job->device, job->streams[0]))
        return false;
    struct lab_error error = {0};
    bool captured = enqueue_operations(job);
    if (!captured)
        error = job->device->error; /* ending a failed capture fails too, with a less specific error */
    job->graph = graph->end(job->device, job->streams[0]);
    if (!captured)
        job->device->error = error;
    return captured && job->graph != NULL;
}

bool overlap_job_prepare(struct overlap_job *job, const struct overlap_point *point)
{
    release_point(job);
    job->point = *point;
    /* whole windows, because the averaging kernel reads the neighbours of an element from the same chunk */
    size_t windows = (job->workload.bytes / 4 + LAB_AVERAGE_WINDOW - 1) / LAB_AVERAGE_WINDOW;
    job->chunk_bytes = (windows + point->chunks - 1) / point->chunks * LAB_AVERAGE_WINDOW * 4;
    job->point.chunks =
        (job->workload.bytes + job->chunk_bytes - 1) / job->chunk_bytes; /* may be fewer, due to rounding */

    job->kernels = calloc(job->point.chunks, sizeof(struct lab_plan *));
    if (job->kernels == NULL)
        return lab_error_set(&job->run->error, "out-of-memory", "", "out of memory for the operations of the chunks");
    for (size_t i = 0; i < job->point.chunks; i++)
        if ((job->kernels[i] = prepare_kernel(job, i)) == NULL)
            return failed(job);
    return !point->graph || capture_graph(job) || failed(job);
}

/* --- verification ------------------------------------------------------------------------------------------------- */

static struct lab_expectation output_of(const struct overlap_job *job)
{
    static const enum lab_content contents[] = {[OVERLAP_WAVES] = LAB_CONTENT_FLOATS_PLUS_ONE,
                                                [OVERLAP_AVERAGE] = LAB_CONTENT_AVERAGES,
                                                [OVERLAP_INCREMENT] = LAB_CONTENT_INTS_INCREMENTED};
    return (struct lab_expectation){.content = contents[job->workload.kernel], .seed = job->seed};
}

/* Also poisons the device arrays, so that leftovers of an earlier job cannot pass verification. */
bool overlap_job_poison(void *context)
{
    struct overlap_job *job = context;
    for (size_t i = 0; i < overlap_inputs(job->workload.kernel); i++)
        if (!lab_verify_poison(job->device, job->streams[0], LAB_MEMORY_DEVICE,
                               lab_region_of(job->device_inputs[i], job->workload.bytes), output_of(job)))
            return false;
    return lab_verify_poison(job->device, job->streams[0], job->workload.memory,
                             lab_region_of(job->host_output, job->workload.bytes), output_of(job));
}

bool overlap_job_check(struct overlap_job *job, struct lab_comparison *comparison)
{
    return lab_verify_check(job->device, job->streams[0], job->workload.memory,
                            lab_region_of(job->host_output, job->workload.bytes), output_of(job), comparison);
}
