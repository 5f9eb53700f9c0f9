/* Prepares the points of collectives for the loop that measures them. */
#include "job.h"

#include "benchmark/loop.h"

#include <stdio.h>

static const char *skip_reason(const struct lab_run *run, const struct lab_point *point)
{
    if (run->devices[0]->runtime->collective == NULL)
        return "the runtime of these devices has no collectives";
    return collectives_skip_reason(point);
}

/* A device holds a send and a receive buffer, in place only one. */
static void warn_of_cache(const struct collectives_job *job, const struct lab_point *point)
{
    size_t buffers = point->values[COLLECTIVES_IN_PLACE] != 0 ? 1 : 2;
    lab_loop_warn_of_cache(job->run, job->lanes[0].device, buffers * collectives_bytes(point));
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct collectives_job *job = context;
    size_t devices = (size_t)point->values[COLLECTIVES_DEVICES];
    const char *reason = skip_reason(job->run, point);
    if (reason == NULL && !collectives_job_open(job, devices))
        return false;
    if (reason == NULL && job->refusal[0] != '\0')
        reason = job->refusal;
    if (reason != NULL) {
        snprintf(c->skipped, sizeof c->skipped, "%s", reason);
        return true;
    }
    c->counts[LAB_COUNT_BYTES] = (double)collectives_bytes(point);
    c->counts[LAB_COUNT_AGGREGATE_BYTES] =
        c->counts[LAB_COUNT_BYTES] * collectives_bus_factor(collectives_operation(point), devices);
    warn_of_cache(job, point);
    return collectives_job_prepare(job, point, &c->work);
}

/* Opens the first communicator before the loop begins and the time budget starts, because this can take longer than a
 * quick run. */
static bool open_first(struct collectives_job *job)
{
    size_t count = collectives_device_count(
        lab_parameter_values(job->run->parameters, "device_count")->items[0].integer, job->run->device_count);
    return job->run->devices[0]->runtime->collective == NULL || collectives_job_open(job, count);
}

bool collectives_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin};
    struct collectives_job job = {.run = run};
    bool good = open_first(&job) && lab_loop_run(run, &loop, &job);
    collectives_job_close(&job);
    return good;
}
