/* Starting and stopping the queue, its devices, and pausing it; submit.c and cancel.c have the functions for runs. They change
 * the shared state and the store; the runner thread acts on it. */
#include "jobs_state.h"

#include "clock.h"
#include "run_json.h"
#include "thread.h"

#include <stdlib.h>
#include <string.h>

static const double store_retry_default_s = 1;

static const char *const pause_setting = "queue.paused";

/* --- starting and stopping ---------------------------------------------------------------------------------------- */

void lab_jobs_free(struct lab_jobs *jobs)
{
    lab_telemetry_stop(jobs->telemetry);
    lab_warm_destroy(&jobs->warm);
    lab_devices_free(jobs->devices);
    free(jobs->counters);
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
    jobs->compile = options->compile;
    jobs->store_retry_s = options->store_retry_s > 0 ? options->store_retry_s : store_retry_default_s;
    jobs->host = options->host;
    jobs->devices = lab_devices_create();
    jobs->counters = lab_jobs_counters_create();
    if (jobs->devices == NULL || jobs->counters == NULL) {
        if (jobs->devices != NULL)
            lab_devices_free(jobs->devices);
        free(jobs->counters);
        free(jobs);
        return NULL;
    }
    const struct lab_warm_options warm = {.worker = options->worker,
                                          .idle_s = options->worker_idle_s,
                                          .check_s = options->worker_check_s,
                                          .describe_timeout_s = options->describe_timeout_s};
    lab_warm_init(&jobs->warm, &warm, jobs->devices, &jobs->counters->workers);
    if (options->hold != NULL)
        lab_hold_for_good(&jobs->hold, options->hold);
    else
        lab_hold_begin(&jobs->hold);
    return jobs;
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
    if (load_state(jobs, error)) {
        jobs->telemetry = lab_telemetry_start(jobs->devices, events);
        if (start_runner(jobs, error))
            return jobs;
    }
    lab_jobs_free(jobs);
    return NULL;
}

bool lab_jobs_await_worker(struct lab_jobs *jobs, double seconds)
{
    struct timespec moment = lab_clock_moment(lab_clock_now() + seconds);
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->worker_tried && pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) == 0)
        ;
    bool tried = jobs->worker_tried;
    pthread_mutex_unlock(&jobs->lock);
    return tried;
}

void lab_jobs_stop(struct lab_jobs *jobs, double grace_s)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    lab_warm_abort_within(&jobs->warm, grace_s); /* before the runner can see `stopping` */
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    pthread_join(jobs->thread, NULL);
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

json_t *lab_jobs_devices(struct lab_jobs *jobs)
{
    lab_telemetry_request(jobs->telemetry);
    return lab_devices_json(jobs->devices);
}

json_t *lab_jobs_last_devices(struct lab_jobs *jobs)
{
    lab_telemetry_wake(jobs->telemetry);
    return lab_devices_json(jobs->devices);
}

void lab_jobs_watch_devices(struct lab_jobs *jobs)
{
    lab_telemetry_wake(jobs->telemetry);
}

uint64_t lab_jobs_generation(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    uint64_t generation = jobs->generation;
    pthread_mutex_unlock(&jobs->lock);
    return generation + lab_devices_generation(jobs->devices);
}

/* --- the queue ---------------------------------------------------------------------------------------------------- */

bool lab_jobs_pause(struct lab_jobs *jobs, bool paused)
{
    if (lab_store_set(jobs->store, pause_setting, paused ? "true" : "false") != LAB_STORE_OK)
        return false;
    pthread_mutex_lock(&jobs->lock);
    jobs->paused = paused;
    lab_jobs_queue_changed(jobs);
    pthread_mutex_unlock(&jobs->lock);
    return true;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

const struct lab_jobs_counters *lab_jobs_counters(const struct lab_jobs *jobs)
{
    return jobs->counters;
}
