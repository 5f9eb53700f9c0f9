/* Measures or traces a point of overlap: prepares its job, reports bounds, CPU time and polls. */
#include "job.h"

#include "benchmark/loop.h"
#include "benchmark/series.h"
#include "core/text.h"
#include "descriptor/parameters.h"
#include "measure/clock.h"

#include <math.h>
#include <stdio.h>

/* Simulated timelines of a run, and operations of each: pictures to look at. */
enum { SIMULATED_MAX = 16, SIMULATED_OPERATIONS_MAX = 256 };

struct overlap {
    struct lab_run *run;
    struct overlap_workload workload;
    struct overlap_job baseline, job;
    struct lab_work baseline_work;
    struct lab_lane baseline_lane, lanes[OVERLAP_STREAMS_MAX]; /* lanes: of the job, its origin first */
    size_t phase_chunks; /* the number of chunks for which `phases` was measured; 0 if not yet measured */
    struct overlap_phases phases;
    size_t simulated; /* points that have had simulated timelines, or were beyond SIMULATED_MAX */
    double cpu_time[LAB_SERIES_MAX], polls[LAB_SERIES_MAX];
};

/* --- the workload and the job of a point -------------------------------------------------------------------------- */

static void close_workload(struct overlap *o)
{
    overlap_job_release(&o->baseline);
    overlap_workload_close(&o->workload);
}

static struct lab_work work_of(struct overlap_job *job, struct lab_lane *lane)
{
    *lane = (struct lab_lane){job->workload->device, overlap_job_origin(job)};
    return (struct lab_work){
        .timing = overlap_job_timing(job),
        .lane_count = 1,
        .lanes = lane,
        .operations = job->graph != NULL ? 1 : job->operation_count,
        .context = job,
        .enqueue = overlap_job_enqueue,
        .poison = overlap_job_poison,
        .verify = overlap_job_verify,
    };
}

/* Sets the weight of an open workload: the given one, or that which calibration finds. */
static bool set_weight(struct overlap_workload *w, struct lab_measurer *measurer)
{
    int64_t weight = lab_parameter_integer(w->run->parameters, "weight");
    if (w->arrays.shape.kernel != &lab_offload_waves)
        return true;
    if (weight == 0)
        return overlap_balance_weight(w, measurer);
    w->weight = (uint32_t)weight;
    return true;
}

/* Opens the workload of a point, unless it is open, with its weight and its baseline. */
static bool open_workload(struct overlap *o, const struct lab_point *point, struct lab_measurer *measurer)
{
    const struct lab_offload_shape shape = overlap_shape(point);
    struct overlap_workload *w = &o->workload;
    if (w->run != NULL && lab_offload_same(&w->arrays.shape, &shape))
        return true;
    close_workload(o);
    o->phase_chunks = 0;
    if (!overlap_workload_open(w, o->run, point) || !set_weight(w, measurer) ||
        !overlap_job_prepare_sequential(&o->baseline, w, OVERLAP_BASELINE_OFFSET)) {
        close_workload(o);
        return false;
    }
    o->baseline_work = work_of(&o->baseline, &o->baseline_lane);
    return true;
}

static const char *skip_reason(const struct overlap *o, const struct lab_point *point)
{
    const struct overlap_workload *w = &o->workload;
    bool graph = point->values[OVERLAP_AXIS_REPLAY] == OVERLAP_GRAPH;
    bool default_stream = point->values[OVERLAP_AXIS_VARIANT] == OVERLAP_DEFAULT_STREAM;
    if (point->values[OVERLAP_AXIS_STREAMS] > point->values[OVERLAP_AXIS_CHUNKS])
        return "more streams than chunks: some streams would be empty";
    if (graph && default_stream)
        return "the default stream cannot be captured as a graph";
    if (graph && w->arrays.shape.memory == LAB_MEMORY_PAGEABLE)
        return "copies of pageable memory cannot be captured as a graph";
    if (graph && w->runtime->graph == NULL)
        return "this device's runtime does not support graphs";
    if (default_stream && w->default_stream == NULL)
        return "this device's runtime has no default stream";
    return NULL;
}

static bool measure_phases(struct overlap *o, const struct lab_point *point, struct lab_measurer *measurer)
{
    if (o->run->tracing || !overlap_has_phases(point) || o->phase_chunks == o->job.chunks)
        return true;
    o->phase_chunks = o->job.chunks;
    return overlap_measure_phases(&o->job, point, measurer, &o->phases);
}

static bool overlap_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct overlap *o = context;
    if (!open_workload(o, point, c->measurer))
        return false;
    if (point->values[OVERLAP_AXIS_KERNEL] == OVERLAP_WAVES)
        point->values[OVERLAP_AXIS_WEIGHT] = o->workload.weight;
    const char *reason = skip_reason(o, point);
    if (reason != NULL) {
        snprintf(c->skipped, sizeof c->skipped, "%s", reason);
        return true;
    }
    if (!overlap_job_prepare(&o->job, &o->workload, point, 0) || !measure_phases(o, point, c->measurer))
        return false;
    c->work = work_of(&o->job, o->lanes);
    c->numa_node = &o->workload.run->numa_node;
    if (o->job.variant != OVERLAP_SEQUENTIAL) {
        c->work.baseline = &o->baseline_work;
        c->counts[LAB_COUNT_BASELINE] = 1;
    }
    return true;
}

static void overlap_end(void *context)
{
    struct overlap *o = context;
    overlap_job_release(&o->job);
}

/* --- CPU time and polls ------------------------------------------------------------------------------------------- */

