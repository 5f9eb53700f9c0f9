/* overlap, measured: case by case, point by point. */
#include "calibration.h"
#include "job.h"
#include "measure/measure.h"
#include "measure/sampling.h"
#include "timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRACED_MAX = 32, CPU_SAMPLES = 10 };

struct overlap {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct overlap_job job;
    bool open;
    double sequential_s; /* median of the case; NAN before it is known */
    size_t phase_chunks; /* chunk count the phases are of; 0: none yet */
    struct overlap_phases phases;
    size_t points, done, traced;
    bool refused; /* there is no tracer */
};

/* --- reporting ---------------------------------------------------------------------------------------------------- */

static struct lab_measurement measurement_of(const struct overlap *o, const struct overlap_point *point)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = o->run->numa_node};
    overlap_point_axes(&measurement.axes, &o->job, point);
    return measurement;
}

static void report_skipped(struct overlap *o, const struct overlap_point *point, const char *reason)
{
    struct lab_measurement measurement = measurement_of(o, point);
    measurement.metric = "time";
    measurement.unit = "s";
    measurement.numa_node = LAB_UNKNOWN;
    measurement.skipped = reason;
    lab_summarise(NULL, 0, &measurement.summary);
    o->run->sink.measurement(o->run->sink.context, &measurement);
}

/* A figure that comes from few values, or one, and not from the samples of a point. */
static bool report_values(struct overlap *o, struct lab_measurement *measurement, const char *metric, const char *unit,
                          const double *values, size_t count)
{
    measurement->metric = metric;
    measurement->unit = unit;
    if (!lab_summarise(values, count, &measurement->summary))
        return lab_error_set(&o->run->error, "out-of-memory", "", "no memory for a summary");
    o->run->sink.measurement(o->run->sink.context, measurement);
    return true;
}

/* Bounds for 0, 1 and 2 copy engines, and how near the device's own the point comes. */
static bool report_bounds(struct overlap *o, const struct overlap_point *point, const struct lab_outcome *outcome)
{
    const struct overlap_phases *phases = &o->phases;
    int64_t engines = o->job.device->facts.copy_engines;
    double own = NAN;
    if (!isfinite(phases->up + phases->kernel + phases->down + phases->up_contended + phases->down_contended))
        return true;
    for (size_t count = 0; count <= 2; count++) {
        double bound = overlap_bound(&o->job, phases, count);
        if (bound < 0)
            return lab_error_set(&o->run->error, "out-of-memory", "", "no memory for the simulated schedule");
        struct lab_measurement measurement = measurement_of(o, point);
        lab_axes_number(&measurement.axes, "copy_engines", (int64_t)count);
        measurement.numa_node = LAB_UNKNOWN;
        if (!report_values(o, &measurement, "bound", "s", &bound, 1))
            return false;
        if (engines != LAB_UNKNOWN && count == (size_t)(engines > 2 ? 2 : engines))
            own = bound;
    }
    struct lab_measurement measurement = measurement_of(o, point);
    lab_measurement_from_outcome(&measurement, outcome);
    return !isfinite(own) || lab_report_outcome(o->run, &measurement, outcome, "efficiency", "1", own);
}

static bool report_point(struct overlap *o, const struct overlap_point *point, const struct lab_outcome *outcome)
{
    struct lab_measurement measurement = measurement_of(o, point);
    lab_measurement_from_outcome(&measurement, outcome);
    if (!lab_report_outcome(o->run, &measurement, outcome, "time", "s", 0))
        return false;
    if (point->variant == OVERLAP_SEQUENTIAL) {
        o->sequential_s = measurement.summary.median;
        return true;
    }
    if (isfinite(o->sequential_s) &&
        !lab_report_outcome(o->run, &measurement, outcome, "speedup", "1", o->sequential_s))
        return false;
    return point->workload.memory != LAB_MEMORY_PINNED || report_bounds(o, point, outcome);
}

/* --- what the CPU has of it --------------------------------------------------------------------------------------- */

/* Queues the job and asks for its end until it comes (asyncAPI). */
static bool poll_once(struct overlap *o, double *calls_s, double *polls)
{
    struct overlap_job *job = &o->job;
    struct lab_stream *origin = overlap_job_origin(job);
    double start = lab_now_s();
    if (!overlap_job_enqueue(job) || !job->runtime->event_record(job->device, job->dummy, origin))
        return false;
    *calls_s = lab_now_s() - start;
    *polls = 0;
    for (bool passed = false;; *polls += 1) {
        if (!job->runtime->event_query(job->device, job->dummy, &passed))
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
    struct lab_measurement measurement = measurement_of(o, point);
    return report_values(o, &measurement, "cpu_time", "s", calls_s, CPU_SAMPLES) &&
           report_values(o, &measurement, "polls", "1", polls, CPU_SAMPLES);
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
    struct lab_measurement measurement = measurement_of(o, point);
    if (point->workload.kernel != OVERLAP_WAVES)
        return true;
    if (!overlap_job_check(&o->job, &comparison)) {
        o->run->error = o->job.device->error;
        return false;
    }
    return report_values(o, &measurement, "max_error", "1", &comparison.max_error, 1);
}

/* The job's operations stay below what a latch may hold back; a longer job is its own latch. */
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
        report_skipped(o, point, outcome.unmeasurable);
        return true;
    }
    return report_point(o, point, &outcome) && measure_max_error(o, point) && measure_cpu(o, point);
}

static bool trace_point(struct overlap *o, const struct overlap_point *point)
{
    if (o->refused || point->graph)
        return true;
    if (o->traced == TRACED_MAX) {
        o->run->sink.warning(o->run->sink.context, "only the first 32 points have a timeline");
        o->refused = true;
        return true;
    }
    o->traced++;
    return overlap_trace(&o->job, point, &o->refused);
}

/* --- the points --------------------------------------------------------------------------------------------------- */

/* Makes the arrays of a case and settles its weight. */
static bool open_case(struct overlap *o, const struct overlap_workload *workload)
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

static const char *reason_to_skip(const struct overlap *o, const struct overlap_point *point)
{
    const struct overlap_job *job = &o->job;
    const char *impossible = overlap_skip_reason(point);
    if (impossible != NULL)
        return impossible;
    if (point->graph && job->runtime->graph == NULL)
        return "this device records no graphs";
    if (point->variant == OVERLAP_DEFAULT_STREAM && job->default_stream == NULL)
        return "all streams of this device are alike";
    return NULL;
}

static bool visit_point(void *context, const struct overlap_point *point)
{
    struct overlap *o = context;
    char label[96];
    if (lab_run_cancelled(o->run))
        return lab_error_set(&o->run->error, "cancelled", "", "the run was cancelled");
    snprintf(label, sizeof label, "%s%s, %zu chunks in %zu streams", o->run->tracing ? "tracing " : "",
             overlap_variants[point->variant], point->chunks, point->streams);
    o->run->sink.progress(o->run->sink.context, o->done++, o->points, label);
    if (!open_case(o, &point->workload))
        return false;
    const char *reason = reason_to_skip(o, point);
    if (reason != NULL) {
        if (!o->run->tracing)
            report_skipped(o, point, reason);
        return true;
    }
    if (!overlap_job_prepare(&o->job, point))
        return false;
    return o->run->tracing ? trace_point(o, point) : measure_point(o, point);
}

/* How often lab_measure will be called: each point, and the phases once for each chunk count of a case. */
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
