/* The thread that works off the queue: takes the oldest run, has the worker run it, and records how it ended.
 */
#include "runner.h"

#include "clock.h"
#include "findings.h"
#include "run_json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long to wait before the store is tried again that could not write. */
static const double store_retry_s = 1;

enum { PROBLEM_LOG_SIZE = 4096 };

/* A run as the runner needs it. */
struct job {
    const char *id;
    char *experiment;
    json_t *devices, *parameters;
    double time_limit_s;
};

/* How it ended. */
struct outcome {
    enum lab_status status;
    bool contended;
    json_t *error; /* a problem, or NULL */
};

/* --- outcomes ----------------------------------------------------------------------------------------------------- */

/* A problem {type, title, detail, log?}; the title is the code in words. `log` may be "". */
static json_t *problem(const char *code, const char *detail, const char *log)
{
    char type[80], title[64];
    snprintf(type, sizeof type, "/problems/%s", code);
    snprintf(title, sizeof title, "%s", code);
    title[0] = (char)toupper((unsigned char)title[0]);
    for (char *at = title; (at = strchr(at, '-')) != NULL;)
        *at = ' ';
    json_t *object = json_pack("{s:s, s:s, s:s}", "type", type, "title", title, "detail", detail);
    if (log[0] != '\0')
        json_object_set_new(object, "log", json_string(log));
    return object;
}

static void fail(struct outcome *outcome, const char *code, const char *detail, const char *log)
{
    outcome->status = LAB_STATUS_FAILED;
    outcome->error = problem(code, detail, log);
}

static void read_flags(struct lab_jobs *jobs, bool *cancelled, bool *stopping)
{
    pthread_mutex_lock(&jobs->lock);
    *cancelled = jobs->current.cancelled;
    *stopping = jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
}

/* The run was asked to end, and did: `how` tells how hard that was, NULL when it was easy. */
static void end_early(struct outcome *outcome, bool stopping, const char *how)
{
    outcome->status = stopping ? LAB_STATUS_INTERRUPTED : LAB_STATUS_CANCELLED;
    if (stopping)
        outcome->error =
            problem("interrupted", how != NULL ? how : "The lab was stopped before the run had ended.", "");
    else if (how != NULL)
        outcome->error = problem("cancelled", how, "");
}

