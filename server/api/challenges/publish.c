/* POST, PATCH and DELETE of challenges: what admins do. */
#include "challenge.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "descriptor/own_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t longest_us = INT64_C(366) * 24 * 60 * 60 * 1000000; /* as long as a run can be secret */

/* --- checks that the rows of the body cannot say ------------------------------------------------------------------ */

static void check_name(const char *name, struct lab_errors *errors)
{
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
        lab_errors_add(errors, LAB_ERROR_BAD_NAME, "/name", "'name' must have only the characters a-z, 0-9 and -.");
}

static void check_end(int64_t closes_at, int64_t now, struct lab_errors *errors)
{
    if (closes_at > now + longest_us)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/closes_at", "Must be at most 366 days in the future.");
}

static void check_times(const struct lab_challenge_row *row, struct lab_errors *errors)
{
    check_end(row->closes_at, row->created_at, errors);
    if (row->closes_at <= row->created_at)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/closes_at", "Must be in the future.");
    if (row->opens_at >= row->closes_at)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/opens_at", "Must be before 'closes_at'.");
}

/* Refuses what people submit themselves, and what would let them know or choose what is right. */
static void check_members(const json_t *kernel, struct lab_errors *errors)
{
    static const char *const refused[] = {"source", "edits", "files", "check", "sanitize"};
    char pointer[LAB_POINTER_MAX];
    size_t index;
    json_t *argument;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(pointer, sizeof pointer, "/kernel/%s", refused[i]);
        if (json_object_get(kernel, refused[i]) != NULL)
            lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, pointer, "A challenge has no '%s'.", refused[i]);
    }
    json_array_foreach(json_object_get(kernel, "arguments"), index, argument)
    {
        snprintf(pointer, sizeof pointer, "/kernel/arguments/%zu/expected_data", index);
        if (json_object_get(argument, "expected_data") != NULL)
            lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, pointer,
                           "A challenge has no 'expected_data': its inputs are others in each run.");
    }
}

static bool expects(const json_t *kernel)
{
    size_t index;
    json_t *argument;
    json_array_foreach(json_object_get(kernel, "arguments"), index, argument)
    {
        if (json_object_get(argument, "expected") != NULL)
            return true;
    }
    return false;
}

/* The reference has members of its own where it would otherwise have those of a submission. */
static void check_reference(const json_t *kernel, enum lab_score score, struct lab_errors *errors)
{
    static const char *const own[] = {"source", "grid", "block"};
    const json_t *reference = json_object_get(kernel, "reference");
    for (size_t i = 0; json_is_object(reference) && i < sizeof own / sizeof *own; i++) {
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/kernel/reference/%s", own[i]);
        if (json_object_get(reference, own[i]) == NULL)
            lab_errors_add(errors, LAB_ERROR_MISSING, pointer, "'%s' is missing: it must not be that of a submission.",
                           own[i]);
    }
    if (!json_is_object(reference) && !expects(kernel))
        lab_errors_add(errors, LAB_ERROR_MISSING, "/kernel/reference",
                       "'reference' is missing, or 'expected' of an output: a challenge says what is right.");
    if (score == LAB_SCORE_PEAK && json_object_get(kernel, "bytes") == NULL &&
        json_object_get(kernel, "operations") == NULL)
        lab_errors_add(errors, LAB_ERROR_MISSING, "/kernel/bytes",
                       "'bytes' or 'operations' must be given, of which the share of the peak is computed.");
}

/* Whether an error says more than that this lab has no GPU, without which a challenge can be published too. */
static bool matters(const struct lab_error *error)
{
    return error->code != LAB_ERROR_NO_CUDA_DEVICE;
}

