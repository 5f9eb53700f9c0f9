/* The arrays of a workload, the operations of a job, and the orders in which they are issued. */
#include "job.h"

#include "descriptor/parameters.h"

#include <stdlib.h>

/* --- the workload ------------------------------------------------------------------------------------------------- */

static bool make_streams(struct overlap_workload *w)
{
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++)
        if ((w->streams[i] = lab_resources_stream(&w->resources, w->device)) == NULL ||
            (w->joins[i] = lab_resources_event(&w->resources, w->device)) == NULL)
            return false;
    if (w->runtime->default_streams != NULL)
        w->default_stream = w->runtime->default_streams->legacy(w->device);
    return (w->fork = lab_resources_event(&w->resources, w->device)) != NULL &&
           (w->marker = lab_resources_event(&w->resources, w->device)) != NULL;
}

bool overlap_workload_open(struct overlap_workload *w, struct lab_run *run, const struct lab_point *point)
{
    const struct lab_offload_shape shape = overlap_shape(point);
    uint64_t seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * shape.kernel->inputs;
    *w = (struct overlap_workload){
        .run = run,
        .device = run->devices[0],
        .runtime = run->devices[0]->runtime,
        .resources = {.run = run},
        .weight = 1,
        .block = (uint32_t)lab_parameter_integer(run->parameters, "block"),
    };
    return make_streams(w) &&
           lab_run_forward_error(run, w->device, lab_offload_open(&w->arrays, w->device, w->streams[0], seed, &shape));
}

void overlap_workload_close(struct overlap_workload *w)
{
    lab_offload_close(&w->arrays);
    lab_resources_release(&w->resources, 0);
    *w = (struct overlap_workload){0};
}

/* --- orders of issue ---------------------------------------------------------------------------------------------- */

size_t overlap_job_chunk(const struct overlap_job *job, size_t index)
{
    size_t start = index * job->chunk_bytes, bytes = job->workload->arrays.shape.bytes;
    if (start >= bytes)
        return 0;
    return bytes - start < job->chunk_bytes ? bytes - start : job->chunk_bytes;
}

static void list_operation(struct overlap_job *job, enum lab_engine engine, size_t chunk)
{
    size_t times = engine == LAB_ENGINE_H2D ? job->workload->arrays.shape.kernel->inputs : 1;
    for (size_t input = 0; input < times; input++)
        job->operations[job->operation_count++] = (struct overlap_operation){
            .engine = engine,
            .chunk = chunk,
            .input = input,
            .stream = chunk % job->streams,
            .event_after = engine == LAB_ENGINE_COMPUTE && job->variant == OVERLAP_BREADTH_FIRST_EVENTS,
        };
}

/* The number of chunks that are issued breadth first together; depth first is breadth first of single chunks. */
static size_t round_of(const struct overlap_job *job)
{
    if (job->variant == OVERLAP_BREADTH_FIRST || job->variant == OVERLAP_BREADTH_FIRST_EVENTS)
        return job->chunks;
    return job->variant == OVERLAP_INTERLEAVED ? job->streams : 1;
}

bool overlap_list_operations(struct overlap_job *job)
{
    size_t round = round_of(job), each = job->workload->arrays.shape.kernel->inputs + 2;
    job->operations = calloc(job->chunks * each, sizeof *job->operations);
    if (job->operations == NULL)
        return false;
    for (size_t first = 0; first < job->chunks; first += round)
        for (enum lab_engine engine = LAB_ENGINE_H2D; engine <= LAB_ENGINE_D2H; engine++)
            for (size_t chunk = first; chunk < first + round && chunk < job->chunks; chunk++)
                list_operation(job, engine, chunk);
    return true;
}

/* --- enqueueing --------------------------------------------------------------------------------------------------- */

struct lab_stream *overlap_job_origin(const struct overlap_job *job)
{
    return job->variant == OVERLAP_DEFAULT_STREAM ? job->workload->default_stream : job->workload->streams[0];
}

/* A latch is used only if all operations of the job can be queued behind the closed latch. A job with more operations
 * needs no latch, because queueing it takes less time than running it. */
enum lab_timing overlap_job_timing(const struct overlap_job *job)
{
    enum { LATCHED_MAX = 192 };
    if (job->workload->arrays.shape.memory == LAB_MEMORY_PAGEABLE)
        return LAB_TIME_HOST_CLOCK;
    bool fits = job->graph != NULL || job->operation_count <= LATCHED_MAX;
    return fits && job->variant != OVERLAP_DEFAULT_STREAM ? LAB_TIME_LATCHED : LAB_TIME_EVENTS;
}

bool overlap_enqueue(const struct overlap_job *job, const struct overlap_operation *operation,
                     struct lab_stream *stream)
{
    const struct overlap_workload *w = job->workload;
    size_t start = operation->chunk * job->chunk_bytes, bytes = overlap_job_chunk(job, operation->chunk);
    if (operation->engine == LAB_ENGINE_H2D)
        return lab_offload_copy_in(&w->arrays, stream, operation->input, start, job->offset, bytes);
    if (operation->engine == LAB_ENGINE_D2H)
        return lab_offload_copy_out(&w->arrays, stream, start, bytes);
    return w->runtime->enqueue(w->device, job->kernels[operation->chunk], stream);
}

static bool enqueue_operation(const struct overlap_job *job, const struct overlap_operation *operation)
{
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
    for (size_t i = 0; i < job->operation_count; i++)
        if (!enqueue_operation(job, &job->operations[i]))
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

bool overlap_job_poison(void *context)
{
    return lab_offload_poison(&((const struct overlap_job *)context)->workload->arrays);
}

bool overlap_job_verify(void *context, uint64_t *wrong)
{
    struct overlap_job *job = context;
    struct lab_mismatch comparison = {0};
    bool good = lab_offload_verify(&job->workload->arrays, &comparison);
    *wrong = comparison.wrong;
    job->max_error = comparison.max_error;
    return good;
}

/* --- preparing ---------------------------------------------------------------------------------------------------- */

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

static bool prepare_kernels(struct overlap_job *job)
{
    const struct overlap_workload *w = job->workload;
    for (size_t i = 0; i < job->chunks; i++) {
        struct lab_plan *plan =
            lab_offload_prepare(&w->arrays, i * job->chunk_bytes, overlap_job_chunk(job, i), w->weight, w->block);
        if ((job->kernels[i] = lab_resources_plan(&job->resources, w->device, plan)) == NULL)
            return false;
    }
    return true;
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
        .chunk_bytes = overlap_chunk_bytes(workload->arrays.shape.bytes, chunks),
        .resources = {.run = workload->run},
        .kernels = calloc(chunks, sizeof(struct lab_plan *)),
    };
    if (job->kernels == NULL || !overlap_list_operations(job))
        return lab_error_set(&workload->run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                             "out of memory for the operations of the chunks");
    bool graph = point->values[OVERLAP_AXIS_REPLAY] == OVERLAP_GRAPH;
    return prepare_kernels(job) &&
           (!graph || lab_run_forward_error(workload->run, workload->device, capture_graph(job)));
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
        w->runtime->graph->free(w->device, job->graph);
    lab_resources_release(&job->resources, 0);
    free(job->kernels);
    free(job->operations);
    *job = (struct overlap_job){0};
}
