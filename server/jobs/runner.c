/* The thread that executes the runs of a node: prepares a worker, takes the node's next run from the queue, executes
 * it, and records how it ended. Between runs it maintains the warm worker. While no worker can be prepared, the node's
 * runs stay in the queue.
 */
#include "jobs_state.h"

#include "judgement.h"
#include "run_attempt.h"
#include "run_group.h"
#include "run_json.h"
#include "submission.h"

#include "core/clock.h"
#include "core/journal.h"
#include "core/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one run ------------------------------------------------------------------------------------------------------ */

/* Adds the ids that the list does not have. */
static void add_ids(json_t *list, const json_t *ids)
{
    size_t index, k;
    json_t *id, *known;
    json_array_foreach(ids, index, id)
    {
        bool listed = false;
        json_array_foreach(list, k, known)
        {
            listed = listed || json_equal(id, known);
        }
        if (!listed)
            json_array_append(list, id);
    }
}

/* Reads what a run is compared with, and the devices that both sides use. */
static void load_base(struct lab_run_request *request, const char *compare_with)
{
    request->used_devices = json_copy(request->devices);
    request->compare_with = compare_with != NULL ? lab_compare_with_json(compare_with) : NULL;
    add_ids(request->used_devices, json_object_get(request->compare_with, "devices"));
}

/* Lets the submission to a challenge be judged, and says of what is wrong what the challenge shows. */
static void load_challenge(struct lab_run_request *request, const char *name, struct lab_store *store)
{
    struct lab_challenge_row *challenge = NULL;
    request->judged = true;
    if (lab_store_get_challenge(store, name, NULL, &challenge) != LAB_STORE_OK)
        return;
    json_t *shows = lab_json_stored_object(challenge->shows);
    request->tells_wrong = json_is_true(json_object_get(shows, "wrong"));
    json_decref(shows);
    free(challenge);
}

static void load_row(struct lab_run_request *request, const struct lab_run_row *row, struct lab_store *store)
{
    if (row->challenge != NULL)
        load_challenge(request, row->challenge, store);
    json_t *devices = lab_json_stored_list(row->devices);
    request->requested_by = row->requested_by != NULL ? strdup(row->requested_by) : NULL;
    request->experiment = strdup(row->experiment);
    request->placed = devices;
    request->devices = lab_device_ids_json(devices);
    request->parameters = lab_json_stored_object(row->parameters);
    request->kernel = lab_json_stored(row->kernel);
    request->program = lab_json_stored(row->program);
    if (request->program != NULL || json_object_get(request->kernel, "check") != NULL)
        lab_owner_id(store, row->requested_by, request->owner);
    load_base(request, row->compare_with);
    request->created_at = row->created_at;
    request->secret_until = row->secret_until;
    request->time_limit_s =
        row->time_limit_s > 0 ? row->time_limit_s : LAB_TIME_LIMIT_LEAST_S; /* of an older version */
}

static void request_release(struct lab_run_request *request)
{
    free(request->requested_by);
    free(request->experiment);
    json_decref(request->placed);
    json_decref(request->devices);
    json_decref(request->parameters);
    json_decref(request->compare_with);
    json_decref(request->kernel);
    json_decref(request->program);
    json_decref(request->used_devices);
}

/* The ids of the devices that a run uses, a new reference; NULL: they are not known. */
static json_t *devices_of(struct lab_store *store, const char *id)
{
    struct lab_run_request request = {.id = id};
    struct lab_run_row *row = NULL;
    if (id[0] != '\0' && lab_store_get_run(store, id, &row) == LAB_STORE_OK)
        load_row(&request, row, store);
    free(row);
    json_t *used = json_incref(request.used_devices);
    request_release(&request);
    return used;
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

/* Records how the run ended, and returns it as it was written; the caller frees it. The next run starts only when that
 * is stored. If it cannot be stored before the lab stops, the next start of the lab marks the run as interrupted; NULL
 * then. */
static struct lab_run_row *record(struct lab_jobs *jobs, const char *id, int64_t at, struct lab_run_result *result)
{
    enum lab_store_result stored;
    struct lab_run_row *written;
    do {
        char *error = result->error != NULL ? json_dumps(result->error, JSON_COMPACT) : NULL;
        stored = lab_store_finish_run(jobs->store, id, result->status, at, result->contended, error, &written);
        free(error);
        if (stored == LAB_STORE_LOST)
            mark_lost(result);
    } while (stored == LAB_STORE_LOST || (worth_retrying(stored) && pause_for(jobs, jobs->store_retry_s)));
    return written;
}

/* Marks the current run as ended, so that it can no longer be cancelled. */
static void end_current(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    node->current.ended = true;
    pthread_mutex_unlock(&jobs->lock);
}

/* Makes the current run no longer current; the lock is held, and released while other nodes leave the run. */
static void forget_current(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    lab_group_dissolve(node);
    node->current = (struct lab_current_run){0};
    lab_warm_clear_cancel(&node->warm);
    lab_jobs_queue_changed(jobs);
}

/* The current run has ended: makes it no longer current, and publishes and frees it as it was written. NULL: this
 * thread did not write it. */
static void clear_current(struct lab_node *node, struct lab_run_row *written)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    forget_current(node);
    pthread_mutex_unlock(&jobs->lock);
    if (written != NULL)
        lab_jobs_publish_run(jobs, written);
    free(written);
}

