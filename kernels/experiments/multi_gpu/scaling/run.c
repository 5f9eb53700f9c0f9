/* Measures or traces a point of scaling: prepares its job and the baseline on one device, reports phases and
 * imbalance. */
#include "job.h"

#include "benchmark/loop.h"
#include "benchmark/series.h"
#include "core/text.h"
#include "descriptor/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct scaling {
    struct lab_run *run;
    double target_s; /* what a calibrated job takes on one device */

    uint32_t weight;                  /* of the kernel pairs; 0 if not yet known */
    struct scaling_job alone, shared; /* on one device, which is the baseline; on all devices of the point */
    struct scaling_job *job;          /* that of the point: `alone` or `shared` */
    struct lab_work baseline;
    double seconds[LAB_SERIES_MAX][LAB_RUN_DEVICES_MAX][SCALING_PHASES]; /* of the jobs whose phases are timed */
};

/* --- the jobs of a point ------------------------------------------------------------------------------------------ */

/* Whether a job is open that has the arrays of the point on `device_count` devices. */
static bool is_open(const struct scaling_job *job, const struct scaling_workload *workload, size_t device_count)
{
    return job->part_count == device_count && lab_offload_same(&job->workload.arrays, &workload->arrays) &&
           (device_count == 1 || job->workload.weak == workload->weak);
}

/* Opens a job on the first device, with the given weight or that which calibration finds. */
static bool open_alone(struct scaling *s, struct scaling_workload *workload)
{
    scaling_job_close(&s->shared);
    scaling_job_close(&s->alone);
    s->weight = (uint32_t)lab_parameter_integer(s->run->parameters, "weight");
    if (s->weight == 0 && workload->arrays.kernel == &lab_offload_pairs &&
        !scaling_find_weight(s->run, workload, s->target_s, &s->weight))
        return false;
    workload->arrays.partners = s->weight;
    return scaling_job_open(&s->alone, s->run, workload, 1);
}

/* Opens the jobs of a point, except those that are open and differ only in the variant. */
static bool open_jobs(struct scaling *s, const struct lab_point *point)
{
    struct scaling_workload workload = scaling_workload_of(point, s->weight);
    size_t count = (size_t)point->values[SCALING_AXIS_DEVICE_COUNT];
    s->job = count > 1 ? &s->shared : &s->alone;
    if (!is_open(&s->alone, &workload, 1) && !open_alone(s, &workload))
        return false;
    if (is_open(s->job, &workload, count))
        return true;
    scaling_job_close(&s->shared);
    return scaling_job_open(&s->shared, s->run, &workload, count);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static struct lab_work work_of(struct scaling_job *job)
{
    return (struct lab_work){
        .timing = LAB_TIME_HOST_CLOCK,
        .lane_count = job->part_count,
        .lanes = job->lanes,
        .operations = job->part_count * 4 /* two copies in, kernel, copy out */,
        .compute = job->workload.arrays.kernel == &lab_offload_pairs,
        .context = job,
        .enqueue = scaling_job_enqueue,
        .poison = scaling_job_poison,
        .verify = scaling_job_verify,
    };
}

static bool scaling_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct scaling *s = context;
    enum scaling_variant variant = (enum scaling_variant)point->values[SCALING_AXIS_VARIANT];
    bool opened = open_jobs(s, point);
    if (point->values[SCALING_AXIS_KERNEL] == SCALING_PAIRS && s->weight > 0)
        point->values[SCALING_AXIS_WEIGHT] = s->weight;
    if (!opened || !scaling_job_set_variant(&s->alone, variant) || !scaling_job_set_variant(s->job, variant))
        return false;
    c->work = work_of(s->job);
    c->numa_node = &s->job->numa_node;
    if (s->job == &s->alone)
        return true;
    s->baseline = work_of(&s->alone);
    c->work.baseline = &s->baseline;
    c->counts[LAB_COUNT_BASELINE] = scaling_speedup_factor(point);
    return true;
}

/* --- efficiency, phases and imbalance ----------------------------------------------------------------------------- */

/* One device is its own baseline. */
static bool report_efficiency(const struct lab_report *report)
{
    double count = (double)report->point->values[SCALING_AXIS_DEVICE_COUNT];
    if (report->outcome->baseline_samples == NULL)
        return lab_report_value(report, "speedup", 1) && lab_report_value(report, "efficiency", 1);
    return lab_report_ratio(report, "efficiency", scaling_speedup_factor(report->point) / count);
}

