/* Turns the records of the tracer into spans, one lane per stream. */
#include "timeline.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

/* State of converting the records of one trace. */
struct tracing {
    struct overlap_job *job;
    struct lab_axes axes;
    bool begun;
    int64_t origin_ns;                   /* start of the first record */
    size_t seen[OVERLAP_STREAMS_MAX][3]; /* number of records so far, by stream and engine */
};

/* The chunk of an operation, from its `number` within its stream and engine: chunk i runs in stream i modulo the number
 * of streams. */
static size_t chunk_of(const struct overlap_job *job, size_t stream, enum lab_engine engine, size_t number)
{
    size_t each = engine == LAB_ENGINE_H2D ? overlap_inputs(job->workload.kernel) : 1;
    return number / each * job->point.streams + stream;
}

static void write_label(char *label, size_t size, size_t chunk, uint64_t bytes)
{
    if (bytes == 0)
        snprintf(label, size, "chunk %zu", chunk + 1);
    else if (bytes >= 1048576)
        snprintf(label, size, "chunk %zu · %.4g MiB", chunk + 1, (double)bytes / 1048576);
    else
        snprintf(label, size, "chunk %zu · %.4g KiB", chunk + 1, (double)bytes / 1024);
}

static void send_record(void *context, const struct lab_trace_record *record)
{
    static const enum lab_engine engines[] = {[LAB_TRACE_H2D] = LAB_ENGINE_H2D,
                                              [LAB_TRACE_D2H] = LAB_ENGINE_D2H,
                                              [LAB_TRACE_D2D] = LAB_ENGINE_COMPUTE,
                                              [LAB_TRACE_PEER] = LAB_ENGINE_COMPUTE,
                                              [LAB_TRACE_KERNEL] = LAB_ENGINE_COMPUTE};
    static const char *const kinds[] = {
        [LAB_ENGINE_H2D] = "copy-up", [LAB_ENGINE_COMPUTE] = "compute", [LAB_ENGINE_D2H] = "copy-down"};
    struct tracing *tracing = context;
    struct lab_run *run = tracing->job->run;
    enum lab_engine engine = engines[record->kind];
    size_t number = tracing->seen[record->lane][engine]++;
    char lane[32], label[64];
    if (!tracing->begun)
        tracing->origin_ns = record->start_ns;
    tracing->begun = true;
    snprintf(lane, sizeof lane, "stream %zu", record->lane + 1);
    write_label(label, sizeof label, chunk_of(tracing->job, record->lane, engine, number), record->bytes);
    run->sink.span(run->sink.context, &(struct lab_span){.lane = lane,
                                                         .kind = kinds[engine],
                                                         .label = label,
                                                         .start_ns = record->start_ns - tracing->origin_ns,
                                                         .end_ns = record->end_ns - tracing->origin_ns,
                                                         .axes = &tracing->axes});
}

/* Warns that there is no timeline, with the reason, and sets *refused. Returns true: the run continues. */
static bool refuse(struct overlap_job *job, const char *reason, bool *refused)
{
    char text[LAB_DETAIL_MAX + 32];
    snprintf(text, sizeof text, "no timeline: %s", reason);
    job->run->sink.warning(job->run->sink.context, text);
    *refused = true;
    return true;
}

/* Runs the job twice and traces the second one, because the first launches in a process are slower. */
bool overlap_trace(struct overlap_job *job, const struct overlap_point *point, bool *refused)
{
    const struct lab_runtime_trace *trace = job->runtime->trace;
    struct lab_stream *origin = overlap_job_origin(job);
    struct lab_stream *const *streams = point->variant == OVERLAP_DEFAULT_STREAM ? &job->default_stream : job->streams;
    struct tracing tracing = {.job = job};
    if (trace == NULL)
        return refuse(job, "this device's runtime has no tracer", refused);
    overlap_point_axes(&tracing.axes, job, point);
    if (!overlap_job_enqueue(job) || !job->runtime->stream_synchronize(job->device, origin))
        goto fail;
    struct lab_lane lanes[OVERLAP_STREAMS_MAX];
    for (size_t i = 0; i < point->streams; i++)
        lanes[i] = (struct lab_lane){job->device, streams[i]};
    if (!trace->begin(lanes, point->streams)) {
        if (strcmp(job->device->error.code, "unsupported") == 0)
            return refuse(job, job->device->error.detail, refused);
        goto fail;
    }
    bool queued = overlap_job_enqueue(job);
    if (trace->end(job->device, send_record, &tracing) && queued)
        return true;
fail:
    job->run->error = job->device->error;
    return false;
}
