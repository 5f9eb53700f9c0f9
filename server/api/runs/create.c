/* POST /api/v1/runs and …/repeat: checks, stores and queues a run. The 202 is sent after the run was written to the
 * disk. */
#include "openapi/schemas.h"
#include "resources.h"
#include "visibility.h"

#include "core/json_members.h"
#include "core/json_text.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the sender of a request may have programs executed, as the lab's user: whoever is that user, on the Unix
 * socket, and over TCP whoever has a token but participants, if the lab was started with --allow-programs. Everything
 * that carries code passes this function. */
static bool programs_allowed_to(const struct lab_request *request)
{
    const struct lab_identity *identity = lab_request_identity(request);
    return identity->on_socket ||
           (lab_api_of(request)->allow_programs && identity->token != 0 && identity->role != LAB_ROLE_PARTICIPANT);
}

/* Of a participant; SECONDS_MAX also of a submission to a challenge, by whomever. */
enum { RUNS_MAX = 4, SECONDS_MAX = 120 };

static struct lab_submit_rights rights_of(const struct lab_request *request, bool is_submission)
{
    bool limited = lab_request_identity(request)->role == LAB_ROLE_PARTICIPANT;
    return (struct lab_submit_rights){
        .programs_allowed = programs_allowed_to(request),
        .live_max = limited ? RUNS_MAX : 0,
        .seconds_max = limited || is_submission ? SECONDS_MAX : 0,
    };
}

/* The document of a run that a request has added. */
struct added {
    const struct lab_api *api;
    json_t *run;
};

static void make_added(void *context, const struct lab_run_row *row)
{
    struct added *added = context;
    enum lab_store_result result;
    added->run = lab_run_document(added->api, row, &result);
}

/* Responds with the run; `added` is NULL for one that an earlier request has added. */
static void respond_run(const struct lab_request *request, struct lab_response *response, const char *id, json_t *added)
{
    char location[64];
    snprintf(location, sizeof location, "/api/v1/runs/%s", id);
    if (added != NULL)
        lab_respond_json(response, 202, added);
    if (added != NULL || lab_reply_run(request, response, 202, id))
        lab_respond_header(response, "Location", location);
}

/* The devices are not known, so that a request cannot be checked. */
static void respond_not_ready(const struct lab_request *request, struct lab_response *response)
{
    struct lab_queue_state queue;
    lab_queue_seen(request, &queue);
    lab_respond_header(response, "Retry-After", "5");
    lab_respond_problem(response, LAB_ERROR_NOT_READY, queue.held[0] != '\0' ? queue.held : NULL, NULL);
}

void lab_reply_not_submitted(const struct lab_request *request, struct lab_response *response,
                             enum lab_submit_result result, const struct lab_errors *errors)
{
    switch (result) {
    case LAB_SUBMIT_KEY_REUSED:
        lab_respond_problem(response, LAB_ERROR_IDEMPOTENCY_KEY_REUSED,
                            "This Idempotency-Key was already used with another body; use a new key for each run.",
                            errors);
        return;
    case LAB_SUBMIT_FULL:
        lab_respond_header(response, "Retry-After", "30");
        lab_respond_problem(response, LAB_ERROR_QUEUE_FULL, "The queue is full; try again later.", errors);
        return;
    case LAB_SUBMIT_PROGRAMS:
        lab_respond_header(response, "Retry-After", "30");
        lab_respond_problem(
            response, LAB_ERROR_QUEUE_FULL,
            "As many whole programs and checks of kernels are queued or running as this lab takes (--program-limit); "
            "try again later.",
            errors);
        return;
    case LAB_SUBMIT_PERSON:
        lab_respond_header(response, "Retry-After", "30");
        lab_respond_problem(response, LAB_ERROR_QUEUE_FULL,
                            "You have as many queued and running runs as a participant may have; cancel one, or try "
                            "again when one has ended.",
                            errors);
        return;
    case LAB_SUBMIT_NOT_READY:
        respond_not_ready(request, response);
        return;
    case LAB_SUBMIT_STORE:
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
        return;
    default:
        lab_reply_invalid(response, errors);
        return;
    }
}

