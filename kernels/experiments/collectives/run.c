/* Measures all points of a collectives run. */
#include "job.h"
#include "report.h"

#include <stdio.h>

struct collectives {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct collectives_job job;
    size_t points, measurable, done;
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* Creates the measurer, and thereby starts the time budget, at the first point: creating a communicator can take longer
 * than a quick run. */
static bool begin_measuring(struct collectives *c)
{
    if (c->measurer == NULL)
        c->measurer = lab_measurer_create(c->run, c->measurable);
    return c->measurer != NULL;
}

static bool measure_point(struct collectives *c, const struct collectives_point *point)
{
    struct lab_work work;
    struct lab_outcome outcome;
    if (!begin_measuring(c) || !collectives_job_prepare(&c->job, point, &work) ||
        !lab_measure(c->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable == NULL)
        return collectives_report_outcome(c->run, point, &outcome);
    collectives_report_skipped(c->run, point, outcome.unmeasurable);
    return true;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

/* Writes, for example, "all-reduce 4 MiB in place, 2 devices". */
static void label_point(const struct collectives_point *point, char *label, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t bytes = point->bytes, unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    snprintf(label, size, "%s %zu %s%s, %zu devices", collectives_operations[point->operation], bytes, units[unit],
             point->in_place ? " in place" : "", point->device_count);
}

static const char *skip_reason(const struct collectives *c, const struct collectives_point *point)
{
    if (c->run->devices[0]->runtime->collective == NULL)
        return "the runtime of these devices has no collectives";
    return collectives_skip_reason(point);
}

static bool visit_point(void *context, const struct collectives_point *point)
{
    struct collectives *c = context;
    char label[96];
    if (lab_run_cancelled(c->run))
        return lab_error_set(&c->run->error, "cancelled", "", "the run was cancelled");
    label_point(point, label, sizeof label);
    c->run->sink.progress(c->run->sink.context, c->done++, c->points, label);
    const char *reason = skip_reason(c, point);
    if (reason == NULL) {
        if (!collectives_job_open(&c->job, point->device_count))
            return false;
        reason = c->job.refusal[0] != '\0' ? c->job.refusal : NULL;
    }
    if (reason != NULL) {
        collectives_report_skipped(c->run, point, reason);
        return true;
    }
    return measure_point(c, point);
}

static bool count_point(void *context, const struct collectives_point *point)
{
    struct collectives *c = context;
    c->points++;
    c->measurable += collectives_skip_reason(point) == NULL;
    return true;
}

bool collectives_run(struct lab_run *run)
{
    struct collectives c = {.run = run, .job = {.run = run}};
    collectives_each_point(run->parameters, run->device_count, count_point, &c);
    bool good = collectives_each_point(run->parameters, run->device_count, visit_point, &c);
    if (good)
        run->sink.progress(run->sink.context, c.points, c.points, "done");
    collectives_job_close(&c.job);
    lab_measurer_release(c.measurer);
    return good;
}
