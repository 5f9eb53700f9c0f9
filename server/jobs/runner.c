/* The thread that works off the queue: takes the oldest run, has it worked, and records how it ended.
 */
#include "runner.h"

#include "clock.h"
#include "run_attempt.h"
#include "run_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long to wait before the store is tried again that could not write. */
static const double store_retry_s = 1;

/* --- one run ------------------------------------------------------------------------------------------------------ */

static void load_row(void *context, const struct lab_run_row *row)
{
    struct lab_job *job = context;
    job->experiment = strdup(row->experiment);
    job->devices = json_loads(row->devices, 0, NULL);
    job->parameters = json_loads(row->parameters, 0, NULL);
    job->time_limit_s = row->time_limit_s;
}

static void job_release(struct lab_job *job)
{
    free(job->experiment);
    json_decref(job->devices);
    json_decref(job->parameters);
}

/* Waits, at most `seconds`; false when the runner is to stop. */
static bool pause_for(struct lab_jobs *jobs, double seconds)
{
    double until = lab_clock_now() + seconds;
    struct timespec moment = lab_clock_moment(until);
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->stopping && lab_clock_now() < until)
        pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment);
    bool going = !jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    return going;
}

/* Whether a store that answers so may do better later. */
static bool worth_retrying(enum lab_store_result result)
{
    return result == LAB_STORE_FULL || result == LAB_STORE_FAILED;
}

/* A run that has lost results has not succeeded, whatever the worker says. */
static void mark_lost(struct lab_outcome *outcome)
{
    if (outcome->status != LAB_STATUS_SUCCEEDED)
        return;
    outcome->status = LAB_STATUS_FAILED;
    json_decref(outcome->error);
    outcome->error = json_pack("{s:s, s:s, s:s}", "type", "/problems/results-lost", "title", "Results lost", "detail",
                               "some of the run's results could not be stored: the run's warnings say how many");
}

/* Records the end. Nothing else is begun before that is on the disk: when it never gets there, the next start of the
 * lab finds the run interrupted. */
static void record(struct lab_jobs *jobs, const struct lab_job *job, struct lab_outcome *outcome)
{
    enum lab_store_result result;
    int64_t at = lab_time_now();
    do {
        char *error = outcome->error != NULL ? json_dumps(outcome->error, JSON_COMPACT) : NULL;
        result = lab_store_finish_run(jobs->store, job->id, outcome->status, at, outcome->contended, error);
        free(error);
        if (result == LAB_STORE_LOST)
            mark_lost(outcome);
    } while (result == LAB_STORE_LOST || (worth_retrying(result) && pause_for(jobs, store_retry_s)));
}

static void set_current(struct lab_jobs *jobs, const char *id)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->current = (struct lab_current_run){0};
    snprintf(jobs->current.id, sizeof jobs->current.id, "%s", id);
    jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
}

/* From here on there is nothing to cancel. */
static void end_current(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->current.ended = true;
    pthread_mutex_unlock(&jobs->lock);
}

/* Gives a run its place in the queue back. */
static void put_back(struct lab_jobs *jobs, const char *id)
{
    pthread_mutex_lock(&jobs->lock);
    lab_queue_add(&jobs->queue, id, true);
    jobs->current = (struct lab_current_run){0};
    jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
}

/* Runs the run that is current. */
static void run_current(struct lab_jobs *jobs, const char *id)
{
    struct lab_job job = {.id = id};
    struct lab_outcome outcome = {.status = LAB_STATUS_FAILED};
    enum lab_store_result result = lab_store_get_run(jobs->store, id, load_row, &job);
    if (result == LAB_STORE_OK)
        result = lab_store_start_run(jobs->store, id, lab_time_now());
    if (worth_retrying(result)) {
        put_back(jobs, id);
        pause_for(jobs, store_retry_s);
    } else if (result == LAB_STORE_OK) {
        lab_jobs_publish_run(jobs, id);
        lab_job_perform(jobs, &job, &outcome);
        end_current(jobs);
        record(jobs, &job, &outcome);
        set_current(jobs, "");
        lab_jobs_publish_run(jobs, id);
    } else {
        set_current(jobs, ""); /* it is not queued any more */
    }
    json_decref(outcome.error);
    job_release(&job);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Waits for a run, at most until `until`, and makes it the current one. False when there is none yet. */
static bool take_next(struct lab_jobs *jobs, double until, char id[LAB_RUN_ID_SIZE])
{
    const struct lab_queue_entry *entry = NULL;
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->stopping && lab_clock_now() < until) {
        entry = jobs->paused ? NULL : lab_queue_first(&jobs->queue);
        if (entry != NULL)
            break;
        if (isinf(until)) {
            pthread_cond_wait(&jobs->changed, &jobs->lock);
        } else {
            struct timespec moment = lab_clock_moment(until);
            pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment);
        }
    }
    if (entry != NULL) {
        memcpy(id, entry->id, LAB_RUN_ID_SIZE);
        lab_queue_remove(&jobs->queue, id);
        jobs->current = (struct lab_current_run){0};
        memcpy(jobs->current.id, id, LAB_RUN_ID_SIZE);
        jobs->generation++;
    }
    pthread_mutex_unlock(&jobs->lock);
    return entry != NULL;
}

static bool is_stopping(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    bool stopping = jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    return stopping;
}

void *lab_runner_main(void *context)
{
    struct lab_jobs *jobs = context;
    char id[LAB_RUN_ID_SIZE];
    while (!is_stopping(jobs)) {
        double next = lab_warm_tend(&jobs->warm);
        if (take_next(jobs, next, id))
            run_current(jobs, id);
    }
    lab_warm_end(&jobs->warm);
    return NULL;
}