/* Queues the job and polls an event until it has completed, as the asyncAPI sample does. */
static bool poll_once(struct overlap *o, double *calls_s, double *polls)
{
    const struct overlap_workload *w = &o->workload;
    double start = lab_now_s();
    if (!overlap_job_enqueue(&o->job) || !w->runtime->event_record(w->device, w->marker, overlap_job_origin(&o->job)))
        return false;
    *calls_s = lab_now_s() - start;
    *polls = 0;
    for (bool passed = false;; *polls += 1) {
        if (!w->runtime->event_query(w->device, w->marker, &passed))
            return false;
        if (passed)
            return true;
    }
}

static bool poll_job(void *context, size_t index)
{
    struct overlap *o = context;
    if (poll_once(o, &o->cpu_time[index], &o->polls[index]))
        return true;
    o->run->error = o->workload.device->error;
    return false;
}

static bool report_cpu(struct overlap *o, struct lab_measurer *measurer, const struct lab_report *report)
{
    struct lab_series series;
    if (!lab_series_take(o->run, measurer, poll_job, o, &series))
        return false;
    if (series.skipped != NULL) {
        lab_report_skipped(report, "cpu_time", series.skipped);
        lab_report_skipped(report, "polls", series.skipped);
        return true;
    }
    return lab_report_samples(report, "cpu_time", o->cpu_time, series.count, series.stop_reason) &&
           lab_report_samples(report, "polls", o->polls, series.count, series.stop_reason);
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

static bool has_all(const struct overlap_phases *phases)
{
    for (enum lab_engine engine = LAB_ENGINE_H2D; engine <= LAB_ENGINE_D2H; engine++)
        if (isnan(phases->alone[engine]) || isnan(phases->contended[engine]))
            return false;
    return true;
}

/* Reports the bounds for 0, 1 and 2 copy engines, and the efficiency with that for the device's number of copy
 * engines. */
static bool report_bounds(struct overlap *o, const struct lab_report *report)
{
    int64_t engines = o->workload.device->facts.copy_engines;
    for (int64_t count = 0; count <= 2; count++) {
        struct lab_point assumed = *report->point;
        double bound = overlap_bound(&o->job, &o->phases, (size_t)count);
        assumed.values[OVERLAP_AXIS_COPY_ENGINES] = count;
        if (bound < 0)
            return lab_error_set(&o->run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                                 "out of memory for the simulated schedule");
        if (!lab_report_value(&(struct lab_report){.run = o->run, .point = &assumed}, "bound", bound) ||
            (count == (engines > 2 ? 2 : engines) && !lab_report_rate(report, "efficiency", bound, NULL)))
            return false;
    }
    return true;
}

/* Whether the job has simulated timelines: only the first of many, and none in a comparison, where nothing is
 * traced. */
static bool is_simulated(struct overlap *o)
{
    return o->run->side == NULL && o->job.variant != OVERLAP_SEQUENTIAL && o->job.graph == NULL &&
           o->job.operation_count <= SIMULATED_OPERATIONS_MAX && o->simulated++ < SIMULATED_MAX;
}

static bool overlap_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct overlap *o = context;
    struct lab_report besides = *report; /* of figures that are not computed from the point's samples */
    besides.outcome = NULL;
    bool known = overlap_has_phases(report->point) && has_all(&o->phases);
    return (!known || report_bounds(o, report)) &&
           (!known || !is_simulated(o) || overlap_report_simulated(&o->job, &o->phases, report->point)) &&
           (report->point->values[OVERLAP_AXIS_KERNEL] != OVERLAP_WAVES ||
            lab_report_value(&besides, "max_error", o->job.max_error)) &&
           report_cpu(o, c->measurer, &besides);
}

/* --- timeline ----------------------------------------------------------------------------------------------------- */

static bool overlap_execute(void *context)
{
    struct overlap *o = context;
    return overlap_job_enqueue(&o->job) &&
           o->workload.runtime->stream_synchronize(o->workload.device, overlap_job_origin(&o->job));
}

/* Chunk i runs in stream i modulo the number of streams, and has as many copies in as the kernel has inputs. */
static void overlap_describe(void *context, const struct lab_trace_record *record, size_t number,
                             struct lab_span_text *text)
{
    const struct overlap *o = context;
    size_t each = record->kind == LAB_TRACE_H2D ? o->workload.arrays.shape.kernel->inputs : 1;
    overlap_describe_chunk(text, record->lane, number / each * o->job.streams + record->lane, record->bytes);
}

/* A graph has no timeline: the tracer reports its operations without their streams. */
static bool overlap_trace(void *context, const struct lab_point *point, struct lab_timeline *timeline)
{
    struct overlap *o = context;
    if (point->values[OVERLAP_AXIS_REPLAY] == OVERLAP_GRAPH)
        return false;
    for (size_t i = 1; i < o->job.streams; i++)
        o->lanes[i] = (struct lab_lane){o->workload.device, o->workload.streams[i]};
    *timeline = (struct lab_timeline){o, o->job.streams, o->lanes, overlap_execute, overlap_describe};
    return true;
}

static bool overlap_renew(void *context)
{
    close_workload(context);
    return true;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

bool overlap_run(struct lab_run *run)
{
    struct overlap o = {.run = run};
    struct lab_loop loop = {.begin = overlap_begin,
                            .report = overlap_report,
                            .trace = overlap_trace,
                            .end = overlap_end,
                            .renew = overlap_renew};
    struct lab_points points;
    if (!lab_loop_points(run, &points))
        return false;
    for (size_t i = 0; i < points.count; i++)
        loop.extra_points += overlap_phase_points(&points, i);
    lab_points_release(&points);
    bool good = lab_loop_run(run, &loop, &o);
    close_workload(&o);
    return good;
}
