/* The attempts of a run, and how the run ends, from what its worker reported and how the worker itself ended. */
#include "run_attempt.h"

#include "compile_kernels.h"
#include "core/clock.h"
#include "core/program.h"
#include "core/text.h"
#include "descriptor/experiment.h"
#include "device_check.h"
#include "judgement.h"
#include "own_kernel.h"
#include "problem.h"
#include "run_group.h"
#include "run_recorder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROBLEM_LOG_SIZE = 4096, OUTPUT_SIZE = 16384 };

/* Starting a measurement waits at most this long until telemetry has finished reading the devices. */
static const double telemetry_wait_s = 1;

/* How an attempt ended, in addition to the events that the recorder received from its worker. */
struct attempt {
    struct lab_error error;     /* from lab_worker_run, or why no worker could be started; without a code: none */
    char log[PROBLEM_LOG_SIZE]; /* the last lines that the worker printed */
};

/* --- results ------------------------------------------------------------------------------------------------------ */

static void fail(struct lab_run_result *result, enum lab_error_code code, const char *detail, const char *log)
{
    result->status = LAB_STATUS_FAILED;
    result->error = lab_problem_json(code, detail, log);
}

static void read_flags(struct lab_node *node, bool *cancelled, bool *stopping)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    *cancelled = node->current.cancelled;
    *stopping = jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
}

static bool stop_requested(struct lab_node *node)
{
    bool cancelled, stopping;
    read_flags(node, &cancelled, &stopping);
    return cancelled || stopping;
}

/* Sets the result of a run that was stopped on request. `forced` is a sentence on how its worker was killed; NULL: the
 * worker stopped on request. */
static void end_early(struct lab_run_result *result, bool stopping, const char *forced)
{
    result->status = stopping ? LAB_STATUS_INTERRUPTED : LAB_STATUS_CANCELLED;
    if (stopping)
        result->error =
            lab_problem_json(LAB_ERROR_INTERRUPTED,
                             forced != NULL ? forced
                                            : "The lab was stopped before the run ended. The measurements up to then "
                                              "are kept; submit the run again to repeat it.",
                             "");
    else if (forced != NULL)
        result->error = lab_problem_json(LAB_ERROR_CANCELLED, forced, "");
}

/* Fails a run without a single result, although its worker reported no failure. */
static void require_result(struct lab_run_result *result, const struct lab_run_recorder *recorder)
{
    char detail[LAB_DETAIL_MAX] = "The experiment reported no measurement.";
    if (recorder->results > 0)
        return;
    if (recorder->skip_reason[0] != '\0')
        snprintf(detail, sizeof detail, "Every point was skipped, the first for this reason: %s",
                 recorder->skip_reason);
    fail(result, LAB_ERROR_NO_RESULT, detail, "");
}

/* Decides how the run ended. */
static void decide_result(struct lab_node *node, const struct lab_run_recorder *recorder, const struct attempt *attempt,
                          struct lab_run_result *result)
{
    const struct lab_error *error = &attempt->error;
    bool cancelled, stopping;
    read_flags(node, &cancelled, &stopping);
    const json_t *elsewhere = lab_group_failure(node, recorder->error);
    result->contended = recorder->contended || (node->group != NULL && node->group->contended);
    result->began = recorder->environment != NULL;
    if (recorder->invalid) {
        char detail[256];
        snprintf(detail, sizeof detail, "The worker process was killed because %s.", recorder->invalid_detail);
        fail(result, LAB_ERROR_WORKER_PROTOCOL, detail, attempt->log);
        result->worker_ended = true;
    } else if (elsewhere != NULL && !cancelled && !stopping) {
        result->status = LAB_STATUS_FAILED;
        result->error = json_deep_copy(elsewhere);
    } else if (recorder->finished && recorder->status != LAB_STATUS_CANCELLED &&
               !(recorder->status == LAB_STATUS_SUCCEEDED && cancelled)) { /* the cancel came while it finished */
        result->status = recorder->status;
        result->error = json_incref(recorder->error);
        if (result->status == LAB_STATUS_SUCCEEDED)
            require_result(result, recorder);
        else if (result->status == LAB_STATUS_FAILED && result->error == NULL)
            fail(result, LAB_ERROR_UNKNOWN, "The worker process reported a failure without a reason.", attempt->log);
    } else if (error->code != LAB_ERROR_NONE && !cancelled && !stopping) {
        fail(result, error->code, error->detail, attempt->log);
        result->worker_ended = error->code != LAB_ERROR_TIME_LIMIT;
    } else {
        end_early(result, stopping && !cancelled, error->code != LAB_ERROR_NONE ? error->detail : NULL);
    }
    if (node->group != NULL && result->worker_ended)
        lab_problem_name_machine(result->error, node->options.name);
}

