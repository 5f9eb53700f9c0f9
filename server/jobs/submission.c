/* Checks what the table of a request's fields cannot say: whether experiment, devices and parameters exist and go
 * together. Values of a wrong type are skipped, because the table has refused them. All errors are reported
 * together. */
#include "submission.h"

#include "core/clock.h"
#include "core/suggestion.h"
#include "core/text.h"
#include "descriptor/program.h"
#include "own_kernel.h"
#include "preset.h"
#include "run_devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments of the functions that check a field. */
struct check {
    struct lab_submission_side *side;
    struct lab_devices *devices;
    const struct lab_submit_rights *rights;
    struct lab_errors *errors;
};

/* --- the fields of a side ----------------------------------------------------------------------------------------- */

static void check_experiment(struct check *check, const json_t *value)
{
    const char *name = json_string_value(value);
    char near[LAB_SUGGESTION_SIZE];
    check->side->experiment = name != NULL ? lab_experiment_find(name) : NULL;
    if (name == NULL || check->side->experiment != NULL)
        return;
    struct lab_suggestion suggestion = {.given = name, .length = strlen(name)};
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        lab_suggestion_consider(&suggestion, lab_experiments[i]->name);
    lab_errors_add(check->errors, LAB_ERROR_UNKNOWN_EXPERIMENT, "/experiment",
                   "experiment not found: \"%.60s\"; GET /api/v1/experiments lists the names.%s", name,
                   lab_suggestion_text(&suggestion, near));
}

static void check_devices(struct check *check, const json_t *request)
{
    check->side->devices =
        lab_devices_choose(check->devices, check->side->experiment, json_object_get(request, "devices"),
                           json_string_value(json_object_get(request, "node")), check->errors);
}

/* Why a program, or the check of a kernel, which is one, is refused. */
#define NO_PROGRAMS "Over TCP this lab runs programs only if it was started with --allow-programs and has tokens."

/* Checks the own kernel, if there is one, for the experiment and the devices, which have been checked. */
static void check_kernel(struct check *check, const json_t *value)
{
    struct lab_submission_side *side = check->side;
    size_t index;
    json_t *device;
    if (!json_is_object(value) || side->experiment == NULL)
        return;
    side->kernel = lab_own_kernel_resolve(value);
    if (json_object_get(value, "check") != NULL && !check->rights->programs_allowed) {
        lab_errors_add(check->errors, LAB_ERROR_PROGRAMS_NOT_ALLOWED, "/kernel/check", NO_PROGRAMS);
        return;
    }
    if (!lab_own_kernel_check(side->kernel, side->experiment, check->errors))
        return;
    if (side->experiment->define != NULL)
        side->experiment = side->defined = side->experiment->define(side->kernel, check->errors);
    json_array_foreach(side->devices, index, device)
    {
        struct lab_device_facts facts;
        if (lab_devices_find(check->devices, json_string_value(json_object_get(device, "id")), &facts) &&
            !lab_own_kernel_check_device(side->kernel, &facts, check->errors))
            return;
    }
}

/* Checks the whole program, which the experiment `program` needs and no other takes. */
static void check_program(struct check *check, const json_t *value)
{
    struct lab_submission_side *side = check->side;
    if (side->experiment == NULL || !side->experiment->programs) {
        if (side->experiment != NULL && json_is_object(value))
            lab_errors_add(check->errors, LAB_ERROR_UNKNOWN_FIELD, "/program",
                           "Only the experiment %s takes a program; %s takes none.", lab_program.name,
                           side->experiment->name);
        return;
    }
    if (!check->rights->programs_allowed)
        lab_errors_add(check->errors, LAB_ERROR_PROGRAMS_NOT_ALLOWED, "/program", NO_PROGRAMS);
    else if (value == NULL || json_is_null(value))
        lab_errors_add(check->errors, LAB_ERROR_MISSING, "/program",
                       "'program' is missing: the experiment needs the files of a program, or the name of a command.");
    else if (json_is_object(value) && lab_program_check(value, check->errors))
        side->program = json_incref((json_t *)value);
}

