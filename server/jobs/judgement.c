#include "judgement.h"

#include "core/clock.h"
#include "core/run_status.h"
#include "descriptor/expected_source.h"
#include "own_kernel.h"
#include "problem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* --- the parts of a kernel ---------------------------------------------------------------------------------------- */

/* Removes members of an object. `names` ends with NULL. */
static void remove_members(json_t *object, const char *const *names)
{
    for (; *names != NULL; names++)
        json_object_del(object, *names);
}

/* Removes members of each object of a list. */
static void remove_from_each(const json_t *list, const char *const *names)
{
    size_t index;
    json_t *object;
    json_array_foreach(list, index, object)
    {
        remove_members(object, names);
    }
}

/* The kernel without anything that says what its outputs must be, a new reference. */
static json_t *submission_of(const json_t *kernel)
{
    static const char *const of_kernel[] = {"reference", "check", NULL},
                             *const of_arguments[] = {"expected", "expected_data", "tolerance", NULL},
                             *const of_variants[] = {"reference", NULL};
    json_t *part = json_deep_copy(kernel);
    remove_members(part, of_kernel);
    remove_from_each(json_object_get(part, "arguments"), of_arguments);
    remove_from_each(json_object_get(part, "variants"), of_variants);
    json_object_set_new(part, "secret", json_true());
    return part;
}

/* What says what the outputs must be, without the kernel, a new reference. */
static json_t *reference_of(const json_t *kernel)
{
    static const char *const of_variants[] = {"image", "entry", NULL};
    json_t *part = json_deep_copy(kernel);
    remove_from_each(json_object_get(part, "variants"), of_variants);
    json_object_set_new(part, "secret", json_true());
    return part;
}

bool lab_judgement_possible(const json_t *kernel)
{
    const json_t *arguments = json_object_get(kernel, "arguments"), *argument;
    const json_t *reference = json_object_get(kernel, "reference");
    bool possible = json_object_get(kernel, "check") != NULL || json_object_get(reference, "source") != NULL;
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        argument = json_array_get(arguments, i);
        possible = possible || json_object_get(argument, "expected") != NULL ||
                   json_object_get(argument, "expected_data") != NULL;
    }
    return possible && json_object_get(kernel, "edits") == NULL;
}

