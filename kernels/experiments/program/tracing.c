#include "tracing.h"

#include "descriptor/results.h"
#include "trace/findings.h"
#include "trace/missing.h"
#include "trace/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the tracer --------------------------------------------------------------------------------------------------- */

static bool has_cuda(const struct lab_run *run)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (strcmp(run->facts[i]->backend, "cuda") == 0)
            return true;
    return false;
}

bool program_tracer_find(struct lab_tracer *tracer, const struct lab_run *run)
{
    if (!has_cuda(run) || lab_tracer_find(tracer))
        return has_cuda(run);
    run->sink.note(run->sink.context,
                   "no timeline and no hardware counters: this build has no gpulab-trace.so, because "
                   "it was built without CUPTI");
    return false;
}

/* --- the report --------------------------------------------------------------------------------------------------- */

static void send_span(void *context, const struct lab_trace_span *span)
{
    const struct lab_run *run = context;
    static const struct lab_axes no_axes;
    const struct lab_span sent = {.lane = span->lane,
                                  .kind = span->kind,
                                  .label = span->label,
                                  .start_ns = span->start_ns,
                                  .end_ns = span->end_ns,
                                  .axes = &no_axes,
                                  .details = span->details};
    run->sink.span(run->sink.context, &sent);
}

static void send_note(void *context, const char *text)
{
    const struct lab_run *run = context;
    run->sink.note(run->sink.context, text);
}

/* The finished trace of an execution, for free_trace; NULL when out of memory. */
static struct lab_trace *make_trace(const char *records, size_t size)
{
    struct lab_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return NULL;
    lab_trace_init(trace, LAB_TRACE_RECORDS_MAX);
    lab_trace_read(trace, records, size);
    if (lab_trace_finish(trace))
        return trace;
    lab_trace_release(trace);
    free(trace);
    return NULL;
}

static void free_trace(struct lab_trace *trace)
{
    if (trace != NULL)
        lab_trace_release(trace);
    free(trace);
}

void program_trace_report(const struct lab_run *run, const char *records, size_t size, int signal, int64_t ended_ns)
{
    struct lab_trace *trace = make_trace(records, size);
    if (trace != NULL) {
        double link = run->facts[0]->pcie_peak_bytes_per_s / 1e9;
        json_t *findings = lab_trace_findings(trace, isfinite(link) ? link : 0);
        lab_trace_timeline(trace, send_span, (void *)run);
        if (findings != NULL && lab_findings_check(findings, &(struct lab_error){0}))
            run->sink.findings(run->sink.context, findings);
        json_decref(findings);
        lab_trace_missing(trace, (struct lab_trace_ending){signal, ended_ns}, send_note, (void *)run);
    }
    free_trace(trace);
}

bool program_trace_count(struct program_counting *counting, const struct lab_run *run, const char *records, size_t size,
                         struct lab_error *error)
{
    struct lab_trace *trace = make_trace(records, size);
    bool first = counting->passes == 0;
    bool good = trace != NULL ? program_counting_add(counting, trace, error)
                              : lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
    if (good && first)
        lab_trace_missing(trace, (struct lab_trace_ending){0}, send_note, (void *)run);
    free_trace(trace);
    return good;
}