static void check_parameters(struct check *check, const json_t *value)
{
    struct lab_submission_side *side = check->side;
    if (side->experiment == NULL || (value != NULL && !json_is_object(value)))
        return;
    json_t *parameters = lab_own_kernel_parameters(side->kernel, side->experiment, value);
    side->parameters = lab_parameters_parse(side->experiment, parameters, check->errors);
    json_decref(parameters);
}

/* Whether all devices of the request were found, as many as the experiment takes. */
static bool has_devices(const struct lab_submission_side *side, const json_t *given)
{
    size_t count = json_array_size(side->devices);
    return side->experiment != NULL && count >= json_array_size(given) && count >= side->experiment->devices_min &&
           count <= side->experiment->devices_max;
}

/* Checks experiment, devices, own kernel and parameters of an object. Returns whether the side can be planned. */
static bool check_side(struct check *check, const json_t *request)
{
    const json_t *devices = json_object_get(request, "devices");
    check_experiment(check, json_object_get(request, "experiment"));
    check_devices(check, request);
    check_kernel(check, json_object_get(request, "kernel"));
    check_program(check, json_object_get(request, "program"));
    check_parameters(check, json_object_get(request, "parameters"));
    return check->side->parameters != NULL && has_devices(check->side, devices);
}

/* --- the base ----------------------------------------------------------------------------------------------------- */

/* The parameters of the base: those of the request, without what another experiment does not have, and with those of
 * `changes`. A new reference. */
static json_t *merge_parameters(const struct lab_experiment *experiment, const json_t *given, const json_t *changes)
{
    json_t *merged = json_object(), *schema = lab_parameters_schema(experiment), *value;
    const json_t *known = json_object_get(schema, "properties");
    const char *name;
    json_object_foreach((json_t *)given, name, value)
    {
        if (json_object_get(known, name) != NULL)
            json_object_set(merged, name, value);
    }
    if (json_is_object(changes))
        json_object_update(merged, (json_t *)changes);
    json_decref(schema);
    return merged;
}

/* The own kernel of the base: that of `changes`, or else that of the head; but an edited source is compared with the
 * original, and another experiment has no use for it. Borrowed; NULL: none. */
static json_t *kernel_of_base(const struct lab_submission_side *head, const json_t *changes)
{
    json_t *other = json_object_get(changes, "kernel");
    bool inherits = lab_own_kernel_step(head->kernel) == NULL && json_object_get(changes, "experiment") == NULL;
    return other == NULL && inherits ? head->kernel : other;
}

/* The program of the base: that of `changes`, or else that of the head, for which another experiment has no use.
 * Borrowed; NULL: none. */
static json_t *program_of_base(const struct lab_submission_side *head, const json_t *changes)
{
    json_t *other = json_object_get(changes, "program");
    return other == NULL && json_object_get(changes, "experiment") == NULL ? head->program : other;
}

/* The parameters of the base, of which the head's own kernel has chosen the points. A new reference. */
static json_t *parameters_of_base(const struct lab_submission_side *head, const struct lab_experiment *experiment,
                                  const json_t *request)
{
    const json_t *changes = json_object_get(request, "compare_with");
    json_t *given = lab_own_kernel_parameters(head->kernel, head->experiment, json_object_get(request, "parameters"));
    json_t *parameters = merge_parameters(experiment, given, json_object_get(changes, "parameters"));
    json_decref(given);
    return parameters;
}

