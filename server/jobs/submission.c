/* Checks a request for a run. Each field has a function that checks it; all errors are reported together. */
#include "submission.h"

#include "core/text.h"
#include "run_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS_MAX = 32, TAG_LENGTH_MAX = 64, NOTE_LENGTH_MAX = 4096, TIME_LIMIT_MAX_S = 86400 };

/* Arguments of the functions that check a field. */
struct check {
    struct lab_submission *submission;
    struct lab_devices *devices;
    struct lab_errors *errors;
};

static bool wrong_type(const struct check *check, const char *pointer, const char *wanted)
{
    return lab_errors_add(check->errors, "wrong-type", pointer, "%s must be %s.", pointer + 1, wanted);
}

static bool seen_before(const json_t *list, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (json_equal(json_array_get(list, i), json_array_get(list, index)))
            return true;
    return false;
}

/* --- the fields --------------------------------------------------------------------------------------------------- */

static void check_experiment(struct check *check, const json_t *value)
{
    const char *name = json_string_value(value);
    if (value == NULL) {
        lab_errors_add(check->errors, "missing", "/experiment",
                       "experiment must be given; GET /api/v1/experiments lists the names.");
    } else if (name == NULL) {
        wrong_type(check, "/experiment", "a string, the name of an experiment");
    } else {
        check->submission->experiment = lab_experiment_find(name);
        if (check->submission->experiment == NULL)
            lab_errors_add(check->errors, "unknown-experiment", "/experiment",
                           "experiment not found: \"%.60s\"; GET /api/v1/experiments lists the names.", name);
    }
}

/* Takes the available devices, at most as many as the experiment can use. */
static void take_default_devices(struct check *check, const struct lab_experiment *experiment)
{
    size_t least = experiment->devices_min, taken = 0;
    char id[LAB_ID_MAX];
    for (; taken < experiment->devices_max && lab_devices_available(check->devices, taken, id); taken++)
        json_array_append_new(check->submission->devices, json_string(id));
    if (taken < least)
        lab_errors_add(check->errors, "device-count", "/devices",
                       "%s needs at least %zu device%s, but %zu %s available.", experiment->name, least,
                       least == 1 ? "" : "s", taken, taken == 1 ? "is" : "are");
}

static bool check_device(const struct check *check, const json_t *list, size_t index)
{
    char pointer[32] = "/devices";
    lab_pointer_append_index(pointer, sizeof pointer, index);
    const char *id = json_string_value(json_array_get(list, index));
    if (id == NULL)
        return wrong_type(check, pointer, "a string, the id of a device");
    if (!lab_devices_find(check->devices, id, NULL))
        return lab_errors_add(check->errors, "unknown-device", pointer,
                              "device not found: \"%.60s\"; GET /api/v1/devices lists the ids.", id);
    if (seen_before(list, index))
        return lab_errors_add(check->errors, "duplicate", pointer, "The device is listed twice.");
    return true;
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
    if (!json_is_array(value)) {
        wrong_type(check, "/devices", "a list of device ids");
        return;
    }
    size_t given = json_array_size(value);
    for (size_t i = 0; i < given; i++)
        if (check_device(check, value, i))
            json_array_append(submission->devices, json_array_get(value, i));
    if (experiment != NULL && (given < experiment->devices_min || given > experiment->devices_max))
        lab_errors_add(check->errors, "device-count", "/devices", "%s takes %zu to %zu devices, not %zu.",
                       experiment->name, experiment->devices_min, experiment->devices_max, given);
}

static void check_parameters(struct check *check, const json_t *value)
{
    if (value != NULL && !json_is_object(value))
        wrong_type(check, "/parameters", "an object");
    else if (check->submission->experiment != NULL)
        check->submission->parameters = lab_parameters_parse(check->submission->experiment, value, check->errors);
}

