/* The functions of jobs.h. They change the shared state and the store; the runner thread acts on it. */
#include "jobs_state.h"

#include "run_json.h"
#include "submission.h"
#include "thread.h"

#include <stdlib.h>
#include <string.h>

/* lab_jobs_stop gives the worker this share of its grace to end; the rest is for recording how the run ended. */
static const double worker_stop_share = 0.8;

static const double store_retry_default_s = 1;

static const char *const pause_setting = "queue.paused";

/* --- starting and stopping ---------------------------------------------------------------------------------------- */

static void jobs_free(struct lab_jobs *jobs)
{
    lab_devices_free(jobs->devices);
    lab_queue_release(&jobs->queue);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

/* NULL when out of memory. */
static struct lab_jobs *jobs_create(const struct lab_jobs_options *options, struct lab_store *store,
                                    struct lab_events *events)
{
    struct lab_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs == NULL)
        return NULL;
    pthread_mutex_init(&jobs->lock, NULL);
    lab_condition_init(&jobs->changed);
    jobs->store = store;
    jobs->events = events;
    jobs->queue_limit = options->queue_limit;
    jobs->store_retry_s = options->store_retry_s > 0 ? options->store_retry_s : store_retry_default_s;
    jobs->host = options->host;
    jobs->devices = lab_devices_create();
    if (jobs->devices != NULL)
        return jobs;
    jobs_free(jobs);
    return NULL;
}

/* Reads what the lab's previous process left in the store: running and queued runs, and whether the queue is paused. */
static bool load_state(struct lab_jobs *jobs, struct lab_error *error)
{
    size_t interrupted = 0;
    char paused[8] = "";
    if (lab_store_interrupt_running(jobs->store, lab_time_now(), &interrupted) != LAB_STORE_OK ||
        lab_queue_load(&jobs->queue, jobs->store) != LAB_STORE_OK)
        return lab_error_set(error, "store", "", "The queue cannot be read from the database: %s",
                             lab_store_message(jobs->store));
    if (lab_store_get(jobs->store, pause_setting, paused, sizeof paused) == LAB_STORE_OK)
        jobs->paused = strcmp(paused, "true") == 0;
    return true;
}

static bool start_runner(struct lab_jobs *jobs, struct lab_error *error)
{
    int failed = lab_thread_start(&jobs->thread, lab_runner_main, jobs);
    return failed == 0 ||
           lab_error_set(error, "thread", "", "The thread that executes the queue cannot be started: %s.",
                         strerrordesc_np(failed));
}

struct lab_jobs *lab_jobs_start(const struct lab_jobs_options *options, struct lab_store *store,
                                struct lab_events *events, struct lab_error *error)
{
    struct lab_jobs *jobs = jobs_create(options, store, events);
    if (jobs == NULL) {
        lab_error_set(error, "out-of-memory", "", "No memory for the queue.");
        return NULL;
    }
    const struct lab_warm_options warm = {.worker = options->worker,
                                          .idle_s = options->worker_idle_s,
                                          .check_s = options->worker_check_s,
                                          .describe_timeout_s = options->describe_timeout_s};
    lab_warm_init(&jobs->warm, &warm, jobs->devices);
    if (lab_warm_ensure(&jobs->warm, error) && load_state(jobs, error)) {
        jobs->telemetry = lab_telemetry_start(jobs->devices, events);
        if (start_runner(jobs, error))
            return jobs;
        lab_telemetry_stop(jobs->telemetry);
    }
    lab_warm_shut_down(&jobs->warm);
    lab_warm_destroy(&jobs->warm);
    jobs_free(jobs);
    return NULL;
}

void lab_jobs_stop(struct lab_jobs *jobs, double grace_s)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += (long)((grace_s - (double)(time_t)grace_s) * 1e9);
    deadline.tv_sec += (time_t)grace_s + deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;

    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    lab_warm_abort_within(&jobs->warm, grace_s * worker_stop_share); /* before the runner can see `stopping` */
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    bool telemetry_hangs = !lab_telemetry_stop(jobs->telemetry);
    if (pthread_timedjoin_np(jobs->thread, NULL, &deadline) != 0 || telemetry_hangs)
        return; /* a thread that hangs still uses `jobs` */
    lab_warm_destroy(&jobs->warm);
    jobs_free(jobs);
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

json_t *lab_jobs_devices(struct lab_jobs *jobs)
{
    lab_telemetry_request(jobs->telemetry);
    return lab_devices_json(jobs->devices);
}

