/* Checks what the table of a request's fields cannot say: whether experiment, devices and parameters exist and go together.
 * Values of a wrong type are skipped, because the table has refused them. All errors are reported together. */
#include "submission.h"

#include "core/text.h"
#include "run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arguments of the functions that check a field. */
struct check {
    struct lab_submission *submission;
    struct lab_devices *devices;
    const char *node; /* the machine that has them */
    struct lab_errors *errors;
};

/* --- the fields --------------------------------------------------------------------------------------------------- */

static void check_experiment(struct check *check, const json_t *value)
{
    const char *name = json_string_value(value);
    check->submission->experiment = name != NULL ? lab_experiment_find(name) : NULL;
    if (name != NULL && check->submission->experiment == NULL)
        lab_errors_add(check->errors, "unknown-experiment", "/experiment",
                       "experiment not found: \"%.60s\"; GET /api/v1/experiments lists the names.", name);
}

/* Adds a device to the submission; false when there is none with that id. */
static bool add_device(const struct check *check, const char *id)
{
    struct lab_device_facts facts;
    return lab_devices_find(check->devices, id, &facts) &&
           json_array_append_new(check->submission->devices,
                                 json_pack("{s:s, s:s, s:s}", "id", id, "name", facts.name, "node", check->node)) == 0;
}

/* Takes the available devices, at most as many as the experiment can use. */
static void take_default_devices(struct check *check, const struct lab_experiment *experiment)
{
    size_t least = experiment->devices_min, taken = 0;
    char id[LAB_ID_MAX];
    for (; taken < experiment->devices_max && lab_devices_available(check->devices, taken, id); taken++)
        add_device(check, id);
    if (taken < least)
        lab_errors_add(check->errors, "device-count", "/devices",
                       "%s needs at least %zu device%s, but %zu %s available.", experiment->name, least,
                       least == 1 ? "" : "s", taken, taken == 1 ? "is" : "are");
}

/* Adds a device of the request to the submission. */
static void check_device(const struct check *check, const json_t *list, size_t index)
{
    char pointer[32] = "/devices";
    lab_pointer_append_index(pointer, sizeof pointer, index);
    const char *id = json_string_value(json_array_get(list, index));
    if (id != NULL && !add_device(check, id))
        lab_errors_add(check->errors, "unknown-device", pointer,
                       "device not found: \"%.60s\"; GET /api/v1/devices lists the ids.", id);
}

static void check_devices(struct check *check, const json_t *value)
{
    struct lab_submission *submission = check->submission;
    const struct lab_experiment *experiment = submission->experiment;
    submission->devices = json_array();
    if (value == NULL) {
        if (experiment != NULL)
            take_default_devices(check, experiment);
        return;
    }
    size_t given = json_array_size(value);
    for (size_t i = 0; i < given; i++)
        check_device(check, value, i);
    if (json_is_array(value) && experiment != NULL &&
        (given < experiment->devices_min || given > experiment->devices_max))
        lab_errors_add(check->errors, "device-count", "/devices", "%s takes %zu to %zu devices, not %zu.",
                       experiment->name, experiment->devices_min, experiment->devices_max, given);
}

static void check_parameters(struct check *check, const json_t *value)
{
    if (check->submission->experiment != NULL && (value == NULL || json_is_object(value)))
        check->submission->parameters = lab_parameters_parse(check->submission->experiment, value, check->errors);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Checks with the experiment's plan whether it can run with these parameters on these devices. */
static void check_plan(struct check *check)
{
    struct lab_submission *submission = check->submission;
    size_t count = json_array_size(submission->devices);
    struct lab_device_facts *facts = calloc(count + 1, sizeof *facts);
    const struct lab_device_facts **devices = calloc(count + 1, sizeof *devices);
    size_t known = 0;
    for (; facts != NULL && devices != NULL && known < count; known++) {
        devices[known] = &facts[known];
        const json_t *device = json_array_get(submission->devices, known);
        if (!lab_devices_find(check->devices, json_string_value(json_object_get(device, "id")), &facts[known]))
            break; /* it was removed after check_device found it */
    }
    if (known < count || facts == NULL || devices == NULL)
        lab_errors_add(check->errors, "unknown-device", "/devices",
                       "A device was removed while the request was checked.");
    else if (submission->experiment->plan(submission->parameters, devices, count, &submission->estimate,
                                          check->errors) &&
             submission->estimate.points > LAB_POINTS_MAX)
        lab_errors_add(check->errors, "too-many-points", "/parameters",
                       "These parameters make %zu points; a run may have at most %d.", submission->estimate.points,
                       LAB_POINTS_MAX);
    free(devices);
    free(facts);
}

/* Whether all devices of the request were found, as many as the experiment takes. */
static bool has_devices(const struct lab_submission *submission, const json_t *given)
{
    size_t count = json_array_size(submission->devices);
    return submission->experiment != NULL && count >= json_array_size(given) &&
           count >= submission->experiment->devices_min && count <= submission->experiment->devices_max;
}

bool lab_submission_check(struct lab_submission *submission, const json_t *request, struct lab_devices *devices,
                          const char *node, struct lab_errors *errors)
{
    size_t count_before = errors->count;
    const json_t *given = json_object_get(request, "devices"), *tags = json_object_get(request, "tags");
    const char *note = json_string_value(json_object_get(request, "note"));
    *submission = (struct lab_submission){
        .note = note != NULL ? note : "",
        .tags = json_is_array(tags) ? json_incref((json_t *)tags) : json_array(),
        .time_limit_s = json_number_value(json_object_get(request, "time_limit_s")),
    };
    const char *priority = json_string_value(json_object_get(request, "priority"));
    if (priority != NULL)
        lab_priority_parse(priority, &submission->priority);
    struct check check = {submission, devices, node, errors};
    check_experiment(&check, json_object_get(request, "experiment"));
    check_devices(&check, given);
    check_parameters(&check, json_object_get(request, "parameters"));
    bool complete = submission->parameters != NULL && has_devices(submission, given);
    if (complete)
        check_plan(&check);
    if (submission->time_limit_s <= 0)
        submission->time_limit_s = fmax(LAB_TIME_LIMIT_FACTOR * submission->estimate.seconds, LAB_TIME_LIMIT_LEAST_S);
    return complete && errors->count == count_before;
}

void lab_submission_release(struct lab_submission *submission)
{
    json_decref(submission->devices);
    json_decref(submission->tags);
    lab_parameters_free(submission->parameters);
    *submission = (struct lab_submission){0};
}

/* --- the row ------------------------------------------------------------------------------------------------------ */

bool lab_submission_to_row(const struct lab_submission *submission, struct lab_submission_row *row)
{
    json_t *parameters = lab_parameters_to_json(submission->parameters);
    *row = (struct lab_submission_row){.devices = json_dumps(submission->devices, JSON_COMPACT),
                                       .parameters = json_dumps(parameters, JSON_COMPACT),
                                       .tags = json_dumps(submission->tags, JSON_COMPACT)};
    json_decref(parameters);
    row->run = (struct lab_new_run){.experiment = submission->experiment->name,
                                    .devices = row->devices,
                                    .parameters = row->parameters,
                                    .tags = row->tags,
                                    .note = submission->note,
                                    .priority = submission->priority,
                                    .created_at = lab_time_now(),
                                    .time_limit_s = submission->time_limit_s,
                                    .estimate_s = submission->estimate.seconds};
    return row->devices != NULL && row->parameters != NULL && row->tags != NULL;
}

void lab_submission_row_release(struct lab_submission_row *row)
{
    free(row->devices);
    free(row->parameters);
    free(row->tags);
}