enum { KEY_SIZE = LAB_PERSON_MAX + 1 + 255 + 1 };

/* The Idempotency-Key as the store has it: each person's keys are apart from those of others, so that nobody gets
 * another's run by its key. NULL: none. */
static const char *key_of(const struct lab_request *request, char key[KEY_SIZE])
{
    const char *given = lab_request_header(request, "Idempotency-Key"), *person = lab_requested_by(request);
    if (given == NULL || person == NULL)
        return given;
    snprintf(key, KEY_SIZE, "%s %s", person, given);
    return key;
}

/* Lets the pointers of errors lead to the members of a submission, which are those of the kernel of a run. */
static void point_to_submission(struct lab_errors *errors)
{
    static const char kernel[] = "/kernel";
    for (size_t i = 0; i < errors->count; i++) {
        char *pointer = errors->items[i].pointer;
        if (strncmp(pointer, kernel, sizeof kernel - 1) == 0)
            memmove(pointer, pointer + sizeof kernel - 1, strlen(pointer) - (sizeof kernel - 1) + 1);
    }
}

void lab_submit_run(const struct lab_request *request, struct lab_response *response, const struct lab_new_run *new_run)
{
    struct lab_errors errors = {0};
    struct added added = {.api = lab_api_of(request)};
    char id[LAB_RUN_ID_SIZE], key[KEY_SIZE];
    const struct lab_submit_options options = {.key = key_of(request, key),
                                               .key_body = new_run->key_body,
                                               .requested_by = lab_requested_by(request),
                                               .rights = rights_of(request, new_run->challenge != NULL),
                                               .challenge = new_run->challenge,
                                               .added = make_added,
                                               .context = &added};
    enum lab_submit_result result = lab_jobs_submit(added.api->jobs, new_run->body, &options, id, &errors);
    if (new_run->challenge != NULL)
        point_to_submission(&errors);
    if (result == LAB_SUBMIT_OK || result == LAB_SUBMIT_SAME)
        respond_run(request, response, id, added.run);
    else
        lab_reply_not_submitted(request, response, result, &errors);
}

/* Responds with what the run would take, and with its parameters. */
static void respond_plan(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    struct lab_planned_run plan;
    const struct lab_estimate *estimate = &plan.estimate;
    const struct lab_submit_rights rights = rights_of(request, false);
    if (lab_jobs_plan(lab_api_of(request)->jobs, lab_request_json(request), &rights, &plan, &errors)) {
        json_t *base =
            plan.base_parameters != NULL ? json_pack("{s:O}", "parameters", plan.base_parameters) : json_null();
        lab_respond_json(response, 200,
                         json_pack("{s:I, s:f, s:I, s:I, s:O, s:o}", "points", (json_int_t)estimate->points, "seconds",
                                   estimate->seconds, "device_bytes", (json_int_t)estimate->device_bytes, "host_bytes",
                                   (json_int_t)estimate->host_bytes, "parameters", plan.parameters, "compare_with",
                                   base));
    } else {
        lab_reply_invalid(response, &errors);
    }
    lab_planned_run_release(&plan);
}

void lab_api_create_run(const struct lab_request *request, struct lab_response *response)
{
    if (lab_request_flag(request, "dry_run"))
        respond_plan(request, response);
    else
        lab_submit_run(request, response, &(struct lab_new_run){.body = lab_request_json(request)});
}

void lab_api_add_run_errors(const struct lab_request *request, const json_t *body, struct lab_errors *errors)
{
    struct lab_planned_run plan;
    const struct lab_submit_rights rights = rights_of(request, false);
    lab_jobs_plan(lab_api_of(request)->jobs, body, &rights, &plan, errors);
    lab_planned_run_release(&plan);
}

/* --- repeating ---------------------------------------------------------------------------------------------------- */

static bool is_readable(const char *text)
{
    json_t *value = lab_json_stored(text);
    json_decref(value);
    return text == NULL || value != NULL;
}

