/* The pipeline's arrays, operations and orders. */
#include "pipeline.h"

#include "experiment/parameters.h"

#include <stdlib.h>
#include <string.h>

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static bool failed(struct overlap_pipeline *p)
{
    p->run->error = p->device->error;
    return false;
}

static bool allocate_arrays(struct overlap_pipeline *p)
{
    const struct lab_runtime *runtime = p->runtime;
    size_t inputs = overlap_inputs(p->of.kernel);
    for (size_t i = 0; i < inputs; i++)
        if (!runtime->allocate(p->device, p->of.memory, p->of.bytes, &p->host_inputs[i]) ||
            !runtime->allocate(p->device, LAB_MEMORY_DEVICE, p->of.bytes, &p->device_inputs[i]))
            return false;
    if (!runtime->allocate(p->device, p->of.memory, p->of.bytes, &p->host_output))
        return false;
    if (p->of.kernel == OVERLAP_AVERAGE)
        return runtime->allocate(p->device, LAB_MEMORY_DEVICE, p->of.bytes, &p->device_output);
    p->device_output = p->device_inputs[0];
    return true;
}

static bool make_streams(struct overlap_pipeline *p)
{
    const struct lab_runtime *runtime = p->runtime;
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++)
        if ((p->streams[i] = runtime->stream_create(p->device)) == NULL ||
            (p->joins[i] = runtime->event_create(p->device)) == NULL)
            return false;
    if (runtime->stream_default != NULL)
        p->default_stream = runtime->stream_default(p->device);
    return (p->fork = runtime->event_create(p->device)) != NULL &&
           (p->dummy = runtime->event_create(p->device)) != NULL;
}

static bool fill_inputs(struct overlap_pipeline *p)
{
    enum lab_content content = p->of.kernel == OVERLAP_WAVES ? LAB_CONTENT_FLOATS : LAB_CONTENT_COUNTS;
    for (size_t i = 0; i < overlap_inputs(p->of.kernel); i++)
        if (!lab_verify_fill(p->device, p->streams[0], p->of.memory, lab_region_of(p->host_inputs[i], p->of.bytes),
                             (struct lab_expectation){.content = content, .seed = p->seed + i}))
            return false;
    return true;
}

bool overlap_pipeline_open(struct overlap_pipeline *p, struct lab_run *run, const struct overlap_case *of)
{
    *p = (struct overlap_pipeline){
        .run = run,
        .device = run->devices[0],
        .runtime = run->devices[0]->runtime,
        .of = *of,
        .weight = 1,
        .block = (uint32_t)lab_parameter_integer(run->parameters, "block"),
        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * 2,
    };
    return (allocate_arrays(p) && make_streams(p) && fill_inputs(p)) || failed(p);
}

static void clear_layout(struct overlap_pipeline *p)
{
    for (size_t i = 0; p->kernels != NULL && i < p->point.chunks; i++)
        p->runtime->plan_release(p->device, p->kernels[i]);
    free(p->kernels);
    p->kernels = NULL;
    if (p->graph != NULL)
        p->runtime->graph->release(p->device, p->graph);
    p->graph = NULL;
}

void overlap_pipeline_close(struct overlap_pipeline *p)
{
    const struct lab_runtime *runtime = p->runtime;
    if (runtime == NULL)
        return;
    clear_layout(p);
    for (size_t i = 0; i < OVERLAP_STREAMS_MAX; i++) {
        runtime->event_release(p->device, p->joins[i]);
        runtime->stream_release(p->device, p->streams[i]);
    }
    runtime->event_release(p->device, p->fork);
    runtime->event_release(p->device, p->dummy);
    if (p->device_output != p->device_inputs[0])
        runtime->release(p->device, LAB_MEMORY_DEVICE, p->device_output);
    for (size_t i = 0; i < OVERLAP_INPUTS_MAX; i++) {
        runtime->release(p->device, LAB_MEMORY_DEVICE, p->device_inputs[i]);
        runtime->release(p->device, p->of.memory, p->host_inputs[i]);
    }
    runtime->release(p->device, p->of.memory, p->host_output);
    *p = (struct overlap_pipeline){0};
}

/* --- one operation ------------------------------------------------------------------------------------------------ */

size_t overlap_chunk_bytes(const struct overlap_pipeline *p, size_t index)
{
    size_t start = index * p->chunk_bytes;
    if (start >= p->of.bytes)
        return 0;
    return p->of.bytes - start < p->chunk_bytes ? p->of.bytes - start : p->chunk_bytes;
}

static void *chunk_of(const struct overlap_pipeline *p, void *array, size_t chunk)
{
    return (char *)array + chunk * p->chunk_bytes;
}

