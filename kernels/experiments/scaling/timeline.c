/* Turns the records of the tracer into spans, one lane per device. */
#include "timeline.h"

#include "experiment/parameters.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* State of converting the records of one trace. */
struct tracing {
    struct scaling_job *job;
    struct lab_axes axes; /* the axes of the traced point, which all spans get */
    bool begun;
    int64_t origin_ns;               /* start of the first record */
    size_t ups[LAB_RUN_DEVICES_MAX]; /* number of copies in so far, by device */
};

static void write_size(char *text, size_t size, uint64_t bytes)
{
    if (bytes >= 1048576)
        snprintf(text, size, "%.4g MiB", (double)bytes / 1048576);
    else
        snprintf(text, size, "%.4g KiB", (double)bytes / 1024);
}

static void write_label(char *label, size_t size, const struct scaling_job *job, const struct lab_trace_record *record,
                        size_t ups)
{
    static const char *const inputs[][SCALING_INPUTS] = {
        [SCALING_PAIRS] = {"elements", "partners"}, [SCALING_AVERAGE] = {"first input", "second input"}};
    char bytes[32];
    write_size(bytes, sizeof bytes, record->bytes);
    if (record->kind == LAB_TRACE_H2D)
        snprintf(label, size, "%s · %s", inputs[job->workload.kernel][ups % SCALING_INPUTS], bytes);
    else if (record->kind == LAB_TRACE_D2H)
        snprintf(label, size, "results · %s", bytes);
    else if (job->workload.kernel == SCALING_PAIRS)
        snprintf(label, size, "pairs · %" PRIu32 " partners", job->weight);
    else
        snprintf(label, size, "%s", scaling_kernels[job->workload.kernel]);
}

static const char *kind_of(enum lab_trace_kind kind)
{
    return kind == LAB_TRACE_H2D ? "copy-up" : kind == LAB_TRACE_D2H ? "copy-down" : "compute";
}

static void send_record(void *context, const struct lab_trace_record *record)
{
    struct tracing *tracing = context;
    struct lab_run *run = tracing->job->run;
    char lane[32], label[64];
    if (!tracing->begun)
        tracing->origin_ns = record->start_ns;
    tracing->begun = true;
    snprintf(lane, sizeof lane, "device %zu", record->lane + 1);
    write_label(label, sizeof label, tracing->job, record, tracing->ups[record->lane]);
    tracing->ups[record->lane] += record->kind == LAB_TRACE_H2D;
    run->sink.span(run->sink.context, &(struct lab_span){.lane = lane,
                                                         .kind = kind_of(record->kind),
                                                         .label = label,
                                                         .start_ns = record->start_ns - tracing->origin_ns,
                                                         .end_ns = record->end_ns - tracing->origin_ns,
                                                         .axes = &tracing->axes});
}

/* Warns that there is no timeline, with the reason, and sets *refused. Returns true: the run continues. */
static bool refuse(struct scaling_job *job, const char *reason, bool *refused)
{
    char text[LAB_DETAIL_MAX + 32];
    snprintf(text, sizeof text, "no timeline: %s", reason);
    job->run->sink.warning(job->run->sink.context, text);
    *refused = true;
    return true;
}

/* Runs the job twice and traces the second one, because the first launches in a process are slower. */
bool scaling_trace(struct scaling_job *job, const struct scaling_point *point, bool *refused)
{
    const struct lab_runtime_trace *trace = job->runtime->trace;
    struct lab_device *first = job->parts[0].device;
    struct tracing tracing = {.job = job};
    if (trace == NULL)
        return refuse(job, "this device's runtime has no tracer", refused);
    /* A calibrated weight may differ from that of the measured attempt, so it is not an axis here; the labels of the
     * spans show it. */
    bool given = lab_parameter_integer(job->run->parameters, "weight") > 0;
    scaling_point_axes(&tracing.axes, point, given ? job->weight : 0);
    if (!scaling_job_run(job))
        return false;
    if (!trace->begin(job->lanes, job->part_count)) {
        if (strcmp(first->error.code, "unsupported") == 0)
            return refuse(job, first->error.detail, refused);
        job->run->error = first->error;
        return false;
    }
    bool good = scaling_job_run(job);
    if (!trace->end(first, send_record, &tracing) && good) {
        job->run->error = first->error;
        good = false;
    }
    return good;
}
