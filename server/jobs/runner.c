/* The thread that executes the queue: takes the oldest run, executes it, and records how it ended. Between runs it maintains
 * the warm worker.
 */
#include "jobs_state.h"

#include "clock.h"
#include "run_attempt.h"
#include "run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one run ------------------------------------------------------------------------------------------------------ */

static void load_row(void *context, const struct lab_run_row *row)
{
    struct lab_run_request *request = context;
    request->experiment = strdup(row->experiment);
    request->devices = lab_device_ids_json(row->devices);
    request->parameters = json_loads(row->parameters, 0, NULL);
    request->time_limit_s = row->time_limit_s;
}

static void request_release(struct lab_run_request *request)
{
    free(request->experiment);
    json_decref(request->devices);
    json_decref(request->parameters);
}

/* Waits for `seconds`, or until the runner is to stop; false then. */
static bool pause_for(struct lab_jobs *jobs, double seconds)
{
    double until = lab_clock_now() + seconds;
    struct timespec moment = lab_clock_moment(until);
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->stopping && lab_clock_now() < until)
        pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment);
    bool continues = !jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    return continues;
}

/* Whether the store may succeed later, for example after disk space was freed. */
static bool worth_retrying(enum lab_store_result result)
{
    return result == LAB_STORE_FULL || result == LAB_STORE_FAILED;
}

/* A run whose results could not all be stored has failed, even if the worker reported success. */
static void mark_lost(struct lab_run_result *result)
{
    if (result->status != LAB_STATUS_SUCCEEDED)
        return;
    result->status = LAB_STATUS_FAILED;
    json_decref(result->error);
    result->error =
        json_pack("{s:s, s:s, s:s}", "type", "/problems/results-lost", "title", "Results could not be stored", "detail",
                  "Some results could not be stored; the run's warnings say how many. Check the disk that "
                  "has the database, and submit the run again.");
}

/* Records how the run ended. The next run starts only when that is stored. If it cannot be stored before the lab stops, the
 * next start of the lab marks the run as interrupted. */
static void record(struct lab_jobs *jobs, const struct lab_run_request *request, struct lab_run_result *result)
{
    enum lab_store_result stored;
    int64_t at = lab_time_now();
    do {
        char *error = result->error != NULL ? json_dumps(result->error, JSON_COMPACT) : NULL;
        stored = lab_store_finish_run(jobs->store, request->id, result->status, at, result->contended, error);
        free(error);
        if (stored == LAB_STORE_LOST)
            mark_lost(result);
    } while (stored == LAB_STORE_LOST || (worth_retrying(stored) && pause_for(jobs, jobs->store_retry_s)));
}

/* Marks the current run as ended, so that it can no longer be cancelled. */
static void end_current(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->current.ended = true;
    pthread_mutex_unlock(&jobs->lock);
}

/* Makes the current run no longer current. With `requeue` it is put back into the queue. */
static void clear_current(struct lab_jobs *jobs, bool requeue)
{
    pthread_mutex_lock(&jobs->lock);
    if (requeue)
        lab_queue_add(&jobs->queue, jobs->current.id, true);
    jobs->current = (struct lab_current_run){0};
    jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
}

/* Executes the current run. */
static void run_current(struct lab_jobs *jobs, const char *id)
{
    struct lab_run_request request = {.id = id};
    struct lab_run_result result = {.status = LAB_STATUS_FAILED};
    enum lab_store_result started = lab_store_get_run(jobs->store, id, load_row, &request);
    if (started == LAB_STORE_OK)
        started = lab_store_start_run(jobs->store, id, lab_time_now());
    if (worth_retrying(started)) {
        clear_current(jobs, true);
        pause_for(jobs, jobs->store_retry_s);
    } else if (started == LAB_STORE_OK) {
        lab_jobs_publish_run(jobs, id);
        lab_run_execute(jobs, &request, &result);
        end_current(jobs);
        record(jobs, &request, &result);
        clear_current(jobs, false);
        lab_jobs_publish_run(jobs, id);
    } else {
        clear_current(jobs, false); /* the run is no longer in the store, or no longer queued there */
    }
    json_decref(result.error);
    request_release(&request);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Waits for a run, at most until `until`, and makes it the current one. False when none came. */
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
        double maintain_at = lab_warm_maintain(&jobs->warm);
        if (take_next(jobs, maintain_at, id))
            run_current(jobs, id);
    }
    lab_warm_shut_down(&jobs->warm);
    return NULL;
}