/* What became of the run, from what the worker said and how it ended. */
static void judge(struct lab_jobs *jobs, const struct lab_findings *findings, const struct lab_error *error,
                  const char *log, struct outcome *outcome)
{
    bool cancelled, stopping;
    read_flags(jobs, &cancelled, &stopping);
    bool asked = cancelled || stopping;
    outcome->contended = findings->contended;
    if (findings->broken) {
        char detail[256];
        snprintf(detail, sizeof detail, "The worker was ended because %s.", findings->broken_detail);
        fail(outcome, "worker-protocol", detail, log);
    } else if (findings->finished && findings->status != LAB_STATUS_CANCELLED) {
        outcome->status = findings->status;
        outcome->error = json_incref(findings->error);
        if (outcome->status == LAB_STATUS_FAILED && outcome->error == NULL)
            fail(outcome, "unknown", "The worker gave no reason.", log);
    } else if (error->code != NULL && !asked) {
        fail(outcome, error->code, error->detail, log);
    } else {
        end_early(outcome, stopping && !cancelled, error->code != NULL ? error->detail : NULL);
    }
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

static void load_row(void *context, const struct lab_run_row *row)
{
    struct job *job = context;
    job->experiment = strdup(row->experiment);
    job->devices = json_loads(row->devices, 0, NULL);
    job->parameters = json_loads(row->parameters, 0, NULL);
    job->time_limit_s = row->time_limit_s;
}

static void job_release(struct job *job)
{
    free(job->experiment);
    json_decref(job->devices);
    json_decref(job->parameters);
}

/* A label that does not fit is cut at a character. */
static void copy_label(char *to, size_t size, const char *label)
{
    size_t length = strnlen(label, size);
    if (length == size)
        for (length--; length > 0 && ((unsigned char)label[length] & 0xC0U) == 0x80U;)
            length--;
    memcpy(to, label, length);
    to[length] = '\0';
}

static void note_progress(void *context, size_t done, size_t total, const char *label)
{
    struct lab_jobs *jobs = context;
    pthread_mutex_lock(&jobs->lock);
    jobs->current.has_progress = true;
    jobs->current.done = done;
    jobs->current.total = total;
    copy_label(jobs->current.label, sizeof jobs->current.label, label);
    jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
}

static void stop_unreadable(void *context)
{
    struct lab_jobs *jobs = context;
    lab_warm_cancel(&jobs->warm);
}

static bool find_unusable_device(struct lab_jobs *jobs, const struct job *job, struct outcome *outcome)
{
    size_t index;
    json_t *item;
    json_array_foreach(job->devices, index, item)
    {
        const char *id = json_string_value(item);
        char reason[LAB_DETAIL_MAX], detail[LAB_DETAIL_MAX + LAB_ID_MAX + 32];
        if (!lab_devices_unavailable(jobs->devices, id, reason, sizeof reason))
            continue;
        snprintf(detail, sizeof detail, "Device %s is unavailable: %s", id, reason);
        fail(outcome, "device-unavailable", detail, "");
        return true;
    }
    return false;
}

/* Has the worker run it, unless it was asked to end before that. */
static void measure(struct lab_jobs *jobs, const struct job *job, struct outcome *outcome)
{
    bool cancelled, stopping;
    lab_worker_rearm(jobs->warm.worker);
    read_flags(jobs, &cancelled, &stopping); /* a cancel that comes after this waits for us in the worker */
    if (cancelled || stopping) {
        end_early(outcome, stopping && !cancelled, NULL);
        return;
    }
    struct lab_findings findings = {.run = job->id,
                                    .store = jobs->store,
                                    .events = jobs->events,
                                    .progress = note_progress,
                                    .unreadable = stop_unreadable,
                                    .context = jobs};
    const struct lab_worker_listener listener = {&findings, lab_findings_event};
    json_t *operation = json_pack("{s:s, s:s, s:s, s:O, s:O}", "op", "run", "run", job->id, "experiment",
                                  job->experiment, "devices", job->devices, "parameters", job->parameters);
    struct lab_error error;
    char log[PROBLEM_LOG_SIZE];

    lab_devices_occupy(jobs->devices, job->devices, true);
    enum lab_worker_end end = lab_worker_run(jobs->warm.worker, operation, job->time_limit_s, &listener, &error);
    lab_worker_log(jobs->warm.worker, log, sizeof log);
    judge(jobs, &findings, &error, log, outcome);
    lab_warm_settle(&jobs->warm, end, job->devices, &error);
    lab_devices_occupy(jobs->devices, job->devices, false);
    lab_findings_release(&findings);
    json_decref(operation);
}

static void perform(struct lab_jobs *jobs, const struct job *job, struct outcome *outcome)
{
    struct lab_error error = {0};
    bool cancelled, stopping;
    if (lab_warm_ready(&jobs->warm, &error)) {
        if (!find_unusable_device(jobs, job, outcome))
            measure(jobs, job, outcome);
        return;
    }
    read_flags(jobs, &cancelled, &stopping);
    if (stopping)
        end_early(outcome, true, NULL);
    else
        fail(outcome, error.code, error.detail, "");
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

/* Records the end. Nothing else is begun before that is on the disk: when it never gets there, the next start of the
 * lab finds the run interrupted. */
static void record(struct lab_jobs *jobs, const struct job *job, const struct outcome *outcome)
{
    char *error = outcome->error != NULL ? json_dumps(outcome->error, JSON_COMPACT) : NULL;
    enum lab_store_result result;
    int64_t at = lab_time_now();
    do
        result = lab_store_finish_run(jobs->store, job->id, outcome->status, at, outcome->contended, error);
    while (worth_retrying(result) && pause_for(jobs, store_retry_s));
    free(error);
}

static void set_current(struct lab_jobs *jobs, const char *id)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->current = (struct lab_current_run){0};
    snprintf(jobs->current.id, sizeof jobs->current.id, "%s", id);
    jobs->generation++;
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
    struct job job = {.id = id};
    struct outcome outcome = {.status = LAB_STATUS_FAILED};
    enum lab_store_result result = lab_store_get_run(jobs->store, id, load_row, &job);
    if (result == LAB_STORE_OK)
        result = lab_store_start_run(jobs->store, id, lab_time_now());
    if (worth_retrying(result)) {
        put_back(jobs, id);
        pause_for(jobs, store_retry_s);
    } else if (result == LAB_STORE_OK) {
        lab_jobs_publish_run(jobs, id);
        perform(jobs, &job, &outcome);
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
    bool cancelled, stopping;
    read_flags(jobs, &cancelled, &stopping);
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