/* Puts the current run back into the queue, unless it was cancelled; false then. */
static bool requeue_current(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    lab_group_dissolve(node);
    bool cancelled = node->current.cancelled;
    if (!cancelled) {
        lab_queue_put_back(&jobs->queue, &node->current.run);
        forget_current(node);
    }
    pthread_mutex_unlock(&jobs->lock);
    return !cancelled;
}

/* To be called after each change of the node's hold, with the lock held: tells the queue, and prints why the node's
 * runs are held, once for each reason, or that they are no longer held. */
static void hold_changed(struct lab_node *node, const struct lab_hold *before)
{
    const struct lab_hold *now = &node->hold;
    node->jobs->queue.held[node->index] = lab_hold_active(now);
    if (strcmp(before->reason, now->reason) == 0 || node->jobs->quiet)
        return;
    if (lab_hold_active(now))
        lab_journal(LAB_SEVERITY_ERROR, "no run is started on %s until a worker answers: %s", node->options.name,
                    now->reason);
    else if (before->pause_s > 0)
        lab_journal(LAB_SEVERITY_NOTICE, "a worker answers again on %s, and runs are started.", node->options.name);
}

/* Counts the current run and notes how long it took. Holds the queue if the workers of several runs in a row have ended
 * before they had begun to measure. */
static void learn_from(struct lab_node *node, const struct lab_run_result *result, double took_s)
{
    struct lab_jobs *jobs = node->jobs;
    const char *why = json_string_value(json_object_get(result->error, "detail"));
    pthread_mutex_lock(&jobs->lock);
    struct lab_hold before = node->hold;
    const struct lab_queue_entry *run = &node->current.run;
    lab_jobs_counters_add_run(jobs->counters, run->experiment, result->status, took_s);
    if (result->status == LAB_STATUS_SUCCEEDED)
        lab_queue_note_duration(&jobs->queue, run->experiment, run->planned_s, took_s);
    if (result->began)
        lab_hold_run_began(&node->hold);
    else if (result->worker_ended)
        lab_hold_start_failed(&node->hold, why != NULL ? why : "", lab_clock_now());
    hold_changed(node, &before);
    pthread_mutex_unlock(&jobs->lock);
}

/* Executes the current run, which the store lists as running since `started_at`. */
static void execute_current(struct lab_node *node, struct lab_run_request *request, int64_t started_at)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_run_result result = {.status = LAB_STATUS_FAILED};
    double began = lab_clock_now();
    lab_run_execute(node, request, &result);
    double took_s = lab_clock_now() - began; /* not by the other clock, because that may be set meanwhile */
    end_current(node);
    struct lab_run_row *written = record(jobs, request->id, started_at + (int64_t)(took_s * 1e6), &result);
    learn_from(node, &result, took_s);
    clear_current(node, written);
    json_decref(result.error);
}

/* The current run cannot be started now, because the store or another of its nodes fails: tries it again later, or
 * records that it was cancelled meanwhile. */
static void postpone_current(struct lab_node *node, const char *id)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_run_result cancelled = {.status = LAB_STATUS_CANCELLED};
    if (requeue_current(node)) {
        pause_for(jobs, jobs->store_retry_s);
        return;
    }
    struct lab_run_row *written = record(jobs, id, lab_time_now(), &cancelled);
    lab_jobs_counters_add_run(jobs->counters, node->current.run.experiment, LAB_STATUS_CANCELLED, -1);
    clear_current(node, written);
}

static void run_current(struct lab_node *node, const char *id)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_run_request request = {.id = id};
    struct lab_run_row *queued, *written = NULL;
    enum lab_store_result started = lab_store_get_run(jobs->store, id, &queued);
    if (started == LAB_STORE_OK)
        load_row(&request, queued, jobs->store);
    free(queued);
    if (!request.judged && jobs->judges_kernels && lab_judgement_possible(request.kernel))
        request.judged = request.tells_wrong = true;
    int64_t at = lab_time_now();
    if (at < request.created_at) /* the clock was set back */
        at = request.created_at;
    bool complete = lab_group_await_workers(node);
    if (started == LAB_STORE_OK && complete)
        started = lab_store_start_run(jobs->store, id, at, &written);
    if (written != NULL) {
        lab_jobs_publish_run(jobs, written);
        free(written);
        execute_current(node, &request, at);
    } else if (started == LAB_STORE_OK || worth_retrying(started)) {
        postpone_current(node, id);
    } else { /* the run was cancelled with its sweep, and is perhaps no longer in the store */
        lab_jobs_counters_add_run(jobs->counters, node->current.run.experiment, LAB_STATUS_CANCELLED, -1);
        clear_current(node, NULL);
    }
    request_release(&request);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Whether the node may start a run now. The lock is held. */
static bool may_start(const struct lab_node *node)
{
    const struct lab_jobs *jobs = node->jobs;
    return !jobs->paused && (jobs->reservations == 0 || !lab_node_is_local(node));
}

