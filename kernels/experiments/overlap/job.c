/* The operations of a job, and the orders in which they are issued. */
#include "job.h"

#include <stdlib.h>

static bool failed(const struct overlap_workload *w)
{
    w->run->error = w->device->error;
    return false;
}

/* --- one operation ------------------------------------------------------------------------------------------------ */

size_t overlap_job_chunk(const struct overlap_job *job, size_t index)
{
    size_t start = index * job->chunk_bytes, bytes = job->workload->bytes;
    if (start >= bytes)
        return 0;
    return bytes - start < job->chunk_bytes ? bytes - start : job->chunk_bytes;
}

static void *chunk_of(const struct overlap_job *job, void *array, size_t chunk)
{
    return (char *)array + chunk * job->chunk_bytes;
}

bool overlap_enqueue(const struct overlap_job *job, const struct overlap_operation *operation,
                     struct lab_stream *stream)
{
    const struct overlap_workload *w = job->workload;
    size_t chunk = operation->chunk, bytes = overlap_job_chunk(job, chunk);
    switch (operation->engine) {
    case LAB_ENGINE_H2D:
        return w->runtime->copy(w->device, stream, chunk_of(job, w->device_inputs[operation->input], chunk),
                                (char *)chunk_of(job, w->host_inputs[operation->input], chunk) + job->offset, bytes,
                                LAB_H2D);
    case LAB_ENGINE_D2H:
        return w->runtime->copy(w->device, stream, chunk_of(job, w->host_output, chunk),
                                chunk_of(job, w->device_output, chunk), bytes, LAB_D2H);
    case LAB_ENGINE_COMPUTE:
        break;
    }
    return w->runtime->enqueue(w->device, job->kernels[chunk], stream);
}

static struct lab_plan *prepare_kernel(const struct overlap_job *job, size_t chunk)
{
    static const enum lab_operation_kind kinds[] = {[OVERLAP_WAVES] = LAB_OPERATION_SINE_COSINE,
                                                    [OVERLAP_AVERAGE] = LAB_OPERATION_AVERAGE,
                                                    [OVERLAP_INCREMENT] = LAB_OPERATION_INCREMENT};
    const struct overlap_workload *w = job->workload;
    size_t bytes = overlap_job_chunk(job, chunk);
    struct lab_operation operation = {
        .kind = kinds[w->kernel],
        .destination = lab_region_of(chunk_of(job, w->device_output, chunk), bytes),
        .first = chunk * job->chunk_bytes / 4,
        .weight = w->weight,
        .block = w->block,
    };
    if (w->kernel == OVERLAP_AVERAGE) {
        operation.source = lab_region_of(chunk_of(job, w->device_inputs[0], chunk), bytes);
        operation.source2 = lab_region_of(chunk_of(job, w->device_inputs[1], chunk), bytes);
    }
    return w->runtime->prepare(w->device, &operation);
}

/* --- orders of issue ---------------------------------------------------------------------------------------------- */

struct visitor {
    bool (*visit)(const struct overlap_job *job, const struct overlap_operation *operation, void *context);
    void *context;
};

static bool issue(const struct overlap_job *job, const struct visitor *visitor, enum lab_engine engine, size_t chunk)
{
    struct overlap_operation operation = {.engine = engine, .chunk = chunk, .stream = chunk % job->streams};
    operation.event_after = engine == LAB_ENGINE_COMPUTE && job->variant == OVERLAP_BREADTH_FIRST_EVENTS;
    size_t times = engine == LAB_ENGINE_H2D ? overlap_inputs(job->workload->kernel) : 1;
    for (operation.input = 0; operation.input < times; operation.input++)
        if (!visitor->visit(job, &operation, visitor->context))
            return false;
    return true;
}

/* Issues all copies in of the chunks from `first` to `end` - 1, then all their kernels, then all their copies out. */
static bool issue_breadth_first(const struct overlap_job *job, const struct visitor *visitor, size_t first, size_t end)
{
    for (enum lab_engine engine = LAB_ENGINE_H2D; engine <= LAB_ENGINE_D2H; engine++)
        for (size_t chunk = first; chunk < end; chunk++)
            if (!issue(job, visitor, engine, chunk))
                return false;
    return true;
}

/* The number of chunks that are issued breadth first together; depth first is breadth first of single chunks. */
static size_t round_of(const struct overlap_job *job)
{
    switch (job->variant) {
    case OVERLAP_BREADTH_FIRST:
    case OVERLAP_BREADTH_FIRST_EVENTS:
        return job->chunks;
    case OVERLAP_INTERLEAVED:
        return job->streams;
    case OVERLAP_SEQUENTIAL:
    case OVERLAP_ONE_STREAM:
    case OVERLAP_DEPTH_FIRST:
    case OVERLAP_DEFAULT_STREAM:
        break;
    }
    return 1;
}

bool overlap_each_operation(const struct overlap_job *job,
                            bool (*visit)(const struct overlap_job *job, const struct overlap_operation *operation,
                                          void *context),
                            void *context)
{
    const struct visitor visitor = {visit, context};
    size_t round = round_of(job);
    for (size_t first = 0; first < job->chunks; first += round)
        if (!issue_breadth_first(job, &visitor, first, first + round < job->chunks ? first + round : job->chunks))
            return false;
    return true;
}

size_t overlap_operation_count(const struct overlap_job *job)
{
    return job->chunks * (overlap_inputs(job->workload->kernel) + 2);
}