/* --- an attempt --------------------------------------------------------------------------------------------------- */

static void update_progress(void *context, size_t done, size_t total, const char *label)
{
    struct lab_node *node = context;
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    node->current.has_progress = true;
    node->current.done = done;
    node->current.total = total;
    lab_utf8_copy(node->current.label, sizeof node->current.label, label);
    jobs->generation++;
    pthread_mutex_unlock(&jobs->lock);
}

static void stop_worker(void *context)
{
    struct lab_node *node = context;
    lab_warm_cancel(&node->warm);
}

/* Whether one of the run's devices is unavailable; fails the run then. */
static bool has_unavailable_device(struct lab_node *node, const struct lab_run_request *request,
                                   struct lab_run_result *result)
{
    struct lab_jobs *jobs = node->jobs;
    size_t index;
    json_t *item;
    json_array_foreach(request->used_devices, index, item)
    {
        const char *id = json_string_value(item);
        char reason[LAB_DETAIL_MAX], detail[LAB_DETAIL_MAX + LAB_ID_MAX + 32];
        if (!lab_devices_is_unavailable(jobs->devices, id, reason, sizeof reason))
            continue;
        snprintf(detail, sizeof detail, "Device %s is unavailable: %s", id, reason);
        fail(result, LAB_ERROR_DEVICE_UNAVAILABLE, detail, "");
        return true;
    }
    return false;
}

/* Stores what the run's own kernel has printed, which is what its worker has. */
static void store_output(struct lab_node *node, const struct lab_run_request *request)
{
    struct lab_jobs *jobs = node->jobs;
    char output[OUTPUT_SIZE];
    lab_worker_log(node->warm.worker, output, sizeof output);
    if (output[0] != '\0')
        lab_store_add_output(jobs->store, request->id, output);
}

/* The context of take_event. */
struct listening {
    struct lab_node *node;
    struct lab_run_recorder *recorder;
};

static void take_event(void *context, const char *name, const json_t *event)
{
    const struct listening *listening = context;
    if (strcmp(name, "group") == 0)
        lab_group_join(listening->node, event);
    else
        lab_run_recorder_event(listening->recorder, name, event);
}

/* Adds which machines took part, and the warnings of the workers on the others. */
static void record_group(const struct lab_node *node, struct lab_run_recorder *recorder)
{
    const struct lab_run_group *group = node->group;
    char names[256] = "", note[400];
    size_t index;
    json_t *text;
    if (group == NULL)
        return;
    for (size_t i = 0; i < group->count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 group->members[i].node->options.name);
    snprintf(note, sizeof note, "measured on devices of %s; the environment and the conditions are those of %s", names,
             node->options.name);
    lab_run_recorder_note(recorder, note);
    json_array_foreach(group->warnings, index, text)
    {
        lab_run_recorder_warn(recorder, json_string_value(text));
    }
}

/* {"op":"run",…}, a new reference. */
static json_t *make_operation(const struct lab_run_request *request, const struct lab_run_recorder *recorder)
{
    json_t *operation = json_pack("{s:s, s:s, s:s, s:O, s:O}", "op", "run", "run", request->id, "experiment",
                                  request->experiment, "devices", request->devices, "parameters", request->parameters);
    if (request->kernel != NULL)
        json_object_set(operation, "kernel", request->kernel);
    if (request->program != NULL)
        json_object_set(operation, "program", request->program);
    if (request->outputs != NULL)
        json_object_set_new(operation, "outputs", json_string(request->outputs));
    if (request->owner[0] != '\0')
        json_object_set_new(operation, "owner", json_string(request->owner));
    if (recorder->tracing) /* the timeline is that of the head */
        json_object_set_new(operation, "trace", json_true());
    else if (request->compare_with != NULL)
        json_object_set(operation, "compare_with", request->compare_with);
    if (recorder->calibrated != NULL)
        json_object_set(operation, "calibrated", recorder->calibrated);
    return operation;
}