static bool check_tag(const struct check *check, const json_t *list, size_t index)
{
    char pointer[32] = "/tags";
    lab_pointer_append_index(pointer, sizeof pointer, index);
    const char *tag = json_string_value(json_array_get(list, index));
    if (tag == NULL)
        return wrong_type(check, pointer, "a string");
    size_t length = lab_utf8_count(tag, strlen(tag));
    if (length < 1 || length > TAG_LENGTH_MAX)
        return lab_errors_add(check->errors, "out-of-bounds", pointer, "A tag must have 1 to %d characters, not %zu.",
                              TAG_LENGTH_MAX, length);
    if (seen_before(list, index))
        return lab_errors_add(check->errors, "duplicate", pointer, "The tag is listed twice.");
    return true;
}

static void check_tags(struct check *check, const json_t *value)
{
    check->submission->tags = json_array();
    if (value == NULL)
        return;
    if (!json_is_array(value)) {
        wrong_type(check, "/tags", "a list of strings");
        return;
    }
    size_t given = json_array_size(value);
    if (given > TAGS_MAX) {
        lab_errors_add(check->errors, "out-of-bounds", "/tags", "A run may have at most %d tags, not %zu.", TAGS_MAX,
                       given);
        return;
    }
    for (size_t i = 0; i < given; i++)
        if (check_tag(check, value, i))
            json_array_append(check->submission->tags, json_array_get(value, i));
}

static void check_note(struct check *check, const json_t *value)
{
    check->submission->note = value == NULL ? "" : json_string_value(value);
    if (check->submission->note == NULL) {
        wrong_type(check, "/note", "a string");
        return;
    }
    size_t length = lab_utf8_count(check->submission->note, strlen(check->submission->note));
    if (length > NOTE_LENGTH_MAX)
        lab_errors_add(check->errors, "out-of-bounds", "/note", "A note may have at most %d characters, not %zu.",
                       NOTE_LENGTH_MAX, length);
}

static void check_time_limit(struct check *check, const json_t *value)
{
    if (value == NULL)
        return;
    if (!json_is_number(value)) {
        wrong_type(check, "/time_limit_s", "a number of seconds");
        return;
    }
    double seconds = json_number_value(value);
    if (seconds > 0 && seconds <= TIME_LIMIT_MAX_S)
        check->submission->time_limit_s = seconds;
    else
        lab_errors_add(check->errors, "out-of-bounds", "/time_limit_s",
                       "time_limit_s must be more than 0 and at most %d, not %g.", TIME_LIMIT_MAX_S, seconds);
}

