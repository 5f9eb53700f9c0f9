/* Measures, or traces, all points of an overlap run. */
#include "report.h"
#include "timeline.h"

#include "experiment/parameters.h"
#include "measure/sampling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRACED_MAX = 32, CPU_SAMPLES = 10 };

struct overlap {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct overlap_job job;
    bool open;           /* `job` is open */
    double sequential_s; /* median time of the workload's sequential point; NAN until it has been measured */
    size_t phase_chunks; /* the number of chunks for which `phases` was measured; 0 if not yet measured */
    struct overlap_phases phases;
    size_t points, done, traced;
    bool refused; /* tracing was refused or its limit was reached: no further point is traced */
};

/* --- CPU time and polls ------------------------------------------------------------------------------------------- */

/* Queues the job and polls an event until it has completed, as the asyncAPI sample does. */
static bool poll_once(struct overlap *o, double *calls_s, double *polls)
{
    struct overlap_job *job = &o->job;
    struct lab_stream *origin = overlap_job_origin(job);
    double start = lab_now_s();
    if (!overlap_job_enqueue(job) || !job->runtime->event_record(job->device, job->marker, origin))
        return false;
    *calls_s = lab_now_s() - start;
    *polls = 0;
    for (bool passed = false;; *polls += 1) {
        if (!job->runtime->event_query(job->device, job->marker, &passed))
            return false;
        if (passed)
            return true;
    }
}