/* Whether each variant that was compiled has a reference in an image of its own, or none. */
static bool has_own_image(const json_t *kernel)
{
    size_t index;
    json_t *variant;
    json_array_foreach(json_object_get(kernel, "variants"), index, variant)
    {
        const json_t *reference = json_object_get(variant, "reference");
        if (reference != NULL && json_object_get(reference, "image") == NULL)
            return false;
    }
    return true;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Why the run cannot be judged; NULL: it can. */
static const char *obstacle_of(const struct lab_node *node, const struct lab_run_request *request)
{
    if (!has_own_image(request->kernel))
        return "A run that is judged needs a reference with a source of its own, or 'check' or 'expected'.";
    if (request->compare_with != NULL || lab_own_kernel_sanitizes(request->kernel))
        return "A run that is judged has neither 'compare_with' nor 'sanitize'.";
    if (!lab_node_is_local(node) || node->group != NULL)
        return "A run that is judged needs a device of the machine of the lab.";
    return NULL;
}

bool lab_judgement_open(struct lab_judgement *judgement, const struct lab_node *node, struct lab_run_request *request,
                        json_t **problem)
{
    if (!request->judged)
        return true;
    const char *obstacle = obstacle_of(node, request);
    if (obstacle == NULL && (judgement->file = tmpfile()) == NULL)
        obstacle = "The temporary file for the outputs cannot be made; is there space in /tmp?";
    if (obstacle != NULL) {
        *problem = lab_problem_json(LAB_ERROR_FAILED, obstacle, "");
        return false;
    }
    snprintf(judgement->path, sizeof judgement->path, "/proc/%ld/fd/%d", (long)getpid(), fileno(judgement->file));
    judgement->reference = reference_of(request->kernel);
    json_t *submission = submission_of(request->kernel);
    json_decref(request->kernel);
    request->kernel = submission;
    request->outputs = judgement->path;
    return true;
}

void lab_judgement_close(struct lab_judgement *judgement)
{
    json_decref(judgement->reference);
    if (judgement->file != NULL)
        fclose(judgement->file);
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

/* The context of take_event. */
struct listening {
    struct lab_verdicts *verdicts;
    enum lab_status status;
    char detail[LAB_DETAIL_MAX]; /* why the worker failed; "": no reason */
};

static void take_verdict(struct lab_verdicts *verdicts, const json_t *event)
{
    json_t *axes = json_object_get(event, "axes"), *wrong = json_object_get(event, "wrong");
    json_t *text = json_object_get(event, "text");
    if (!json_is_object(axes) || !json_is_integer(wrong) || json_integer_value(wrong) < 0)
        return;
    json_array_append_new(verdicts->list, json_pack("{s:O, s:O}", "axes", axes, "wrong", wrong));
    if (json_is_string(text))
        json_array_append(verdicts->texts, text);
    verdicts->wrong += json_integer_value(wrong) > 0;
}

static void take_event(void *context, const char *name, const json_t *event)
{
    struct listening *l = context;
    const char *status = json_string_value(json_object_get(event, "status"));
    const char *detail = json_string_value(json_object_get(json_object_get(event, "error"), "detail"));
    if (strcmp(name, "verdict") == 0)
        take_verdict(l->verdicts, event);
    if (strcmp(name, "finished") != 0)
        return;
    if (status == NULL || !lab_status_parse(status, &l->status))
        l->status = LAB_STATUS_FAILED;
    snprintf(l->detail, sizeof l->detail, "%s", detail != NULL ? detail : "");
}

/* {"op":"run",…} for the worker that judges, a new reference. */
static json_t *make_operation(const struct lab_judgement *judgement, const struct lab_run_request *request)
{
    json_t *operation =
        json_pack("{s:s, s:s, s:s, s:O, s:O, s:O, s:s, s:b}", "op", "run", "run", request->id, "experiment",
                  request->experiment, "devices", request->devices, "parameters", request->parameters, "kernel",
                  judgement->reference, "outputs", judgement->path, "judges", 1);
    if (request->owner[0] != '\0')
        json_object_set_new(operation, "owner", json_string(request->owner));
    return operation;
}

/* Lets the worker judge. False with *error set, without a code when it was asked to stop. */
static bool judge(const struct lab_judgement *judgement, struct lab_node *node, const struct lab_run_request *request,
                  double limit_s, struct listening *listening, struct lab_error *error)
{
    json_t *operation = make_operation(judgement, request);
    const struct lab_worker_listener listener = {listening, take_event};
    enum lab_worker_end end = lab_worker_run(node->warm.worker, operation, limit_s, &listener, error);
    lab_warm_run_ended(&node->warm, end, request->used_devices, error);
    json_decref(operation);
    return error->code == LAB_ERROR_NONE &&
           (listening->status == LAB_STATUS_SUCCEEDED ||
            lab_error_set(error, LAB_ERROR_FAILED, "", "%s",
                          listening->detail[0] != '\0' ? listening->detail : "The worker gave no reason."));
}

void lab_judgement_execute(const struct lab_judgement *judgement, struct lab_node *node,
                           const struct lab_run_request *request, double until, struct lab_verdicts *verdicts,
                           struct lab_error *error)
{
    struct listening listening = {verdicts, LAB_STATUS_FAILED, ""};
    struct lab_error why = {0};
    *verdicts = (struct lab_verdicts){json_array(), json_array(), 0};
    bool good = lab_warm_ensure(&node->warm, request->used_devices, &why);
    double left = until - lab_clock_now();
    if (good && left <= 0)
        good = lab_error_set(&why, LAB_ERROR_TIME_LIMIT, "", "The run reached its time limit of %g s.",
                             request->time_limit_s);
    good = good && judge(judgement, node, request, left, &listening, &why);
    lab_warm_stop(&node->warm);
    if (!good)
        lab_error_set(error, why.code, "", "The outputs could not be judged: %s", why.detail);
}

void lab_verdicts_release(struct lab_verdicts *verdicts)
{
    json_decref(verdicts->list);
    json_decref(verdicts->texts);
}