/* Executes the operation, together with the other nodes of the run if it is on several. */
static enum lab_worker_end run_worker(struct lab_node *node, json_t *operation, double limit_s,
                                      struct lab_run_recorder *recorder, struct attempt *attempt)
{
    struct listening listening = {node, recorder};
    const struct lab_worker_listener listener = {&listening, take_event};
    enum lab_worker_end end = lab_worker_run(node->warm.worker, operation, limit_s, &listener, &attempt->error);
    lab_worker_log(node->warm.worker, attempt->log, sizeof attempt->log);
    lab_group_await_end(node, recorder->finished && recorder->status == LAB_STATUS_SUCCEEDED);
    record_group(node, recorder);
    return end;
}

/* Lets the present worker execute the run, unless a stop has been requested. */
static void attempt_with_present_worker(struct lab_node *node, const struct lab_run_request *request, double limit_s,
                                        struct lab_run_recorder *recorder, struct attempt *attempt)
{
    if (stop_requested(node)) /* a cancel after this is kept by the worker for the run that starts */
        return;
    json_t *operation = make_operation(request, recorder);
    if (request->kernel != NULL)
        lab_worker_clear_log(node->warm.worker);
    if (lab_group_begin(node, operation, request->placed)) {
        enum lab_worker_end end = run_worker(node, operation, limit_s, recorder, attempt);
        if (request->kernel != NULL && !recorder->tracing)
            store_output(node, request);
        json_t *devices = node->group != NULL ? json_object_get(operation, "devices") : request->used_devices;
        lab_warm_run_ended(&node->warm, end, devices, &attempt->error);
    } else {
        lab_error_set(&attempt->error, LAB_ERROR_DEVICE_UNAVAILABLE, "",
                      "A device is of a machine that this lab no longer has, or has at another place in its list.");
    }
    json_decref(operation);
}