/* The request that makes a run like this one; null when what is stored of it cannot be read. */
static json_t *request_of(const struct lab_run_row *row)
{
    if (!is_readable(row->parameters) || !is_readable(row->compare_with) || !is_readable(row->kernel) ||
        !is_readable(row->program))
        return json_null();
    json_t *devices = lab_json_stored_list(row->devices);
    json_t *request = json_pack("{s:s, s:o, s:o, s:o, s:s}", "experiment", row->experiment, "devices",
                                lab_device_ids_json(devices), "parameters", lab_json_stored_object(row->parameters),
                                "tags", lab_json_stored_list(row->tags), "priority", lab_priority_name(row->priority));
    if (request != NULL && row->time_limit_s > 0)
        json_object_set_new(request, "time_limit_s", json_real(row->time_limit_s));
    if (request != NULL && lab_run_is_secret(row, lab_time_now()))
        json_object_set_new(request, "secret_until", lab_json_time_or_null(row->secret_until));
    if (request != NULL && row->compare_with != NULL)
        json_object_set_new(request, "compare_with", lab_compare_with_json(row->compare_with));
    if (request != NULL && row->kernel != NULL)
        json_object_set_new(request, "kernel", lab_kernel_json(row->kernel));
    if (request != NULL && row->program != NULL)
        json_object_set_new(request, "program", lab_json_stored(row->program));
    json_decref(devices);
    return request;
}

void lab_api_repeat_run(const struct lab_request *request, struct lab_response *response)
{
    const char *id = lab_request_part(request, "id");
    json_t *given = (json_t *)lab_request_json(request), *body = NULL;
    json_t *key_body = json_pack("{s:s, s:O}", "repeat", id, "body", given);
    struct lab_run_row *run;
    enum lab_store_result result = lab_store_get_run(lab_api_of(request)->store, id, &run);
    bool competes = result == LAB_STORE_OK && run->challenge != NULL && lab_run_is_secret(run, lab_time_now());
    body = result == LAB_STORE_OK && !competes ? request_of(run) : NULL;
    free(run);
    if (result != LAB_STORE_OK)
        lab_reply_store_error(request, response, result);
    else if (competes)
        lab_respond_problem(response, LAB_ERROR_SUBMISSIONS_ARE_SECRET,
                            "The run is a submission to a challenge that has not ended; submit its source there again.",
                            NULL);
    else if (json_is_null(body))
        lab_respond_problem(response, LAB_ERROR_INVALID_REQUEST,
                            "The run cannot be repeated, because what is stored of its request cannot be read; its "
                            "warnings say more.",
                            NULL);
    else if (key_body == NULL || body == NULL || json_object_update(body, given) != 0)
        lab_respond_json(response, 500, NULL); /* out of memory */
    else
        lab_submit_run(request, response, &(struct lab_new_run){body, key_body, NULL});
    json_decref(key_body);
    json_decref(body);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema plan_compare_with_members[] = {
    {LAB_GIVEN(OBJECT, "parameters")},
    {0},
};

static const struct lab_schema plan_members[] = {
    {LAB_GIVEN(INTEGER, "points"), .maximum = INFINITY},
    {LAB_GIVEN(NUMBER, "seconds"), .maximum = INFINITY},
    {LAB_GIVEN(INTEGER, "device_bytes"), .text = "The most in use at a time, on each device."},
    {LAB_GIVEN(INTEGER, "host_bytes"), .text = "The most in use at a time."},
    {LAB_GIVEN(OBJECT, "parameters"), .text = "All of the run, sizes as numbers of bytes."},
    {LAB_GIVEN(OBJECT, "compare_with"), .nullable = true, .members = plan_compare_with_members,
     .text = "All parameters of the base; null without one."},
    {0},
};

const struct lab_schema lab_create_documents[] = {
    {.name = "Plan",
     .type = LAB_TYPE_OBJECT,
     .members = plan_members,
     .text = "What a run would take, estimated, and its parameters."},
    {0},
};