/* The run that the node can start now; NULL: none. The lock is held. */
static const struct lab_queue_entry *next_run(struct lab_node *node)
{
    const struct lab_queue_entry *next = lab_queue_next(&node->jobs->queue, node->index);
    return may_start(node) && next != NULL && lab_group_can_form(node->jobs, next) ? next : NULL;
}

enum work { WORK_NONE, WORK_EXAMINE, WORK_RUN };

/* What the runner has to do now. A run: one can be started, another node has taken this one for its run, or, while the
 * queue is held, a worker is to be tried again. Runs and examinations take turns. The lock is held. */
static enum work next_work(struct lab_node *node, double now)
{
    if (node->group != NULL)
        return WORK_RUN;
    if (node->jobs->stopping)
        return WORK_NONE;
    bool run = lab_hold_active(&node->hold) ? now >= node->hold.retry_at : next_run(node) != NULL;
    if (lab_examination_is_next(&node->examination) || (node->examination.waiting > 0 && !run))
        return WORK_EXAMINE;
    return run ? WORK_RUN : WORK_NONE;
}

/* Waits until the runner has something to do. WORK_NONE at `until`, or when the lab stops. An examination has begun
 * then. */
static enum work await_work(struct lab_node *node, double until)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    double now = lab_clock_now();
    enum work work = next_work(node, now);
    while (!jobs->stopping && work == WORK_NONE && now < until) {
        double wake_at = lab_hold_active(&node->hold) ? fmin(until, node->hold.retry_at) : until;
        struct timespec moment = lab_clock_moment(fmin(wake_at, now + 3600));
        pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment);
        now = lab_clock_now();
        work = next_work(node, now);
    }
    if (work == WORK_EXAMINE)
        lab_examination_begin(node);
    else if (work == WORK_RUN)
        node->examination.last = false;
    pthread_mutex_unlock(&jobs->lock);
    return work;
}

/* Copies the id of the run for which the node is to prepare a worker: the next one, or that of a group; "": none. */
static void peek_next(struct lab_node *node, char id[LAB_RUN_ID_SIZE])
{
    struct lab_jobs *jobs = node->jobs;
    id[0] = '\0';
    pthread_mutex_lock(&jobs->lock);
    const struct lab_queue_entry *next = node->group != NULL ? &node->current.run : next_run(node);
    if (next != NULL)
        memcpy(id, next->id, LAB_RUN_ID_SIZE);
    pthread_mutex_unlock(&jobs->lock);
}

/* Makes sure that a worker can execute the run; otherwise holds the queue and returns false. */
static bool prepare_worker(struct lab_node *node, const char *id)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_error error = {0};
    json_t *ids = devices_of(jobs->store, id);
    bool ready = lab_warm_ensure(&node->warm, ids, &error);
    json_decref(ids);
    pthread_mutex_lock(&jobs->lock);
    struct lab_hold before = node->hold;
    bool first = !node->worker_tried;
    node->worker_tried = true;
    if (ready)
        lab_hold_worker_answered(&node->hold);
    else if (!jobs->stopping && !lab_group_is_stopping(node))
        lab_hold_no_worker(&node->hold, error.detail, lab_clock_now());
    if (first || strcmp(before.reason, node->hold.reason) != 0)
        lab_jobs_queue_changed(jobs);
    hold_changed(node, &before);
    pthread_mutex_unlock(&jobs->lock);
    return ready;
}

/* Makes the next run the current one, if it still is the one that the worker was prepared for. */
static bool take_next(struct lab_node *node, const char *id)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    const struct lab_queue_entry *next = jobs->stopping || node->group != NULL ? NULL : next_run(node);
    bool taken =
        next != NULL && strcmp(next->id, id) == 0 && lab_queue_take(&jobs->queue, node->index, &node->current.run);
    if (taken) {
        node->current.began_at = lab_clock_now();
        lab_jobs_queue_changed(jobs);
    }
    if (taken && !lab_group_form(node)) { /* out of memory */
        lab_queue_put_back(&jobs->queue, &node->current.run);
        node->current = (struct lab_current_run){0};
        taken = false;
    }
    pthread_mutex_unlock(&jobs->lock);
    return taken;
}

/* Whether the lab stops, and no other node waits for this one. */
static bool is_stopping(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    bool stopping = jobs->stopping && node->group == NULL;
    pthread_mutex_unlock(&jobs->lock);
    return stopping;
}

void *lab_runner_main(void *context)
{
    struct lab_node *node = context;
    char id[LAB_RUN_ID_SIZE];
    while (!is_stopping(node)) {
        double maintain_at = lab_warm_maintain(&node->warm);
        enum work work = await_work(node, maintain_at);
        if (work == WORK_EXAMINE)
            lab_node_examine(node);
        if (work != WORK_RUN)
            continue;
        peek_next(node, id);
        bool ready = prepare_worker(node, id);
        if (!lab_group_follow(node, ready) && ready && take_next(node, id))
            run_current(node, id);
    }
    lab_warm_shut_down(&node->warm);
    return NULL;
}