/* Lets a worker that has executed no run execute this one, in the time that is left of its limit. */
static void attempt_with_new_worker(struct lab_node *node, const struct lab_run_request *request, double until,
                                    struct lab_run_recorder *recorder, struct attempt *attempt)
{
    struct lab_error *error = &attempt->error;
    if (!lab_warm_ensure_new(&node->warm, request->used_devices, error)) {
        if (stop_requested(node)) /* then starting the worker was stopped, too, and that is not an error */
            *error = (struct lab_error){0};
        return;
    }
    double left = until - lab_clock_now();
    if (left > 0)
        attempt_with_present_worker(node, request, left, recorder, attempt);
    /* The worker's own message names the time that was left, not the limit. */
    if (left <= 0 || (error->code == LAB_ERROR_TIME_LIMIT))
        lab_error_set(error, LAB_ERROR_TIME_LIMIT, "", "The run reached its time limit of %g s and was stopped.",
                      request->time_limit_s);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Whether the worker could not measure because an earlier run has fixed a setting that a process can choose only once,
 * such as whether NCCL uses multicast. */
static bool has_conflicting_settings(const struct lab_run_recorder *recorder)
{
    const char *type = json_string_value(json_object_get(recorder->error, "type"));
    return recorder->measurements == 0 && type != NULL && strcmp(type, "/problems/process-setting-conflict") == 0;
}

/* Whether the worker ended before it reported that the run has started. It may have ended while it was idle, just
 * before the run reached it; if the run ends its worker, the next one will end too. */
static bool ended_before_start(const struct lab_run_recorder *recorder, const struct attempt *attempt)
{
    return recorder->environment == NULL && attempt->error.code == LAB_ERROR_WORKER_DIED;
}

/* Measures in a worker of its own, which runs under compute-sanitizer. */
static void attempt_with_sanitizer(struct lab_node *node, const struct lab_run_request *request, double until,
                                   struct lab_run_recorder *recorder, struct attempt *attempt)
{
    char path[PATH_MAX];
    if (!lab_program_find("compute-sanitizer", NULL, path)) {
        lab_error_set(&attempt->error, LAB_ERROR_NO_SANITIZER, "",
                      "compute-sanitizer is no longer installed on this machine.");
        return;
    }
    lab_run_recorder_warn(recorder,
                          "measured under compute-sanitizer's memcheck, which makes kernels many times slower");
    lab_warm_sanitize(&node->warm, path);
    attempt_with_new_worker(node, request, until, recorder, attempt);
    lab_warm_sanitize(&node->warm, NULL);
}

static void measure(struct lab_node *node, const struct lab_run_request *request, double until,
                    struct lab_run_recorder *recorder, struct lab_run_result *result)
{
    struct attempt attempt = {0};
    bool sanitizes = lab_own_kernel_sanitizes(request->kernel);
    if (sanitizes)
        attempt_with_sanitizer(node, request, until, recorder, &attempt);
    else if (request->judged) /* without what other runs have left in the memory of a process */
        attempt_with_new_worker(node, request, until, recorder, &attempt);
    else
        attempt_with_present_worker(node, request, request->time_limit_s, recorder, &attempt);
    /* A run on several nodes has no second attempt: the other nodes have ended their parts by now. */
    if (!sanitizes && node->group == NULL &&
        (has_conflicting_settings(recorder) || ended_before_start(recorder, &attempt))) {
        lab_run_recorder_restart(recorder);
        attempt = (struct attempt){0};
        if (!stop_requested(node))
            attempt_with_new_worker(node, request, until, recorder, &attempt);
    }
    decide_result(node, recorder, &attempt, result);
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

/* Has the outputs of a run that was measured judged, and then records its measurements, in any case. */
static void judge(struct lab_node *node, const struct lab_run_request *request, double until,
                  const struct lab_judgement *judgement, struct lab_run_recorder *recorder,
                  struct lab_run_result *result)
{
    struct lab_verdicts verdicts = {0};
    struct lab_error error = {0};
    bool cancelled, stopping, succeeded = result->status == LAB_STATUS_SUCCEEDED;
    lab_warm_stop(&node->warm); /* frees its memory, which is cleared before another process gets it */
    if (succeeded) {
        update_progress(node, 0, 0, "judging the outputs");
        lab_judgement_execute(judgement, node, request, until, &verdicts, &error);
    }
    size_t unjudged = lab_run_recorder_judge(recorder, verdicts.list);
    if (succeeded && error.code == LAB_ERROR_NONE && unjudged > 0)
        lab_error_set(&error, LAB_ERROR_FAILED, "", "The outputs of a point were not judged.");
    read_flags(node, &cancelled, &stopping);
    if (succeeded && error.code != LAB_ERROR_NONE && (cancelled || stopping))
        end_early(result, stopping && !cancelled, NULL);
    else if (succeeded && error.code != LAB_ERROR_NONE)
        fail(result, error.code, error.detail, "");
    else if (verdicts.wrong > 0)
        fail(result, LAB_ERROR_WRONG_RESULT, "some results differ from the expected values; they are marked as wrong",
             "");
    for (size_t i = 0; request->tells_wrong && i < json_array_size(verdicts.texts); i++)
        lab_run_recorder_warn(recorder, json_string_value(json_array_get(verdicts.texts, i)));
    lab_verdicts_release(&verdicts);
}

/* --- tracing ------------------------------------------------------------------------------------------------------ */

/* Whether tracing succeeded; false with the reason in *why. */
static bool trace_succeeded(struct lab_node *node, const struct lab_run_request *request,
                            const struct lab_run_recorder *recorder, const struct attempt *attempt,
                            struct lab_error *why)
{
    bool cancelled, stopping;
    read_flags(node, &cancelled, &stopping);
    enum lab_error_code code = attempt->error.code;
    const char *detail = json_string_value(json_object_get(recorder->error, "detail"));
    if (recorder->invalid)
        return lab_error_set(why, LAB_ERROR_WORKER_PROTOCOL, "", "The worker process was killed because %s.",
                             recorder->invalid_detail);
    if (recorder->finished && recorder->status == LAB_STATUS_SUCCEEDED)
        return true;
    if (cancelled)
        return lab_error_set(why, LAB_ERROR_CANCELLED, "", "The run was cancelled while it was being traced.");
    if (stopping)
        return lab_error_set(why, LAB_ERROR_INTERRUPTED, "", "The lab was stopped while the run was being traced.");
    if (code == LAB_ERROR_TIME_LIMIT)
        return lab_error_set(why, code, "", "The run reached its time limit of %g s while it was being traced.",
                             request->time_limit_s);
    if (recorder->finished && detail != NULL)
        return lab_error_set(why, LAB_ERROR_FAILED, "", "%s", detail);
    if (code == LAB_ERROR_NONE)
        return lab_error_set(why, LAB_ERROR_UNKNOWN, "", "The worker process reported a failure without a reason.");
    return lab_error_set(why, code, "", "%s", attempt->error.detail);
}

static void trace(struct lab_node *node, const struct lab_run_request *request, double until,
                  struct lab_run_recorder *recorder)
{
    struct attempt attempt = {0};
    struct lab_error why;
    char text[LAB_DETAIL_MAX + 64];
    size_t warnings = json_object_size(recorder->warnings);
    lab_run_recorder_begin_trace(recorder);
    if (!stop_requested(node)) {
        /* A new worker, because the tracer must be active from the start of a process, and because a run that fills the
         * device memory needs all of it again. */
        attempt_with_new_worker(node, request, until, recorder, &attempt);
        lab_warm_stop(&node->warm);
    }
    bool has_spans = recorder->traced_spans > 0;
    if (!trace_succeeded(node, request, recorder, &attempt, &why))
        snprintf(text, sizeof text, "%s: %s", has_spans ? "the timeline is incomplete" : "no timeline", why.detail);
    else if (!has_spans && json_object_size(recorder->warnings) == warnings)
        snprintf(text, sizeof text, "no timeline: Tracing reported no spans.");
    else
        return;
    lab_run_recorder_warn(recorder, text);
}

/* --- devices that a program has left with errors ------------------------------------------------------------------ */

/* Whether the run may use its devices; ends it otherwise. */
static bool pass_device_check(struct lab_node *node, const struct lab_run_request *request,
                              struct lab_run_recorder *recorder, struct lab_run_result *result)
{
    struct lab_error error = {0};
    char note[LAB_DETAIL_MAX];
    bool cancelled, stopping, good = lab_device_check(node, request, note, &error);
    read_flags(node, &cancelled, &stopping);
    if (note[0] != '\0')
        lab_run_recorder_note(recorder, note);
    if (!good && (cancelled || stopping))
        end_early(result, stopping && !cancelled, NULL);
    else if (!good)
        fail(result, error.code, error.detail, "");
    return good;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool has_timeline(const struct lab_run_request *request)
{
    const struct lab_experiment *experiment = lab_experiment_find(request->experiment);
    return experiment != NULL && experiment->traced;
}

void lab_run_execute(struct lab_node *node, struct lab_run_request *request, struct lab_run_result *result)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_judgement judgement = {0};
    if (has_unavailable_device(node, request, result) || !lab_compile_kernels(jobs, request, &result->error) ||
        !lab_judgement_open(&judgement, node, request, &result->error))
        return;
    struct lab_run_recorder recorder = {
        .run = request->id,
        .about = {request->id, request->requested_by, request->secret_until > lab_time_now()},
        .experiment = lab_experiment_find(request->experiment),
        .store = jobs->store,
        .events = jobs->events,
        .devices = jobs->devices,
        .counters = jobs->counters,
        .on_progress = update_progress,
        .on_invalid = stop_worker,
        .context = node,
        .withholds = request->judged};
    double until = lab_clock_now() + request->time_limit_s;
    lab_devices_set_busy(jobs->devices, request->used_devices, telemetry_wait_s);
    if (pass_device_check(node, request, &recorder, result))
        measure(node, request, until, &recorder, result);
    if (request->judged)
        judge(node, request, until, &judgement, &recorder, result);
    lab_device_check_learn(node, request, recorder.lost || result->worker_ended,
                           result->status == LAB_STATUS_SUCCEEDED);
    if (result->status == LAB_STATUS_SUCCEEDED && has_timeline(request))
        trace(node, request, until, &recorder);
    lab_run_recorder_store_headlines(&recorder);
    lab_devices_set_idle(jobs->devices, request->used_devices);
    lab_run_recorder_release(&recorder);
    lab_judgement_close(&judgement);
}