/* The base as a request: the head, with what `compare_with` changes. A new reference. */
static json_t *request_of_base(const struct lab_submission_side *head, const json_t *request)
{
    const json_t *changes = json_object_get(request, "compare_with");
    json_t *name = json_object_get(changes, "experiment"), *devices = json_object_get(changes, "devices"), *device;
    const struct lab_experiment *experiment =
        json_is_string(name) ? lab_experiment_find(json_string_value(name)) : head->experiment;
    json_t *base = json_object();
    size_t index;
    json_object_set_new(base, "experiment", name != NULL ? json_incref(name) : json_string(head->experiment->name));
    json_object_set_new(base, "devices", devices != NULL ? json_incref(devices) : json_array());
    json_array_foreach(devices == NULL ? head->devices : NULL, index, device)
    {
        json_array_append(json_object_get(base, "devices"), json_object_get(device, "id"));
    }
    if (experiment != NULL)
        json_object_set_new(base, "parameters", parameters_of_base(head, experiment, request));
    json_t *kernel = kernel_of_base(head, changes);
    if (kernel != NULL)
        json_object_set(base, "kernel", kernel);
    json_t *program = program_of_base(head, changes);
    if (program != NULL)
        json_object_set(base, "program", program);
    return base;
}

/* Checks the base, whose errors point below "/compare_with". */
static bool check_base(struct lab_submission *submission, const struct check *of_head, const json_t *request)
{
    struct lab_errors errors = {0};
    struct check check = *of_head;
    check.side = &submission->sides[LAB_BASE];
    check.errors = &errors;
    if (lab_run_spans_nodes(of_head->side->devices))
        return lab_errors_add(
            of_head->errors, LAB_ERROR_SEVERAL_NODES, "/compare_with",
            "A run on devices of several machines cannot be compared; choose devices of one machine.");
    json_t *base = request_of_base(of_head->side, request);
    json_object_set_new(base, "node", json_string(lab_node_of_run(of_head->side->devices)));
    bool complete = check_side(&check, base);
    lab_errors_append(of_head->errors, &errors, "/compare_with");
    json_decref(base);
    return complete;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* The facts of a side's devices, and the request that plans take. */
struct planned_side {
    struct lab_device_facts *facts;
    const struct lab_device_facts **devices;
    struct lab_points_request request;
};

/* Returns false when a device was removed after check_device found it, or when out of memory. */
static bool prepare_side(struct lab_devices *known, const struct lab_submission_side *side,
                         struct planned_side *planned)
{
    size_t count = json_array_size(side->devices);
    planned->facts = calloc(count + 1, sizeof *planned->facts);
    planned->devices = calloc(count + 1, sizeof *planned->devices);
    if (planned->facts == NULL || planned->devices == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *device = json_array_get(side->devices, i);
        planned->devices[i] = &planned->facts[i];
        if (!lab_devices_find(known, json_string_value(json_object_get(device, "id")), &planned->facts[i]))
            return false;
    }
    planned->request = (struct lab_points_request){side->parameters, planned->devices, count};
    return true;
}

static bool plan(struct lab_submission *submission, const struct planned_side *sides, struct lab_errors *errors)
{
    const struct lab_points_request *base = &sides[LAB_BASE].request, *head = &sides[LAB_HEAD].request;
    submission->estimate = (struct lab_estimate){0};
    if (submission->compares)
        return lab_comparison_plan(base, head, &submission->estimate, errors);
    return head->parameters->experiment->plan(head->parameters, head->devices, head->device_count,
                                              &submission->estimate, errors);
}

/* Raises the time budget for many points; returns whether it has changed. That of the head is for both sides. */
static bool raise_budget(struct lab_submission *submission)
{
    bool raised = false;
    for (size_t i = 0; i < LAB_SIDES; i++)
        if (submission->sides[i].parameters != NULL)
            raised = lab_parameters_raise_budget(submission->sides[i].parameters, submission->estimate.points,
                                                 submission->compares) ||
                     raised;
    return raised;
}

/* Checks with the plans of the experiments whether the run is possible with these parameters on these devices. */
static void check_plan(struct lab_submission *submission, struct lab_devices *known, struct lab_errors *errors)
{
    struct planned_side sides[LAB_SIDES] = {0};
    if (!prepare_side(known, &submission->sides[LAB_HEAD], &sides[LAB_HEAD]) ||
        (submission->compares && !prepare_side(known, &submission->sides[LAB_BASE], &sides[LAB_BASE])))
        lab_errors_add(errors, LAB_ERROR_UNKNOWN_DEVICE, "/devices",
                       "A device was removed while the request was checked.");
    else if (plan(submission, sides, errors) && (!raise_budget(submission) || plan(submission, sides, errors)) &&
             submission->estimate.points > LAB_POINTS_MAX)
        lab_errors_add(errors, LAB_ERROR_TOO_MANY_POINTS, "/parameters",
                       "These parameters make %zu points; a run may have at most %d.", submission->estimate.points,
                       LAB_POINTS_MAX);
    for (size_t i = 0; i < LAB_SIDES; i++) {
        free(sides[i].devices);
        free(sides[i].facts);
    }
}

/* Sets the time limit that a request does not give, and checks that the run stays below `most`; 0: any. */
static void set_time_limit(struct lab_submission *submission, double most, struct lab_errors *errors)
{
    bool given = submission->time_limit_s > 0;
    double planned_s = submission->estimate.seconds;
    if (!given)
        submission->time_limit_s = fmax(LAB_TIME_LIMIT_FACTOR * planned_s, LAB_TIME_LIMIT_LEAST_S);
    if (most <= 0)
        return;
    if (given && submission->time_limit_s > most)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/time_limit_s", "Must be at most %g for a participant.", most);
    if (planned_s > most)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/parameters",
                       "The run is planned to take %.0f s; runs of participants and submissions may take %g s.",
                       planned_s, most);
    submission->time_limit_s = fmin(submission->time_limit_s, most);
}