static bool measure_cpu(struct overlap *o, const struct overlap_point *point)
{
    double calls_s[CPU_SAMPLES], polls[CPU_SAMPLES];
    for (size_t i = 0; i < CPU_SAMPLES; i++)
        if (!poll_once(o, &calls_s[i], &polls[i])) {
            o->run->error = o->job.device->error;
            return false;
        }
    return overlap_report_values(&o->job, point, "cpu_time", "s", calls_s, CPU_SAMPLES) &&
           overlap_report_values(&o->job, point, "polls", "1", polls, CPU_SAMPLES);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool verify(void *context, uint64_t *wrong)
{
    struct lab_comparison comparison;
    bool good = overlap_job_check(context, &comparison);
    *wrong = comparison.wrong;
    return good;
}

static bool measure_max_error(struct overlap *o, const struct overlap_point *point)
{
    struct lab_comparison comparison;
    if (point->workload.kernel != OVERLAP_WAVES)
        return true;
    if (!overlap_job_check(&o->job, &comparison)) {
        o->run->error = o->job.device->error;
        return false;
    }
    return overlap_report_values(&o->job, point, "max_error", "1", &comparison.max_error, 1);
}

/* A latch is used only if all operations of the job can be queued behind the closed latch. A job with more operations
 * needs no latch, because queueing it takes less time than running it. */
static enum lab_timing timing_of(const struct overlap *o, const struct overlap_point *point)
{
    if (point->workload.memory == LAB_MEMORY_PAGEABLE)
        return LAB_TIME_HOST_CLOCK;
    bool fits = point->graph || overlap_operation_count(&o->job) <= 192;
    return fits && point->variant != OVERLAP_DEFAULT_STREAM ? LAB_TIME_LATCHED : LAB_TIME_EVENTS;
}

static bool measure_point(struct overlap *o, const struct overlap_point *point)
{
    struct overlap_job *job = &o->job;
    struct lab_outcome outcome;
    if (point->workload.memory == LAB_MEMORY_PINNED && point->variant != OVERLAP_SEQUENTIAL &&
        o->phase_chunks != point->chunks) {
        if (!overlap_measure_phases(job, o->measurer, &o->phases))
            return false;
        o->phase_chunks = point->chunks;
    }
    const struct lab_lane lane = {job->device, overlap_job_origin(job)};
    struct lab_work work = {
        .timing = timing_of(o, point),
        .lane_count = 1,
        .lanes = &lane,
        .operations = point->graph ? 1 : overlap_operation_count(job),
        .context = job,
        .enqueue = overlap_job_enqueue,
        .poison = overlap_job_poison,
        .verify = verify,
    };
    if (!lab_measure(o->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable != NULL) {
        overlap_report_skipped(&o->job, point, outcome.unmeasurable);
        return true;
    }
    return overlap_report_outcome(job, point, &outcome, &o->phases, &o->sequential_s) && measure_max_error(o, point) &&
           measure_cpu(o, point);
}

static bool trace_point(struct overlap *o, const struct overlap_point *point)
{
    if (o->refused || point->graph)
        return true;
    if (o->traced == TRACED_MAX) {
        o->run->sink.note(o->run->sink.context, "only the first 32 points have a timeline");
        o->refused = true;
        return true;
    }
    o->traced++;
    return overlap_trace(&o->job, point, &o->refused);
}

/* --- the points --------------------------------------------------------------------------------------------------- */

/* Opens the job of a workload, unless it is open, and sets the kernel weight. */
static bool open_workload(struct overlap *o, const struct overlap_workload *workload)
{
    struct overlap_job *job = &o->job;
    int64_t weight = lab_parameter_integer(o->run->parameters, "weight");
    if (o->open && job->workload.bytes == workload->bytes && job->workload.memory == workload->memory &&
        job->workload.kernel == workload->kernel)
        return true;
    overlap_job_close(job);
    o->sequential_s = NAN;
    o->phase_chunks = 0;
    o->open = overlap_job_open(job, o->run, workload);
    if (!o->open || workload->kernel != OVERLAP_WAVES)
        return o->open;
    if (weight != 0) {
        job->weight = (uint32_t)weight;
        return true;
    }
    return overlap_balance_weight(job, o->measurer);
}

static const char *skip_reason(const struct overlap *o, const struct overlap_point *point)
{
    const struct overlap_job *job = &o->job;
    const char *reason = overlap_skip_reason(point);
    if (reason != NULL)
        return reason;
    if (point->graph && job->runtime->graph == NULL)
        return "this device's runtime does not support graphs";
    if (point->variant == OVERLAP_DEFAULT_STREAM && job->default_stream == NULL)
        return "this device's runtime has no default stream";
    return NULL;
}

static bool visit_point(void *context, const struct overlap_point *point)
{
    struct overlap *o = context;
    char label[96];
    if (lab_run_cancelled(o->run))
        return lab_error_set(&o->run->error, "cancelled", "", "the run was cancelled");
    snprintf(label, sizeof label, "%s%s, %zu chunk%s in %zu stream%s", o->run->tracing ? "tracing " : "",
             overlap_variants[point->variant], point->chunks, point->chunks != 1 ? "s" : "", point->streams,
             point->streams != 1 ? "s" : "");
    o->run->sink.progress(o->run->sink.context, o->done++, o->points, label);
    if (!open_workload(o, &point->workload))
        return false;
    const char *reason = skip_reason(o, point);
    if (reason != NULL) {
        if (!o->run->tracing)
            overlap_report_skipped(&o->job, point, reason);
        return true;
    }
    if (!overlap_job_prepare(&o->job, point))
        return false;
    return o->run->tracing ? trace_point(o, point) : measure_point(o, point);
}

/* Numbers of points and of calls to lab_measure, which is called once per point and, for the phases,
 * OVERLAP_PHASE_POINTS times per workload and number of chunks. `chunks`: that of the previous point, 0 after a
 * sequential one. */
struct count {
    size_t points, measured, chunks;
};

static bool count_point(void *context, const struct overlap_point *point)
{
    struct count *count = context;
    count->points++;
    count->measured++;
    if (point->workload.memory == LAB_MEMORY_PINNED && point->variant != OVERLAP_SEQUENTIAL &&
        point->chunks != count->chunks)
        count->measured += OVERLAP_PHASE_POINTS;
    count->chunks = point->variant == OVERLAP_SEQUENTIAL ? 0 : point->chunks;
    return true;
}

bool overlap_run(struct lab_run *run)
{
    struct overlap o = {.run = run};
    struct count count = {0};
    overlap_each_point(run->parameters, count_point, &count);
    o.points = count.points;
    o.measurer = lab_measurer_create(run, count.measured);
    if (o.measurer == NULL)
        return false;
    bool good = overlap_each_point(run->parameters, visit_point, &o);
    if (good)
        run->sink.progress(run->sink.context, o.points, o.points, "done");
    overlap_job_close(&o.job);
    lab_measurer_release(o.measurer);
    return good;
}
