/* The passes of a run, and what becomes of it by what its worker said and how that worker ended. */
#include "run_attempt.h"

#include "clock.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "run_recorder.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROBLEM_LOG_SIZE = 4096 };

/* What is known of a pass beside what its worker told. */
struct pass {
    bool begun;             /* false: the run was asked to end before */
    struct lab_error error; /* as lab_worker_run sets it, or why there was no worker */
    char log[PROBLEM_LOG_SIZE];
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

static void fail(struct lab_outcome *outcome, const char *code, const char *detail, const char *log)
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

static bool asked_to_end(struct lab_jobs *jobs)
{
    bool cancelled, stopping;
    read_flags(jobs, &cancelled, &stopping);
    return cancelled || stopping;
}

/* The run was asked to end, and did: `how` tells how hard that was, NULL when it was easy. */
static void end_early(struct lab_outcome *outcome, bool stopping, const char *how)
{
    outcome->status = stopping ? LAB_STATUS_INTERRUPTED : LAB_STATUS_CANCELLED;
    if (stopping)
        outcome->error =
            problem("interrupted", how != NULL ? how : "The lab was stopped before the run had ended.", "");
    else if (how != NULL)
        outcome->error = problem("cancelled", how, "");
}

/* What became of the run, from what the worker said and how it ended. */
static void judge(struct lab_jobs *jobs, const struct lab_run_recorder *recorder, const struct pass *pass,
                  struct lab_outcome *outcome)
{
    const struct lab_error *error = &pass->error;
    bool cancelled, stopping;
    read_flags(jobs, &cancelled, &stopping);
    bool asked = cancelled || stopping;
    outcome->contended = recorder->contended;
    if (recorder->broken) {
        char detail[256];
        snprintf(detail, sizeof detail, "The worker was ended because %s.", recorder->broken_detail);
        fail(outcome, "worker-protocol", detail, pass->log);
    } else if (recorder->finished && recorder->status != LAB_STATUS_CANCELLED) {
        outcome->status = recorder->status;
        outcome->error = json_incref(recorder->error);
        if (outcome->status == LAB_STATUS_FAILED && outcome->error == NULL)
            fail(outcome, "unknown", "The worker gave no reason.", pass->log);
    } else if (error->code != NULL && !asked) {
        fail(outcome, error->code, error->detail, pass->log);
    } else {
        end_early(outcome, stopping && !cancelled, error->code != NULL ? error->detail : NULL);
    }
}

/* --- a pass ------------------------------------------------------------------------------------------------------- */

static void note_progress(void *context, size_t done, size_t total, const char *label)
{
    struct lab_jobs *jobs = context;
    pthread_mutex_lock(&jobs->lock);
    jobs->current.has_progress = true;
    jobs->current.done = done;
    jobs->current.total = total;
    lab_utf8_copy(jobs->current.label, sizeof jobs->current.label, label);
    jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
}

static void stop_unreadable(void *context)
{
    struct lab_jobs *jobs = context;
    lab_warm_cancel(&jobs->warm);
}

static bool find_unusable_device(struct lab_jobs *jobs, const struct lab_job *job, struct lab_outcome *outcome)
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

/* Has the worker that is there run it, unless it was asked to end before that. */
static void run_pass(struct lab_jobs *jobs, const struct lab_job *job, double limit_s,
                     struct lab_run_recorder *recorder, struct pass *pass)
{
    bool cancelled, stopping;
    lab_worker_rearm(jobs->warm.worker);
    read_flags(jobs, &cancelled, &stopping); /* a cancel that comes after this waits for us in the worker */
    pass->begun = !cancelled && !stopping;
    if (!pass->begun)
        return;
    const struct lab_worker_listener listener = {recorder, lab_run_recorder_event};
    json_t *operation = json_pack("{s:s, s:s, s:s, s:O, s:O}", "op", "run", "run", job->id, "experiment",
                                  job->experiment, "devices", job->devices, "parameters", job->parameters);
    if (recorder->tracing)
        json_object_set_new(operation, "trace", json_true());
    enum lab_worker_end end = lab_worker_run(jobs->warm.worker, operation, limit_s, &listener, &pass->error);
    lab_worker_log(jobs->warm.worker, pass->log, sizeof pass->log);
    lab_warm_settle(&jobs->warm, end, job->devices, &pass->error);
    json_decref(operation);
}

/* Has a new worker run it, in the time that is left. */
static void run_pass_afresh(struct lab_jobs *jobs, const struct lab_job *job, double until,
                            struct lab_run_recorder *recorder, struct pass *pass)
{
    struct lab_error *error = &pass->error;
    lab_warm_retire(&jobs->warm);
    if (!lab_warm_ready(&jobs->warm, error)) {
        if (asked_to_end(jobs)) /* which a worker that starts is, too */
            *error = (struct lab_error){0};
        return;
    }
    double left = until - lab_clock_now();
    if (left > 0)
        run_pass(jobs, job, isfinite(left) ? left : 0, recorder, pass);
    if (left <= 0 || (error->code != NULL && strcmp(error->code, "time-limit") == 0)) /* of what was left of it */
        lab_error_set(error, "time-limit", "", "The run was stopped at its time limit of %g s.", job->time_limit_s);
}

/* --- the pass that measures --------------------------------------------------------------------------------------- */

/* Whether the worker could not measure anything because an earlier run had settled something for its whole process. */
static bool was_settled_otherwise(const struct lab_run_recorder *recorder)
{
    const char *type = json_string_value(json_object_get(recorder->error, "type"));
    return recorder->measurements == 0 && type != NULL && strcmp(type, "/problems/settled-otherwise") == 0;
}

static void measure(struct lab_jobs *jobs, const struct lab_job *job, double until, struct lab_run_recorder *recorder,
                    struct lab_outcome *outcome)
{
    struct pass pass = {0};
    run_pass(jobs, job, job->time_limit_s, recorder, &pass);
    if (was_settled_otherwise(recorder)) {
        lab_run_recorder_restart(recorder);
        pass = (struct pass){0};
        if (!asked_to_end(jobs))
            run_pass_afresh(jobs, job, until, recorder, &pass);
    }
    judge(jobs, recorder, &pass, outcome);
}

/* --- the pass that traces ----------------------------------------------------------------------------------------- */

/* Whether the traced pass came to its end; false with the reason in *why. */
static bool traced_to_the_end(struct lab_jobs *jobs, const struct lab_job *job, const struct lab_run_recorder *recorder,
                              const struct pass *pass, struct lab_error *why)
{
    bool cancelled, stopping;
    read_flags(jobs, &cancelled, &stopping);
    const char *code = pass->error.code;
    const char *detail = json_string_value(json_object_get(recorder->error, "detail"));
    if (recorder->broken)
        return lab_error_set(why, "worker-protocol", "", "The worker that traced it was ended because %s.",
                             recorder->broken_detail);
    if (recorder->finished && recorder->status == LAB_STATUS_SUCCEEDED)
        return true;
    if (cancelled)
        return lab_error_set(why, "cancelled", "", "The run was cancelled while it was traced.");
    if (stopping)
        return lab_error_set(why, "interrupted", "", "The lab was stopped while the run was traced.");
    if (code != NULL && strcmp(code, "time-limit") == 0)
        return lab_error_set(why, code, "", "The run's time limit of %g s was reached while it was traced.",
                             job->time_limit_s);
    if (recorder->finished && detail != NULL)
        return lab_error_set(why, "failed", "", "%s", detail);
    if (code == NULL)
        return lab_error_set(why, "unknown", "", "The worker gave no reason.");
    return lab_error_set(why, code, "", "%s", pass->error.detail);
}

static void trace(struct lab_jobs *jobs, const struct lab_job *job, double until, struct lab_run_recorder *recorder)
{
    struct pass pass = {0};
    struct lab_error why;
    char text[LAB_DETAIL_MAX + 64];
    size_t warnings = recorder->warnings;
    lab_run_recorder_trace(recorder);
    if (!asked_to_end(jobs)) {
        /* The GPU is freed before, so that a run that fills its memory fits once more, and the tracer has a process that
         * it has all to itself from the start. */
        run_pass_afresh(jobs, job, until, recorder, &pass);
        lab_warm_retire(&jobs->warm);
    }
    bool drawn = recorder->traced_spans > 0;
    if (!traced_to_the_end(jobs, job, recorder, &pass, &why))
        snprintf(text, sizeof text, "%s: %s", drawn ? "the timeline is incomplete" : "no timeline", why.detail);
    else if (!drawn && recorder->warnings == warnings)
        snprintf(text, sizeof text, "no timeline: The traced pass reported nothing.");
    else
        return;
    lab_run_recorder_warn(recorder, text);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static bool has_timeline(const struct lab_job *job)
{
    const struct lab_experiment *experiment = lab_experiment_find(job->experiment);
    return experiment != NULL && experiment->traced;
}

/* There is no worker to begin with. */
static void give_up(struct lab_jobs *jobs, const struct lab_error *error, struct lab_outcome *outcome)
{
    bool cancelled, stopping;
    read_flags(jobs, &cancelled, &stopping);
    if (stopping)
        end_early(outcome, true, NULL);
    else
        fail(outcome, error->code, error->detail, "");
}

void lab_job_perform(struct lab_jobs *jobs, const struct lab_job *job, struct lab_outcome *outcome)
{
    struct lab_error error = {0};
    if (!lab_warm_ready(&jobs->warm, &error)) {
        give_up(jobs, &error, outcome);
        return;
    }
    if (find_unusable_device(jobs, job, outcome))
        return;
    struct lab_run_recorder recorder = {.run = job->id,
                                        .store = jobs->store,
                                        .events = jobs->events,
                                        .progress = note_progress,
                                        .unreadable = stop_unreadable,
                                        .context = jobs};
    double until = job->time_limit_s > 0 ? lab_clock_now() + job->time_limit_s : INFINITY;
    lab_devices_occupy(jobs->devices, job->devices, true);
    measure(jobs, job, until, &recorder, outcome);
    if (outcome->status == LAB_STATUS_SUCCEEDED && has_timeline(job))
        trace(jobs, job, until, &recorder);
    lab_devices_occupy(jobs->devices, job->devices, false);
    lab_run_recorder_release(&recorder);
}
