/* Measures, or traces, all points of a scaling run. */
#include "job.h"
#include "measure/measure.h"
#include "measure/sampling.h"
#include "report.h"
#include "timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRACED_MAX = 32, PHASE_JOBS_MIN = 3 };

static const double phases_budget_s = 0.25;

struct scaling {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct scaling_point point; /* the point that `job` was opened for; device_count 0 if none */
    struct scaling_job job;
    char refusal[LAB_DETAIL_MAX];     /* why the job cannot run on these devices; "" if it can */
    uint32_t weight;                  /* of the kernel pairs; 0 if not yet calibrated */
    double alone_s[SCALING_VARIANTS]; /* median times of the workload on one device, by variant; NAN until measured */
    size_t points, done, traced;
    bool refused; /* tracing was refused or its limit was reached: no further point is traced */
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool cancelled(struct scaling *s)
{
    if (!lab_run_cancelled(s->run))
        return false;
    lab_error_set(&s->run->error, "cancelled", "", "the run was cancelled");
    return true;
}

/* Measures and reports the phase times: runs at least PHASE_JOBS_MIN jobs, and more until phases_budget_s is used
 * up. */
static bool measure_phases(struct scaling *s, const struct scaling_point *point)
{
    struct scaling_phases phases = {.stop_reason = "sample-limit"};
    double end_s = lab_now_s() + phases_budget_s;
    while (phases.jobs < SCALING_PHASE_JOBS_MAX) {
        if (phases.jobs >= PHASE_JOBS_MIN && lab_now_s() >= end_s) {
            phases.stop_reason = "budget";
            break;
        }
        if (cancelled(s) || !scaling_job_run_timed(&s->job, phases.seconds[phases.jobs]))
            return false;
        phases.jobs++;
    }
    return scaling_report_phases(s->run, point, s->weight, &phases);
}

static bool measure_point(struct scaling *s, const struct scaling_point *point)
{
    struct scaling_job *job = &s->job;
    struct lab_outcome outcome;
    const struct lab_work work = {
        .timing = LAB_TIME_HOST_CLOCK,
        .lane_count = job->part_count,
        .lanes = job->lanes,
        .operations = job->part_count * (SCALING_INPUTS + 2),
        .context = job,
        .enqueue = scaling_job_enqueue,
        .poison = scaling_job_poison,
        .verify = scaling_job_verify,
    };
    if (!lab_measure(s->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable != NULL) {
        scaling_report_skipped(s->run, point, s->weight, outcome.unmeasurable);
        return true;
    }
    return scaling_report_outcome(s->run, point, s->weight, &outcome, &s->alone_s[point->variant]) &&
           measure_phases(s, point);
}

static bool trace_point(struct scaling *s, const struct scaling_point *point)
{
    if (s->refused)
        return true;
    if (s->traced == TRACED_MAX) {
        s->run->sink.note(s->run->sink.context, "only the first 32 points have a timeline");
        s->refused = true;
        return true;
    }
    s->traced++;
    return scaling_trace(&s->job, point, &s->refused);
}

/* --- the job of a point ------------------------------------------------------------------------------------------- */

static bool same_array(const struct scaling_point *a, const struct scaling_point *b)
{
    return a->workload.bytes == b->workload.bytes && a->workload.memory == b->workload.memory &&
           a->workload.kernel == b->workload.kernel;
}

/* If the run's error is that the job is unsupported, moves it to s->refusal, so that the points of the job are skipped,
 * and returns true. Returns false for other errors, which end the run. */
static bool keep_refusal(struct scaling *s)
{
    if (strcmp(s->run->error.code, "unsupported") != 0)
        return false;
    snprintf(s->refusal, sizeof s->refusal, "%s", s->run->error.detail);
    s->run->error = (struct lab_error){0};
    return true;
}

static bool choose_weight(struct scaling *s, const struct scaling_point *point)
{
    s->weight = (uint32_t)lab_parameter_integer(s->run->parameters, "weight");
    return s->weight > 0 || point->workload.kernel != SCALING_PAIRS ||
           scaling_find_weight(s->run, &point->workload, &s->weight);
}

/* Opens the job of a point, unless the open one differs only in the variant. */
static bool open_job(struct scaling *s, const struct scaling_point *point)
{
    bool new_array = s->point.device_count == 0 || !same_array(&s->point, point);
    bool new_workload = new_array || s->point.workload.weak != point->workload.weak;
    if (!new_workload && s->point.device_count == point->device_count)
        return true;
    scaling_job_close(&s->job);
    s->point = *point;
    s->refusal[0] = '\0';
    if (new_array)
        s->weight = 0;
    for (size_t i = 0; new_workload && i < SCALING_VARIANTS; i++)
        s->alone_s[i] = NAN;
    return ((s->weight > 0 || choose_weight(s, point)) &&
            scaling_job_open(&s->job, s->run, &point->workload, point->device_count, s->weight)) ||
           keep_refusal(s);
}

static bool visit_point(void *context, const struct scaling_point *point)
{
    struct scaling *s = context;
    char label[128];
    if (cancelled(s))
        return false;
    snprintf(label, sizeof label, "%s%s, %s scaling on %zu device%s, %s", s->run->tracing ? "tracing " : "",
             scaling_kernels[point->workload.kernel], scaling_modes[point->workload.weak], point->device_count,
             point->device_count > 1 ? "s" : "", scaling_variants[point->variant]);
    s->run->sink.progress(s->run->sink.context, s->done++, s->points, label);
    if (!open_job(s, point))
        return false;
    if (s->refusal[0] != '\0') {
        if (!s->run->tracing)
            scaling_report_skipped(s->run, point, s->weight, s->refusal);
        return true;
    }
    if (!scaling_job_set_variant(&s->job, point->variant))
        return false;
    return s->run->tracing ? trace_point(s, point) : measure_point(s, point);
}

static bool count_point(void *context, const struct scaling_point *point)
{
    (void)point;
    ++*(size_t *)context;
    return true;
}

bool scaling_run(struct lab_run *run)
{
    struct scaling s = {.run = run};
    scaling_each_point(run->parameters, run->device_count, count_point, &s.points);
    s.measurer = lab_measurer_create(run, s.points);
    if (s.measurer == NULL)
        return false;
    bool good = scaling_each_point(run->parameters, run->device_count, visit_point, &s);
    if (good)
        run->sink.progress(run->sink.context, s.points, s.points, "done");
    scaling_job_close(&s.job);
    lab_measurer_release(s.measurer);
    return good;
}