/* --- the whole job ------------------------------------------------------------------------------------------------ */

struct lab_stream *overlap_job_origin(const struct overlap_job *job)
{
    return job->variant == OVERLAP_DEFAULT_STREAM ? job->workload->default_stream : job->workload->streams[0];
}

/* A latch is used only if all operations of the job can be queued behind the closed latch. A job with more operations
 * needs no latch, because queueing it takes less time than running it. */
enum lab_timing overlap_job_timing(const struct overlap_job *job)
{
    enum { LATCHED_MAX = 192 };
    if (job->workload->memory == LAB_MEMORY_PAGEABLE)
        return LAB_TIME_HOST_CLOCK;
    bool fits = job->graph != NULL || overlap_operation_count(job) <= LATCHED_MAX;
    return fits && job->variant != OVERLAP_DEFAULT_STREAM ? LAB_TIME_LATCHED : LAB_TIME_EVENTS;
}

static bool enqueue_operation(const struct overlap_job *job, const struct overlap_operation *operation, void *context)
{
    (void)context;
    const struct overlap_workload *w = job->workload;
    struct lab_stream *stream =
        job->variant == OVERLAP_DEFAULT_STREAM ? w->default_stream : w->streams[operation->stream];
    return overlap_enqueue(job, operation, stream) &&
           (!operation->event_after || w->runtime->event_record(w->device, w->marker, stream));
}

/* The other streams wait for an event at the start of the first, and the first waits for all others at the end. So the
 * job begins and ends in one stream, as timing and graph capture require. */
static bool enqueue_operations(const struct overlap_job *job)
{
    const struct overlap_workload *w = job->workload;
    if (job->streams > 1 && !w->runtime->event_record(w->device, w->fork, w->streams[0]))
        return false;
    for (size_t i = 1; i < job->streams; i++)
        if (!w->runtime->stream_wait(w->device, w->streams[i], w->fork))
            return false;
    if (!overlap_each_operation(job, enqueue_operation, NULL))
        return false;
    for (size_t i = 1; i < job->streams; i++)
        if (!w->runtime->event_record(w->device, w->joins[i], w->streams[i]) ||
            !w->runtime->stream_wait(w->device, w->streams[0], w->joins[i]))
            return false;
    return true;
}

bool overlap_job_enqueue(void *context)
{
    const struct overlap_job *job = context;
    const struct overlap_workload *w = job->workload;
    if (job->graph != NULL)
        return w->runtime->graph->launch(w->device, job->graph, w->streams[0]);
    return enqueue_operations(job);
}

static bool capture_graph(struct overlap_job *job)
{
    const struct overlap_workload *w = job->workload;
    const struct lab_runtime_graph *graph = w->runtime->graph;
    if (!graph->begin(w->device, w->streams[0]))
        return false;
    struct lab_error error = {0};
    bool captured = enqueue_operations(job);
    if (!captured)
        error = w->device->error; /* ending a failed capture fails too, with a less specific error */
    job->graph = graph->end(w->device, w->streams[0]);
    if (!captured)
        w->device->error = error;
    return captured && job->graph != NULL;
}

bool overlap_job_prepare(struct overlap_job *job, const struct overlap_workload *workload,
                         const struct lab_point *point, size_t offset)
{
    size_t chunks = (size_t)point->values[OVERLAP_AXIS_CHUNKS];
    *job = (struct overlap_job){
        .workload = workload,
        .variant = (enum overlap_variant)point->values[OVERLAP_AXIS_VARIANT],
        .chunks = chunks,
        .streams = (size_t)point->values[OVERLAP_AXIS_STREAMS],
        .offset = offset,
        .chunk_bytes = overlap_chunk_bytes(workload->bytes, chunks),
        .kernels = calloc(chunks, sizeof(struct lab_plan *)),
    };
    if (job->kernels == NULL)
        return lab_error_set(&workload->run->error, "out-of-memory", "",
                             "out of memory for the operations of the chunks");
    for (size_t i = 0; i < chunks; i++)
        if ((job->kernels[i] = prepare_kernel(job, i)) == NULL)
            return failed(workload);
    return point->values[OVERLAP_AXIS_REPLAY] != OVERLAP_GRAPH || capture_graph(job) || failed(workload);
}

bool overlap_job_prepare_sequential(struct overlap_job *job, const struct overlap_workload *workload, size_t offset)
{
    const struct lab_point point = {.values = {[OVERLAP_AXIS_CHUNKS] = 1,
                                               [OVERLAP_AXIS_VARIANT] = OVERLAP_SEQUENTIAL,
                                               [OVERLAP_AXIS_STREAMS] = 1,
                                               [OVERLAP_AXIS_REPLAY] = OVERLAP_STREAM}};
    return overlap_job_prepare(job, workload, &point, offset);
}

void overlap_job_release(struct overlap_job *job)
{
    const struct overlap_workload *w = job->workload;
    if (w == NULL)
        return;
    w->runtime->stream_synchronize(w->device, overlap_job_origin(job));
    for (size_t i = 1; i < job->streams; i++)
        w->runtime->stream_synchronize(w->device, w->streams[i]);
    if (job->graph != NULL)
        w->runtime->graph->release(w->device, job->graph);
    for (size_t i = 0; job->kernels != NULL && i < job->chunks; i++)
        w->runtime->plan_release(w->device, job->kernels[i]);
    free(job->kernels);
    *job = (struct overlap_job){0};
}