bool overlap_enqueue_up(struct overlap_pipeline *p, size_t chunk, size_t input, struct lab_stream *stream)
{
    return p->runtime->copy(p->device, stream, chunk_of(p, p->device_inputs[input], chunk),
                            chunk_of(p, p->host_inputs[input], chunk), overlap_chunk_bytes(p, chunk), LAB_H2D);
}

bool overlap_enqueue_kernel(struct overlap_pipeline *p, size_t chunk, struct lab_stream *stream)
{
    return p->runtime->enqueue(p->device, p->kernels[chunk], stream);
}

bool overlap_enqueue_down(struct overlap_pipeline *p, size_t chunk, struct lab_stream *stream)
{
    return p->runtime->copy(p->device, stream, chunk_of(p, p->host_output, chunk), chunk_of(p, p->device_output, chunk),
                            overlap_chunk_bytes(p, chunk), LAB_D2H);
}

static struct lab_plan *prepare_kernel(struct overlap_pipeline *p, size_t chunk)
{
    static const enum lab_operation_kind kinds[] = {[OVERLAP_WAVES] = LAB_OPERATION_WAVES,
                                                    [OVERLAP_AVERAGE] = LAB_OPERATION_AVERAGE,
                                                    [OVERLAP_INCREMENT] = LAB_OPERATION_INCREMENT};
    size_t bytes = overlap_chunk_bytes(p, chunk);
    struct lab_operation problem = {
        .kind = kinds[p->of.kernel],
        .destination = lab_region_of(chunk_of(p, p->device_output, chunk), bytes),
        .first = chunk * p->chunk_bytes / 4,
        .weight = p->weight,
        .block = p->block,
    };
    if (p->of.kernel == OVERLAP_AVERAGE) {
        problem.source = lab_region_of(chunk_of(p, p->device_inputs[0], chunk), bytes);
        problem.source2 = lab_region_of(chunk_of(p, p->device_inputs[1], chunk), bytes);
    }
    return p->runtime->prepare(p->device, &problem);
}

/* --- the orders --------------------------------------------------------------------------------------------------- */

struct walk {
    bool (*visit)(struct overlap_pipeline *p, const struct overlap_operation *operation, void *context);
    void *context;
};

static bool issue(struct overlap_pipeline *p, const struct walk *walk, enum lab_engine engine, size_t chunk)
{
    struct overlap_operation operation = {.engine = engine, .chunk = chunk, .stream = chunk % p->point.streams};
    operation.event_behind = engine == LAB_ENGINE_COMPUTE && p->point.variant == OVERLAP_BREADTH_FIRST_EVENTS;
    size_t times = engine == LAB_ENGINE_UP ? overlap_inputs(p->of.kernel) : 1;
    for (operation.input = 0; operation.input < times; operation.input++)
        if (!walk->visit(p, &operation, walk->context))
            return false;
    return true;
}

/* All of one engine's operations of the chunks from `first` to before `end`, then all of the next engine's. */
static bool issue_in_breadth(struct overlap_pipeline *p, const struct walk *walk, size_t first, size_t end)
{
    for (enum lab_engine engine = LAB_ENGINE_UP; engine <= LAB_ENGINE_DOWN; engine++)
        for (size_t chunk = first; chunk < end; chunk++)
            if (!issue(p, walk, engine, chunk))
                return false;
    return true;
}

bool overlap_each_operation(struct overlap_pipeline *p,
                            bool (*visit)(struct overlap_pipeline *p, const struct overlap_operation *operation,
                                          void *context),
                            void *context)
{
    const struct walk walk = {visit, context};
    size_t chunks = p->point.chunks, round = 1; /* depth first is breadth in rounds of one */
    switch (p->point.variant) {
    case OVERLAP_BREADTH_FIRST:
    case OVERLAP_BREADTH_FIRST_EVENTS:
        round = chunks;
        break;
    case OVERLAP_INTERLEAVED:
        round = p->point.streams;
        break;
    case OVERLAP_SEQUENTIAL:
    case OVERLAP_ONE_STREAM:
    case OVERLAP_DEPTH_FIRST:
    case OVERLAP_DEFAULT_STREAM:
        break;
    }
    for (size_t first = 0; first < chunks; first += round)
        if (!issue_in_breadth(p, &walk, first, first + round < chunks ? first + round : chunks))
            return false;
    return true;
}

size_t overlap_operation_count(const struct overlap_pipeline *p)
{
    return p->point.chunks * (overlap_inputs(p->of.kernel) + 2);
}

/* --- the whole job ------------------------------------------------------------------------------------------------ */

static bool in_default_stream(const struct overlap_pipeline *p)
{
    return p->point.variant == OVERLAP_DEFAULT_STREAM;
}

struct lab_stream *overlap_pipeline_origin(const struct overlap_pipeline *p)
{
    return in_default_stream(p) ? p->default_stream : p->streams[0];
}

