/* Starting and stopping the queue, its devices, and pausing it; submit.c and cancel.c have the functions for runs. They
 * change the shared state and the store; the runner thread acts on it. */
#include "jobs_state.h"

#include "thread.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

static const double store_retry_default_s = 1;

static const char *const pause_setting = "queue.paused";

/* --- starting and stopping ---------------------------------------------------------------------------------------- */

static void node_release(struct lab_node *node)
{
    lab_warm_release(&node->warm);
    json_decref(node->examination.document);
}

void lab_jobs_free(struct lab_jobs *jobs)
{
    lab_telemetry_stop(jobs->telemetry);
    for (size_t i = 0; i < jobs->node_count; i++)
        node_release(&jobs->nodes[i]);
    lab_devices_free(jobs->devices);
    free(jobs->counters);
    lab_queue_release(&jobs->queue);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

/* NULL when out of memory. */
static struct lab_devices *create_devices(const struct lab_jobs_options *options)
{
    struct lab_devices_node nodes[LAB_QUEUE_NODES_MAX];
    for (size_t i = 0; i < options->node_count; i++)
        nodes[i] = (struct lab_devices_node){.name = options->nodes[i].name,
                                             .local = strcmp(options->nodes[i].transport, "local") == 0};
    return lab_devices_create(nodes, options->node_count);
}

static void init_node(struct lab_jobs *jobs, size_t index, const struct lab_jobs_options *options)
{
    struct lab_node *node = &jobs->nodes[index];
    const struct lab_warm_options warm = {.worker = options->nodes[index].worker,
                                          .idle_s = options->worker_idle_s,
                                          .check_s = options->worker_check_s,
                                          .describe_timeout_s = options->describe_timeout_s};
    *node = (struct lab_node){.jobs = jobs, .index = index, .options = options->nodes[index]};
    lab_warm_init(&node->warm, &warm, jobs->devices, index, &jobs->counters->workers);
    if (options->hold != NULL)
        lab_hold_for_good(&node->hold, options->hold);
    else
        lab_hold_begin(&node->hold);
    jobs->queue.held[index] = true;
}

/* NULL when out of memory. */
static struct lab_jobs *jobs_create(const struct lab_jobs_options *options, struct lab_store *store,
                                    struct lab_events *events)
{
    struct lab_jobs *jobs = calloc(1, sizeof *jobs + options->node_count * sizeof *jobs->nodes);
    if (jobs == NULL)
        return NULL;
    pthread_mutex_init(&jobs->lock, NULL);
    lab_condition_init(&jobs->changed);
    jobs->store = store;
    jobs->events = events;
    jobs->queue_limit = options->queue_limit;
    jobs->program_limit = options->program_limit;
    jobs->quiet = options->quiet;
    jobs->judges_kernels = options->judges_kernels;
    jobs->compile = options->compile;
    jobs->here = options->here;
    jobs->store_retry_s = options->store_retry_s > 0 ? options->store_retry_s : store_retry_default_s;
    jobs->devices = create_devices(options);
    jobs->counters = lab_jobs_counters_create();
    if (jobs->devices == NULL || jobs->counters == NULL) {
        if (jobs->devices != NULL)
            lab_devices_free(jobs->devices);
        free(jobs->counters);
        free(jobs);
        return NULL;
    }
    jobs->node_count = options->node_count;
    for (size_t i = 0; i < jobs->node_count; i++)
        init_node(jobs, i, options);
    return jobs;
}

static void place(const void *jobs, const json_t *devices, struct lab_queue_entry *run)
{
    lab_jobs_place(jobs, devices, run);
}

/* Reads what the lab's previous process left in the store: running and queued runs, and whether the queue is paused. */
static bool load_state(struct lab_jobs *jobs, struct lab_error *error)
{
    size_t interrupted = 0;
    char paused[8] = "";
    if (lab_store_interrupt_running(jobs->store, lab_time_now(), &interrupted) != LAB_STORE_OK ||
        lab_queue_load(&jobs->queue, jobs->store, place, jobs) != LAB_STORE_OK)
        return lab_error_set(error, LAB_ERROR_STORE, "", "The queue cannot be read from the database: %s",
                             lab_store_message(jobs->store));
    if (lab_store_get(jobs->store, pause_setting, paused, sizeof paused) == LAB_STORE_OK)
        jobs->paused = strcmp(paused, "true") == 0;
    return true;
}

/* Starts the threads of all nodes, or none. */
static bool start_runners(struct lab_jobs *jobs, struct lab_error *error)
{
    for (size_t i = 0; i < jobs->node_count; i++) {
        int failed = lab_thread_start(&jobs->nodes[i].thread, lab_runner_main, &jobs->nodes[i]);
        jobs->nodes[i].started = failed == 0;
        if (failed == 0)
            continue;
        lab_jobs_stop(jobs, 0);
        return lab_error_set(error, LAB_ERROR_THREAD, "", "The thread that executes runs on %s cannot be started: %s.",
                             jobs->nodes[i].options.name, strerrordesc_np(failed));
    }
    return true;
}

struct lab_jobs *lab_jobs_start(const struct lab_jobs_options *options, struct lab_store *store,
                                struct lab_events *events, struct lab_error *error)
{
    struct lab_jobs *jobs = jobs_create(options, store, events);
    if (jobs == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "No memory for the queue.");
        return NULL;
    }
    if (load_state(jobs, error)) {
        jobs->telemetry = lab_telemetry_start(jobs->devices, events);
        if (start_runners(jobs, error))
            return jobs;
    }
    lab_jobs_free(jobs);
    return NULL;
}

/* Whether the first attempt to start a worker has ended on each node. The lock is held. */
static bool all_tried(const struct lab_jobs *jobs)
{
    bool all = true;
    for (size_t i = 0; i < jobs->node_count; i++)
        all = all && jobs->nodes[i].worker_tried;
    return all;
}

bool lab_jobs_await_worker(struct lab_jobs *jobs, double seconds)
{
    struct timespec moment = lab_clock_moment(lab_clock_now() + seconds);
    pthread_mutex_lock(&jobs->lock);
    while (!all_tried(jobs) && pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) == 0)
        ;
    bool tried = all_tried(jobs);
    pthread_mutex_unlock(&jobs->lock);
    return tried;
}

void lab_jobs_stop(struct lab_jobs *jobs, double grace_s)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    for (size_t i = 0; i < jobs->node_count; i++)
        lab_warm_abort_within(&jobs->nodes[i].warm, grace_s); /* before the runner can see `stopping` */
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    for (size_t i = 0; i < jobs->node_count; i++)
        if (jobs->nodes[i].started)
            pthread_join(jobs->nodes[i].thread, NULL);
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