/* Sets until when the run is secret. What is measured of other than own kernels is part of the history
 * (LAB_IS_OWN_CODE), so that it is no secret. */
static void set_secret_until(struct lab_submission *submission, const json_t *request, struct lab_errors *errors)
{
    static const char pointer[] = "/secret_until";
    static const int64_t day_us = INT64_C(24) * 60 * 60 * 1000000;
    const char *text = json_string_value(json_object_get(request, "secret_until"));
    int64_t now = lab_time_now();
    submission->secret_until = LAB_NO_TIME;
    if (text == NULL || !lab_time_parse(text, &submission->secret_until))
        return;
    if (submission->secret_until <= now || submission->secret_until > now + 366 * day_us)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer, "Must be in the future, and at most 366 days.");
    if (submission->sides[LAB_HEAD].kernel == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer, "Only a run of a kernel of one's own can be secret.");
}

/* As lab_submission_check, for a request without a preset. */
static bool check_request(struct lab_submission *submission, const json_t *request,
                          const struct lab_submission_checks *checks, struct lab_errors *errors)
{
    const json_t *tags = json_object_get(request, "tags");
    const char *note = json_string_value(json_object_get(request, "note"));
    *submission = (struct lab_submission){
        .compares = json_is_object(json_object_get(request, "compare_with")),
        .note = note != NULL ? note : "",
        .tags = json_is_array(tags) ? json_incref((json_t *)tags) : json_array(),
        .time_limit_s = json_number_value(json_object_get(request, "time_limit_s")),
    };
    const char *priority = json_string_value(json_object_get(request, "priority"));
    if (priority != NULL)
        lab_priority_parse(priority, &submission->priority);
    struct check check = {&submission->sides[LAB_HEAD], checks->devices, &checks->rights, errors};
    bool complete = check_side(&check, request) && (!submission->compares || check_base(submission, &check, request));
    if (complete)
        check_plan(submission, checks->devices, errors);
    set_time_limit(submission, checks->rights.seconds_max, errors);
    set_secret_until(submission, request, errors);
    return complete;
}

bool lab_submission_check(struct lab_submission *submission, const json_t *request,
                          const struct lab_submission_checks *checks, struct lab_errors *errors)
{
    size_t count_before = errors->count;
    json_t *whole = lab_preset_add(request, errors);
    bool complete = check_request(submission, whole, checks, errors);
    json_decref(whole);
    return complete && errors->count == count_before;
}