static bool enqueue_operation(struct overlap_pipeline *p, const struct overlap_operation *operation, void *context)
{
    (void)context;
    struct lab_stream *stream = in_default_stream(p) ? p->default_stream : p->streams[operation->stream];
    switch (operation->engine) {
    case LAB_ENGINE_UP:
        return overlap_enqueue_up(p, operation->chunk, operation->input, stream);
    case LAB_ENGINE_DOWN:
        return overlap_enqueue_down(p, operation->chunk, stream);
    case LAB_ENGINE_COMPUTE:
        break;
    }
    return overlap_enqueue_kernel(p, operation->chunk, stream) &&
           (!operation->event_behind || p->runtime->event_record(p->device, p->dummy, stream));
}

/* The other streams start when the first one does, and the first one ends when all have: so the job begins and ends in one
 * stream, whatever is between, and can be recorded as a graph. */
static bool enqueue_operations(struct overlap_pipeline *p)
{
    const struct lab_runtime *runtime = p->runtime;
    size_t streams = p->point.streams;
    if (streams > 1 && !runtime->event_record(p->device, p->fork, p->streams[0]))
        return false;
    for (size_t i = 1; i < streams; i++)
        if (!runtime->stream_wait(p->device, p->streams[i], p->fork))
            return false;
    if (!overlap_each_operation(p, enqueue_operation, NULL))
        return false;
    for (size_t i = 1; i < streams; i++)
        if (!runtime->event_record(p->device, p->joins[i], p->streams[i]) ||
            !runtime->stream_wait(p->device, p->streams[0], p->joins[i]))
            return false;
    return true;
}

bool overlap_pipeline_enqueue(void *context)
{
    struct overlap_pipeline *p = context;
    if (p->graph != NULL)
        return p->runtime->graph->launch(p->device, p->graph, p->streams[0]);
    return enqueue_operations(p);
}

static bool record_graph(struct overlap_pipeline *p)
{
    const struct lab_runtime_graph *graph = p->runtime->graph;
    if (!graph->begin(p->device, p->streams[0]))
        return false;
    struct lab_error error = {0};
    bool recorded = enqueue_operations(p);
    if (!recorded)
        error = p->device->error; /* ending a recording that failed fails too, and says less */
    p->graph = graph->end(p->device, p->streams[0]);
    if (!recorded)
        p->device->error = error;
    return recorded && p->graph != NULL;
}

bool overlap_pipeline_lay_out(struct overlap_pipeline *p, const struct overlap_point *point)
{
    clear_layout(p);
    p->point = *point;
    /* whole windows, so that the averaging kernel's neighbours are in the same chunk */
    size_t windows = (p->of.bytes / 4 + LAB_AVERAGE_WINDOW - 1) / LAB_AVERAGE_WINDOW;
    p->chunk_bytes = (windows + point->chunks - 1) / point->chunks * LAB_AVERAGE_WINDOW * 4;
    p->point.chunks = (p->of.bytes + p->chunk_bytes - 1) / p->chunk_bytes; /* rounding may leave fewer */

    p->kernels = calloc(p->point.chunks, sizeof(struct lab_plan *));
    if (p->kernels == NULL)
        return lab_error_set(&p->run->error, "out-of-memory", "", "no memory for the chunks");
    for (size_t i = 0; i < p->point.chunks; i++)
        if ((p->kernels[i] = prepare_kernel(p, i)) == NULL)
            return failed(p);
    return !point->graph || record_graph(p) || failed(p);
}

/* --- what comes out ----------------------------------------------------------------------------------------------- */

static struct lab_expectation output_of(const struct overlap_pipeline *p)
{
    static const enum lab_content contents[] = {[OVERLAP_WAVES] = LAB_CONTENT_FLOATS_PLUS,
                                                [OVERLAP_AVERAGE] = LAB_CONTENT_AVERAGES,
                                                [OVERLAP_INCREMENT] = LAB_CONTENT_COUNTS_PLUS};
    return (struct lab_expectation){.content = contents[p->of.kernel], .seed = p->seed};
}

/* The device's arrays too: what an earlier job left there must not pass for this one's. */
bool overlap_pipeline_poison(void *context)
{
    struct overlap_pipeline *p = context;
    for (size_t i = 0; i < overlap_inputs(p->of.kernel); i++)
        if (!lab_verify_poison(p->device, p->streams[0], LAB_MEMORY_DEVICE,
                               lab_region_of(p->device_inputs[i], p->of.bytes), output_of(p)))
            return false;
    return lab_verify_poison(p->device, p->streams[0], p->of.memory, lab_region_of(p->host_output, p->of.bytes),
                             output_of(p));
}

bool overlap_pipeline_check(struct overlap_pipeline *p, struct lab_comparison *findings)
{
    return lab_verify_check(p->device, p->streams[0], p->of.memory, lab_region_of(p->host_output, p->of.bytes),
                            output_of(p), findings);
}