/* Checks the kernel as a run would, with the source with which people begin. */
static void check_kernel(const struct lab_request *request, const json_t *body, enum lab_score score,
                         struct lab_errors *errors)
{
    const json_t *kernel = json_object_get(body, "kernel");
    struct lab_planned_run plan = {0};
    const struct lab_submit_rights rights = {0};
    struct lab_errors found = {0};
    check_members(kernel, errors);
    check_reference(kernel, score, errors);
    if (errors->count > 0)
        return;
    json_t *whole = json_copy((json_t *)kernel);
    json_object_set(whole, "source", json_object_get(body, "start"));
    if (lab_schema_check_members(lab_own_kernel_members, whole, "/kernel", errors)) {
        json_t *run = json_pack("{s:s, s:O}", "experiment", "kernel", "kernel", whole);
        lab_jobs_plan(lab_api_of(request)->jobs, run, &rights, &plan, &found);
        lab_planned_run_release(&plan);
        json_decref(run);
    }
    for (size_t i = 0; i < found.count; i++)
        if (matters(&found.items[i]))
            lab_errors_add(errors, found.items[i].code, found.items[i].pointer, "%s", found.items[i].detail);
    json_decref(whole);
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

static void store(const struct lab_request *request, struct lab_response *response, const struct lab_challenge_row *row)
{
    char location[64 + LAB_CHALLENGE_NAME_MAX];
    enum lab_store_result result = lab_store_add_challenge(lab_api_of(request)->store, row);
    snprintf(location, sizeof location, "/api/v1/challenges/%s", row->name);
    if (result == LAB_STORE_CONFLICT) {
        lab_respond_problem(response, LAB_ERROR_NAME_IN_USE,
                            "A challenge has this name, or there are 256 challenges; delete one first.", NULL);
    } else if (result != LAB_STORE_OK) {
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
    } else {
        lab_respond_header(response, "Location", location);
        lab_respond_json(response, 201, lab_challenge_json(request, row));
    }
}

void lab_api_publish_challenge(const struct lab_request *request, struct lab_response *response)
{
    const json_t *body = lab_request_json(request), *shows = json_object_get(body, "shows");
    struct lab_errors errors = {0};
    char *kernel = json_dumps(json_object_get(body, "kernel"), JSON_COMPACT);
    char *shown = shows != NULL ? json_dumps(shows, JSON_COMPACT) : strdup("{}");
    struct lab_challenge_row row = {.name = lab_text_of(body, "name"),
                                    .title = lab_text_of(body, "title"),
                                    .text = lab_text_of(body, "text"),
                                    .kernel = kernel,
                                    .start = lab_text_of(body, "start"),
                                    .score = lab_text_of(body, "score"),
                                    .shows = shown,
                                    .created_by = lab_requested_by(request),
                                    .created_at = lab_time_now(),
                                    .opens_at = LAB_NO_TIME};
    lab_time_parse(lab_text_of(body, "opens_at"), &row.opens_at);
    lab_time_parse(lab_text_of(body, "closes_at"), &row.closes_at);
    check_name(row.name, &errors);
    check_times(&row, &errors);
    check_kernel(request, body, (enum lab_score)lab_schema_choice(lab_challenge_body, body, "score"), &errors);
    if (kernel == NULL || shown == NULL)
        lab_respond_json(response, 500, NULL); /* out of memory */
    else if (errors.count > 0)
        lab_reply_invalid(response, &errors);
    else
        store(request, response, &row);
    free(kernel);
    free(shown);
}

void lab_api_change_challenge(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    struct lab_challenge_row *challenge;
    int64_t closes_at = 0, now = lab_time_now();
    lab_time_parse(lab_text_of(lab_request_json(request), "closes_at"), &closes_at);
    check_end(closes_at, now, &errors);
    if (errors.count > 0) {
        lab_reply_invalid(response, &errors);
        return;
    }
    enum lab_store_result result =
        lab_store_close_challenge(lab_api_of(request)->store, lab_request_part(request, "name"), closes_at, now,
                                  lab_requested_by(request), &challenge);
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200, lab_challenge_json(request, challenge));
    else if (result == LAB_STORE_CONFLICT)
        lab_respond_problem(response, LAB_ERROR_CHALLENGE_NOT_OPEN,
                            "The challenge has ended, so that its submissions can be read: publish another one.", NULL);
    else
        lab_reply_no_challenge(request, response, result);
    free(challenge);
}

void lab_api_delete_challenge(const struct lab_request *request, struct lab_response *response)
{
    enum lab_store_result result =
        lab_store_delete_challenge(lab_api_of(request)->store, lab_request_part(request, "name"), lab_time_now());
    if (result == LAB_STORE_OK)
        lab_respond_empty(response, 204);
    else if (result == LAB_STORE_CONFLICT)
        lab_respond_problem(response, LAB_ERROR_SUBMISSIONS_ARE_SECRET,
                            "A submission is queued, running or secret: end the challenge first ('closes_at'), and "
                            "wait for its runs.",
                            NULL);
    else
        lab_reply_no_challenge(request, response, result);
}

/* --- the fields of the body --------------------------------------------------------------------------------------- */

const struct lab_schema lab_challenge_body[] = {
    {LAB_GIVEN(STRING, "name"), .minimum = 1, .maximum = LAB_CHALLENGE_NAME_MAX,
     .text = "By which requests name it: a-z, 0-9 and -."},
    {LAB_GIVEN(STRING, "title"), .minimum = 1, .maximum = 80},
    {LAB_GIVEN(STRING, "text"), .minimum = 1, .maximum = 65536, .text = "What is to be computed, in Markdown."},
    {LAB_GIVEN(OBJECT, "kernel"),
     .text = "The kernel of a run of the experiment kernel without its source, with a reference or what is expected."},
    {LAB_GIVEN(STRING, "start"), .minimum = 1, .maximum = 262144,
     .text = "The source with which people begin, such as the signature with an empty body."},
    {LAB_GIVEN(CHOICE, "score"), LAB_CHALLENGE_SCORE},
    {LAB_MEMBER(OBJECT, "shows", "What is visible before the end."), LAB_CHALLENGE_SHOWS},
    {LAB_MEMBER(TIME, "opens_at", "Before, only admins know of it; by default it is open at once.")},
    {LAB_GIVEN(TIME, "closes_at"),
     .text = "When submissions end and become visible to all, at most 366 days in the future."},
    {0},
};