/* Checked in this order, because the allowed devices and parameters depend on the experiment. */
static const struct {
    const char *name;
    void (*check)(struct check *check, const json_t *value); /* `value` is NULL when the field is missing */
} fields[] = {
    {"experiment", check_experiment},
    {"devices", check_devices},
    {"parameters", check_parameters},
    {"tags", check_tags},
    {"note", check_note},
    {"time_limit_s", check_time_limit},
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static bool is_field(const char *name)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

static void check_unknown_fields(const struct check *check, const json_t *request)
{
    const char *name;
    json_t *value;
    char known[128] = "";
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", fields[i].name);
    }
    json_object_foreach((json_t *)request, name, value)
    {
        char pointer[LAB_POINTER_MAX] = "";
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        if (!is_field(name))
            lab_errors_add(check->errors, "unknown-field", pointer, "unknown field \"%.60s\"; allowed are %s", name,
                           known);
    }
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Checks with the experiment's plan whether it can run with these parameters on these devices. */
static void check_plan(struct check *check)
{
    const struct lab_submission *submission = check->submission;
    size_t count = json_array_size(submission->devices);
    struct lab_device_facts *facts = calloc(count + 1, sizeof *facts);
    const struct lab_device_facts **devices = calloc(count + 1, sizeof *devices);
    struct lab_estimate estimate = {0};
    size_t known = 0;
    for (; facts != NULL && devices != NULL && known < count; known++) {
        devices[known] = &facts[known];
        if (!lab_devices_find(check->devices, json_string_value(json_array_get(submission->devices, known)),
                              &facts[known]))
            break; /* it was removed after check_device found it */
    }
    if (known < count || facts == NULL || devices == NULL)
        lab_errors_add(check->errors, "unknown-device", "/devices",
                       "A device was removed while the request was checked.");
    else if (submission->experiment->plan(submission->parameters, devices, count, &estimate, check->errors) &&
             estimate.points > LAB_POINTS_MAX)
        lab_errors_add(check->errors, "too-many-points", "/parameters",
                       "These parameters make %zu points; a run may have at most %d.", estimate.points, LAB_POINTS_MAX);
    free(devices);
    free(facts);
}

bool lab_submission_check(struct lab_submission *submission, const json_t *request, struct lab_devices *devices,
                          struct lab_errors *errors)
{
    *submission = (struct lab_submission){0};
    struct check check = {submission, devices, errors};
    if (!json_is_object(request))
        return lab_errors_add(errors, "wrong-type", "", "A request for a run must be an object.");
    check_unknown_fields(&check, request);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        fields[i].check(&check, json_object_get(request, fields[i].name));
    size_t given = json_array_size(json_object_get(request, "devices"));
    bool devices_valid = json_array_size(submission->devices) >= given && submission->experiment != NULL &&
                         json_array_size(submission->devices) >= submission->experiment->devices_min &&
                         json_array_size(submission->devices) <= submission->experiment->devices_max;
    if (devices_valid && submission->parameters != NULL)
        check_plan(&check);
    return errors->count == 0;
}

void lab_submission_release(struct lab_submission *submission)
{
    json_decref(submission->devices);
    json_decref(submission->tags);
    lab_parameters_free(submission->parameters);
    *submission = (struct lab_submission){0};
}

/* --- storing ------------------------------------------------------------------------------------------------------ */

/* The strings of a JSON array, in an array that the caller frees. NULL when out of memory. */
static const char **strings_of(const json_t *list)
{
    size_t count = json_array_size(list);
    const char **strings = calloc(count + 1, sizeof *strings);
    for (size_t i = 0; strings != NULL && i < count; i++)
        strings[i] = json_string_value(json_array_get(list, i));
    return strings;
}

enum lab_store_result lab_submission_store(const struct lab_submission *submission, struct lab_store *store,
                                           const char *id, const char *host, const char *key, const json_t *request,
                                           char existing[LAB_RUN_ID_SIZE])
{
    json_t *resolved = lab_parameters_to_json(submission->parameters);
    char *parameters = json_dumps(resolved, JSON_COMPACT);
    char *devices = json_dumps(submission->devices, JSON_COMPACT);
    char *tags = json_dumps(submission->tags, JSON_COMPACT);
    char *body = key != NULL ? json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char **device_ids = strings_of(submission->devices), **tag_names = strings_of(submission->tags);
    enum lab_store_result result = LAB_STORE_FAILED;
    if (parameters == NULL || devices == NULL || tags == NULL || (key != NULL && body == NULL) || device_ids == NULL ||
        tag_names == NULL)
        goto out;
    const struct lab_new_run run = {
        .id = id,
        .experiment = submission->experiment->name,
        .host = host,
        .devices = devices,
        .parameters = parameters,
        .tags = tags,
        .note = submission->note,
        .device_ids = device_ids,
        .device_count = json_array_size(submission->devices),
        .tag_names = tag_names,
        .tag_count = json_array_size(submission->tags),
        .created_at = lab_time_now(),
        .time_limit_s = submission->time_limit_s,
        .idempotency_key = key,
        .idempotency_body = body,
    };
    result = lab_store_add_run(store, &run, existing);

out:
    free(tag_names);
    free(device_ids);
    free(body);
    free(tags);
    free(devices);
    free(parameters);
    json_decref(resolved);
    return result;
}