void lab_submission_release(struct lab_submission *submission)
{
    for (size_t i = 0; i < LAB_SIDES; i++) {
        json_decref(submission->sides[i].devices);
        lab_parameters_free(submission->sides[i].parameters);
        json_decref(submission->sides[i].kernel);
        json_decref(submission->sides[i].program);
        if (submission->sides[i].defined != NULL)
            submission->sides[i].defined->undefine(submission->sides[i].defined);
    }
    json_decref(submission->tags);
    *submission = (struct lab_submission){0};
}

/* --- queue and store ---------------------------------------------------------------------------------------------- */

struct lab_queue_entry lab_submission_queue_entry(const struct lab_submission *submission, const char *id,
                                                  const char *sweep)
{
    const struct lab_submission_side *head = &submission->sides[LAB_HEAD], *base = &submission->sides[LAB_BASE];
    struct lab_queue_entry run = {.priority = submission->priority,
                                  .experiment = lab_experiment_find(head->experiment->name),
                                  .is_program = lab_side_is_program(head->experiment, head->kernel) ||
                                                lab_side_is_program(base->experiment, base->kernel),
                                  .planned_s = submission->estimate.seconds};
    snprintf(run.id, sizeof run.id, "%s", id);
    snprintf(run.sweep, sizeof run.sweep, "%s", sweep);
    return run;
}

static char *parameters_text(const struct lab_submission_side *side)
{
    json_t *parameters = lab_parameters_to_json(side->parameters);
    char *text = json_dumps(parameters, JSON_COMPACT);
    json_decref(parameters);
    return text;
}

/* The base as the run's document has it: {experiment, devices, parameters, kernel}, all of it. */
static char *base_text(const struct lab_submission_side *base)
{
    json_t *object = json_pack("{s:s, s:O, s:o, s:O?, s:O*}", "experiment", base->experiment->name, "devices",
                               base->devices, "parameters", lab_parameters_to_json(base->parameters), "kernel",
                               base->kernel, "program", base->program);
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

bool lab_submission_to_row(const struct lab_submission *submission, struct lab_submission_row *row)
{
    const struct lab_submission_side *head = &submission->sides[LAB_HEAD];
    *row = (struct lab_submission_row){
        .devices = json_dumps(head->devices, JSON_COMPACT),
        .parameters = parameters_text(head),
        .compare_with = submission->compares ? base_text(&submission->sides[LAB_BASE]) : NULL,
        .kernel = head->kernel != NULL ? json_dumps(head->kernel, JSON_COMPACT) : NULL,
        .program = head->program != NULL ? json_dumps(head->program, JSON_COMPACT) : NULL,
        .tags = json_dumps(submission->tags, JSON_COMPACT)};
    row->run = (struct lab_run_row){.experiment = head->experiment->name,
                                    .host = lab_node_of_run(head->devices),
                                    .devices = row->devices,
                                    .parameters = row->parameters,
                                    .compare_with = row->compare_with,
                                    .kernel = row->kernel,
                                    .program = row->program,
                                    .tags = row->tags,
                                    .note = submission->note,
                                    .priority = submission->priority,
                                    .created_at = lab_time_now(),
                                    .secret_until = submission->secret_until,
                                    .time_limit_s = submission->time_limit_s,
                                    .estimate_s = submission->estimate.seconds};
    return row->devices != NULL && row->parameters != NULL && row->tags != NULL &&
           (row->compare_with != NULL) == submission->compares && (row->kernel != NULL) == (head->kernel != NULL) &&
           (row->program != NULL) == (head->program != NULL);
}

void lab_submission_row_release(struct lab_submission_row *row)
{
    free(row->devices);
    free(row->parameters);
    free(row->compare_with);
    free(row->kernel);
    free(row->program);
    free(row->tags);
}
