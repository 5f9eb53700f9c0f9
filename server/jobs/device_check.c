#include "device_check.h"

#include "core/run_status.h"
#include "descriptor/experiment.h"
#include "descriptor/parameters.h"

#include <stdio.h>
#include <string.h>

/* Seconds that a check may take; the preset takes a few. */
static const double limit_s = 120;

/* What the worker says at the end of the check. */
struct check {
    enum lab_status status;
    char detail[LAB_DETAIL_MAX]; /* why it failed; "": no reason */
};

static void take_event(void *context, const char *name, const json_t *event)
{
    struct check *check = context;
    const char *status = json_string_value(json_object_get(event, "status"));
    const char *detail = json_string_value(json_object_get(json_object_get(event, "error"), "detail"));
    if (strcmp(name, "finished") != 0)
        return;
    if (status == NULL || !lab_status_parse(status, &check->status))
        check->status = LAB_STATUS_FAILED;
    snprintf(check->detail, sizeof check->detail, "%s", detail != NULL ? detail : "");
}

static bool is_check(const struct lab_run_request *request)
{
    const struct lab_experiment *experiment = lab_experiment_find(request->experiment);
    return experiment != NULL && experiment->checks_devices;
}

/* {"op":"run",…} of the experiment that checks devices with its preset quick, a new reference; NULL: this build has
 * none. */
static json_t *make_operation(const struct lab_run_request *request, json_t *ids)
{
    const struct lab_experiment *experiment = lab_experiment_of_checks();
    const char *preset = experiment != NULL ? lab_experiment_preset(experiment, "quick") : NULL;
    json_t *given = preset != NULL ? json_loads(preset, 0, NULL) : NULL;
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = given != NULL ? lab_parameters_parse(experiment, given, &errors) : NULL;
    json_t *operation = parameters != NULL ? json_pack("{s:s, s:s, s:s, s:O, s:o}", "op", "run", "run", request->id,
                                                       "experiment", experiment->name, "devices", ids, "parameters",
                                                       lab_parameters_to_json(parameters))
                                           : NULL;
    lab_parameters_free(parameters);
    json_decref(given);
    return operation;
}

/* Executes the check. False with *error set: its code is that of the worker where it has not ended by itself. */
static bool execute(struct lab_node *node, json_t *operation, json_t *ids, struct lab_error *error)
{
    struct check check = {.status = LAB_STATUS_FAILED};
    const struct lab_worker_listener listener = {&check, take_event};
    enum lab_worker_end end = lab_worker_run(node->warm.worker, operation, limit_s, &listener, error);
    lab_warm_run_ended(&node->warm, end, ids, error);
    if (error->code != LAB_ERROR_NONE)
        return false;
    if (check.status == LAB_STATUS_CANCELLED)
        return lab_error_set(error, LAB_ERROR_CANCELLED, "", "The run was cancelled.");
    return check.status == LAB_STATUS_SUCCEEDED ||
           lab_error_set(error, LAB_ERROR_FAILED, "", "%s",
                         check.detail[0] != '\0' ? check.detail : "A result was wrong.");
}

bool lab_device_check(struct lab_node *node, const struct lab_run_request *request, char note[LAB_DETAIL_MAX],
                      struct lab_error *error)
{
    struct lab_devices *devices = node->jobs->devices;
    note[0] = '\0';
    if (node->group != NULL || is_check(request))
        return true;
    json_t *ids = lab_devices_suspects(devices, request->used_devices);
    json_t *operation = json_array_size(ids) > 0 ? make_operation(request, ids) : NULL;
    bool good = operation == NULL || execute(node, operation, ids, error);
    const char *first = json_string_value(json_array_get(ids, 0));
    if (!good && error->code != LAB_ERROR_CANCELLED) {
        char detail[LAB_DETAIL_MAX];
        snprintf(detail, sizeof detail, "%s", error->detail);
        lab_error_set(error, LAB_ERROR_DEVICE_UNAVAILABLE, "",
                      "Device %s has failed the quick health check, which runs because a program has left it with an "
                      "error: %s",
                      first, detail);
    }
    if (good && operation != NULL) {
        lab_devices_set_suspect(devices, ids, false);
        snprintf(note, LAB_DETAIL_MAX,
                 "device %s has passed the quick health check before this run, because a program had left it with an "
                 "error",
                 first);
    }
    json_decref(operation);
    json_decref(ids);
    return good;
}

void lab_device_check_learn(struct lab_node *node, const struct lab_run_request *request, bool lost, bool succeeded)
{
    struct lab_devices *devices = node->jobs->devices;
    if (request->program != NULL && lost)
        lab_devices_set_suspect(devices, request->used_devices, true);
    else if (succeeded && is_check(request))
        lab_devices_set_suspect(devices, request->used_devices, false);
}