static bool take_phases(void *context, size_t index)
{
    struct scaling *s = context;
    return scaling_job_run_timed(s->job, s->seconds[index]);
}

static bool report_phase(const struct scaling *s, const struct lab_report *report, const struct lab_series *series,
                         size_t device, enum scaling_phase phase)
{
    struct lab_point point = *report->point;
    struct lab_report of_phase = *report;
    double samples[LAB_SERIES_MAX];
    for (size_t job = 0; job < series->count; job++)
        samples[job] = s->seconds[job][device][phase];
    point.values[SCALING_AXIS_PHASE] = phase;
    point.values[SCALING_AXIS_DEVICE] = (int64_t)device + 1;
    of_phase.point = &point;
    return lab_report_samples(&of_phase, "phase_time", samples, series->count, series->stop_reason);
}

static bool report_imbalance(const struct scaling *s, const struct lab_report *report, const struct lab_series *series)
{
    double samples[LAB_SERIES_MAX];
    for (size_t job = 0; job < series->count; job++)
        samples[job] = scaling_imbalance(s->seconds[job], s->job->part_count);
    return lab_report_samples(report, "imbalance", samples, series->count, series->stop_reason);
}

static bool scaling_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct scaling *s = context;
    struct lab_report besides = *report; /* of figures that are not computed from the point's samples */
    struct lab_series series;
    besides.outcome = NULL;
    if (!report_efficiency(report) || !lab_series_take(s->run, c->measurer, take_phases, s, &series))
        return false;
    if (series.skipped != NULL) {
        lab_report_skipped(&besides, "phase_time", series.skipped);
        return true;
    }
    for (size_t device = 0; device < s->job->part_count; device++)
        for (enum scaling_phase phase = SCALING_UP; phase < SCALING_PHASES; phase++)
            if (!report_phase(s, &besides, &series, device, phase))
                return false;
    return s->job->part_count == 1 || report_imbalance(s, &besides, &series);
}

/* --- timeline ----------------------------------------------------------------------------------------------------- */

static void scaling_describe(void *context, const struct lab_trace_record *record, size_t number,
                             struct lab_span_text *text)
{
    static const char *const inputs[][2] = {{"first input", "second input"}, {"elements", "partners"}};
    const struct scaling_job *job = ((const struct scaling *)context)->job;
    bool pairs = job->workload.arrays.kernel == &lab_offload_pairs;
    char bytes[32];
    snprintf(text->lane, sizeof text->lane, "device %zu", record->lane + 1);
    lab_text_size(record->bytes, bytes, sizeof bytes);
    if (record->kind == LAB_TRACE_H2D)
        snprintf(text->label, sizeof text->label, "%s · %s", inputs[pairs][number % 2], bytes);
    else if (record->kind == LAB_TRACE_D2H)
        snprintf(text->label, sizeof text->label, "results · %s", bytes);
    else if (pairs)
        snprintf(text->label, sizeof text->label, "pairs · %" PRIu32 " partners", job->weight);
    else
        snprintf(text->label, sizeof text->label, "average");
}

static bool scaling_execute(void *context)
{
    return scaling_job_run(((struct scaling *)context)->job);
}

static bool scaling_trace(void *context, const struct lab_point *point, struct lab_timeline *timeline)
{
    struct scaling *s = context;
    (void)point;
    *timeline = (struct lab_timeline){s, s->job->part_count, s->job->lanes, scaling_execute, scaling_describe};
    return true;
}

static bool scaling_renew(void *context)
{
    struct scaling *s = context;
    scaling_job_close(&s->shared);
    scaling_job_close(&s->alone);
    return true;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

bool scaling_run(struct lab_run *run)
{
    struct scaling s = {.run = run};
    const struct lab_loop loop = {
        .begin = scaling_begin, .report = scaling_report, .trace = scaling_trace, .renew = scaling_renew};
    struct lab_points points;
    if (!lab_loop_points(run, &points))
        return false;
    s.target_s = scaling_target_s(run->parameters, &points);
    lab_points_release(&points);
    bool good = lab_loop_run(run, &loop, &s);
    scaling_job_close(&s.shared);
    scaling_job_close(&s.alone);
    return good;
}