uint64_t lab_jobs_generation(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    uint64_t generation = jobs->generation;
    pthread_mutex_unlock(&jobs->lock);
    return generation + lab_devices_generation(jobs->devices);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Reserves a place in the queue for a run that is not stored yet. */
static enum lab_submit_result reserve(struct lab_jobs *jobs, const char *id)
{
    pthread_mutex_lock(&jobs->lock);
    bool full = jobs->queue.count >= jobs->queue_limit;
    bool added = !full && lab_queue_add(&jobs->queue, id, false);
    pthread_mutex_unlock(&jobs->lock);
    return full ? LAB_SUBMIT_FULL : added ? LAB_SUBMIT_OK : LAB_SUBMIT_STORE;
}

/* Makes a reserved run available to the runner if it was stored, or else removes it from the queue. */
static void finish_reservation(struct lab_jobs *jobs, const char *id, bool stored)
{
    pthread_mutex_lock(&jobs->lock);
    if (stored)
        lab_queue_find(&jobs->queue, id)->stored = true;
    else
        lab_queue_remove(&jobs->queue, id);
    jobs->generation++;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

static enum lab_submit_result enqueue(struct lab_jobs *jobs, const struct lab_submission *submission,
                                      const json_t *request, const char *key, char id[LAB_RUN_ID_SIZE])
{
    char existing[LAB_RUN_ID_SIZE] = "";
    lab_run_id(id);
    enum lab_submit_result result = reserve(jobs, id);
    if (result != LAB_SUBMIT_OK)
        return result;
    enum lab_store_result stored =
        lab_submission_store(submission, jobs->store, jobs->devices, id, jobs->host, key, request, existing);
    bool added = stored == LAB_STORE_OK && existing[0] == '\0';
    if (added)
        lab_jobs_publish_run(jobs, id); /* before the runner can publish that it runs */
    finish_reservation(jobs, id, added);
    if (stored != LAB_STORE_OK)
        return stored == LAB_STORE_CONFLICT ? LAB_SUBMIT_KEY_REUSED : LAB_SUBMIT_STORE;
    if (!added)
        memcpy(id, existing, LAB_RUN_ID_SIZE);
    return added ? LAB_SUBMIT_OK : LAB_SUBMIT_SAME;
}

enum lab_submit_result lab_jobs_submit(struct lab_jobs *jobs, const json_t *request, const char *idempotency_key,
                                       char id[LAB_RUN_ID_SIZE], struct lab_errors *errors)
{
    struct lab_submission submission;
    enum lab_submit_result result = LAB_SUBMIT_INVALID;
    if (lab_submission_check(&submission, request, jobs->devices, errors))
        result = enqueue(jobs, &submission, request, idempotency_key, id);
    lab_submission_release(&submission);
    return result;
}

bool lab_jobs_plan(struct lab_jobs *jobs, const json_t *request, struct lab_estimate *estimate,
                   struct lab_errors *errors)
{
    struct lab_submission submission;
    bool valid = lab_submission_check(&submission, request, jobs->devices, errors);
    *estimate = submission.estimate;
    lab_submission_release(&submission);
    return valid;
}

static void read_status(void *context, const struct lab_run_row *row)
{
    *(enum lab_status *)context = row->status;
}

/* Where a run is when it is cancelled. */
enum run_place {
    PLACE_STORE_ONLY, /* neither queued nor current */
    PLACE_QUEUE,
    PLACE_RUNNING,
    PLACE_RECORDING /* it has ended, and the runner is recording how */
};

/* Removes a queued run from the queue, or asks the worker of the current run to stop. Returns where the run was. */
static enum run_place withdraw(struct lab_jobs *jobs, const char *id)
{
    enum run_place place = PLACE_STORE_ONLY;
    pthread_mutex_lock(&jobs->lock);
    struct lab_queue_entry *entry;
    while ((entry = lab_queue_find(&jobs->queue, id)) != NULL && !entry->stored)
        pthread_cond_wait(&jobs->changed, &jobs->lock); /* the run is being stored */
    if (lab_queue_remove(&jobs->queue, id))
        place = PLACE_QUEUE;
    else if (strcmp(jobs->current.id, id) == 0)
        place = jobs->current.ended ? PLACE_RECORDING : PLACE_RUNNING;
    if (place == PLACE_RUNNING) {
        jobs->current.cancelled = true;
        lab_warm_cancel(&jobs->warm);
    }
    if (place == PLACE_QUEUE || place == PLACE_RUNNING)
        jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
    return place;
}

enum lab_cancel_result lab_jobs_cancel(struct lab_jobs *jobs, const char *id)
{
    enum lab_status status;
    enum lab_store_result result;
    enum run_place place = withdraw(jobs, id);
    if (place == PLACE_RUNNING)
        return LAB_CANCEL_OK;
    if (place != PLACE_QUEUE) {
        result = lab_store_get_run(jobs->store, id, read_status, &status);
        if (result != LAB_STORE_OK)
            return result == LAB_STORE_NOT_FOUND ? LAB_CANCEL_NOT_FOUND : LAB_CANCEL_STORE;
        if (place == PLACE_STORE_ONLY && lab_status_live(status)) /* another thread is cancelling it now */
            return LAB_CANCEL_OK;
        return status == LAB_STATUS_CANCELLED ? LAB_CANCEL_ALREADY : LAB_CANCEL_FINISHED;
    }
    result = lab_store_finish_run(jobs->store, id, LAB_STATUS_CANCELLED, lab_time_now(), false, NULL);
    if (result != LAB_STORE_OK) { /* in the store the run is still queued */
        pthread_mutex_lock(&jobs->lock);
        lab_queue_add(&jobs->queue, id, true);
        pthread_cond_broadcast(&jobs->changed);
        pthread_mutex_unlock(&jobs->lock);
        return LAB_CANCEL_STORE;
    }
    lab_jobs_publish_run(jobs, id);
    return LAB_CANCEL_OK;
}

/* --- the queue ---------------------------------------------------------------------------------------------------- */

void lab_jobs_queue(struct lab_jobs *jobs, struct lab_queue_state *state)
{
    pthread_mutex_lock(&jobs->lock);
    state->length = jobs->queue.count;
    state->paused = jobs->paused;
    memcpy(state->running, jobs->current.id, sizeof state->running);
    pthread_mutex_unlock(&jobs->lock);
}

bool lab_jobs_pause(struct lab_jobs *jobs, bool paused)
{
    if (lab_store_set(jobs->store, pause_setting, paused ? "true" : "false") != LAB_STORE_OK)
        return false;
    pthread_mutex_lock(&jobs->lock);
    jobs->paused = paused;
    jobs->generation++;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    return true;
}
