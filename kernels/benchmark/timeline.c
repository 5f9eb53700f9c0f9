/* Turns the records of the tracer into spans. */
#include "benchmark/timeline.h"

#include "benchmark/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = LAB_TRACE_KERNEL + 1 };

/* State of converting the records of one trace. */
struct tracing {
    struct lab_run *run;
    const struct lab_timeline *timeline;
    struct lab_axes axes; /* of the traced point, which all spans get */
    bool begun;
    int64_t origin_ns;     /* start of the first record */
    size_t (*seen)[KINDS]; /* number of records so far, by lane and kind */
};

static void send_record(void *context, const struct lab_trace_record *record)
{
    static const char *const kinds[KINDS] = {[LAB_TRACE_H2D] = "copy-up",
                                             [LAB_TRACE_D2H] = "copy-down",
                                             [LAB_TRACE_D2D] = "compute",
                                             [LAB_TRACE_PEER] = "copy-peer",
                                             [LAB_TRACE_KERNEL] = "compute"};
    struct tracing *tracing = context;
    struct lab_span_text text = {0};
    if (!tracing->begun)
        tracing->origin_ns = record->start_ns;
    tracing->begun = true;
    tracing->timeline->describe(tracing->timeline->context, record, tracing->seen[record->lane][record->kind]++, &text);
    tracing->run->sink.span(tracing->run->sink.context,
                            &(struct lab_span){.lane = text.lane,
                                               .kind = kinds[record->kind],
                                               .label = text.label,
                                               .start_ns = record->start_ns - tracing->origin_ns,
                                               .end_ns = record->end_ns - tracing->origin_ns,
                                               .axes = &tracing->axes});
}

static enum lab_timeline_result refuse(struct lab_run *run, const char *reason)
{
    char text[LAB_DETAIL_MAX + 32];
    snprintf(text, sizeof text, "no timeline: %s", reason);
    run->sink.warning(run->sink.context, text);
    return LAB_TIMELINE_REFUSED;
}

static enum lab_timeline_result trace(struct tracing *tracing)
{
    const struct lab_timeline *timeline = tracing->timeline;
    struct lab_device *first = timeline->lanes[0].device;
    const struct lab_runtime_trace *tracer = first->runtime->trace;
    if (tracer == NULL)
        return refuse(tracing->run, "this device's runtime has no tracer");
    if (!timeline->execute(timeline->context))
        return LAB_TIMELINE_FAILED;
    if (!tracer->begin(timeline->lanes, timeline->lane_count))
        return first->error.code == LAB_ERROR_UNSUPPORTED ? refuse(tracing->run, first->error.detail)
                                                          : LAB_TIMELINE_FAILED;
    bool executed = timeline->execute(timeline->context);
    struct lab_error error = first->error; /* ending the trace may fail too, with a less specific error */
    if (tracer->end(first, send_record, tracing) && executed)
        return LAB_TIMELINE_TRACED;
    if (!executed)
        first->error = error;
    return LAB_TIMELINE_FAILED;
}

enum lab_timeline_result lab_timeline_trace(struct lab_run *run, const struct lab_point *point,
                                            const struct lab_timeline *timeline)
{
    struct tracing tracing = {.run = run, .timeline = timeline};
    tracing.seen = calloc(timeline->lane_count, sizeof *tracing.seen);
    if (tracing.seen == NULL) {
        lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a timeline");
        return LAB_TIMELINE_FAILED;
    }
    lab_report_axes(run, point, &tracing.axes);
    enum lab_timeline_result result = trace(&tracing);
    if (result == LAB_TIMELINE_FAILED)
        run->error = timeline->lanes[0].device->error;
    free(tracing.seen);
    return result;
}
