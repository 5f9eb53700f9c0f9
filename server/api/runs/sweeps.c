/* Sweeps: POST, GET and POST …/cancel. The runs of a sweep are listed by GET /api/v1/runs?sweep=ID. */
#include "members.h"
#include "openapi/schemas.h"
#include "resources.h"

#include "core/json_members.h"

#include "core/json_text.h"
#include "core/result_rows.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of runs with each status: {queued, running, …}. */
static json_t *counts_json(const struct lab_sweep_row *sweep)
{
    json_t *counts = json_object();
    for (int status = 0; status < LAB_STATUS_COUNT; status++)
        json_object_set_new(counts, lab_status_name((enum lab_status)status),
                            json_integer((json_int_t)sweep->counts[status]));
    return counts;
}

static json_t *sweep_json(const struct lab_sweep_row *sweep)
{
    json_t *request = lab_json_stored(sweep->request), *parameters = json_object_get(request, "parameters");
    json_t *document = lab_row_to_json(lab_sweep_shown_members, sweep, NULL);
    json_object_update_new(
        document, json_pack("{s:O?, s:o, s:O?, s:O?, s:o, s:o}", "preset", json_object_get(request, "preset"),
                            "parameters", parameters != NULL ? json_incref(parameters) : json_object(), "devices",
                            json_object_get(request, "devices"), "nodes", json_object_get(request, "nodes"), "counts",
                            counts_json(sweep), "runs", json_sprintf("/api/v1/runs?sweep=%s", sweep->id)));
    json_decref(request);
    return document;
}

static void make_sweep(void *context, const struct lab_sweep_row *sweep)
{
    *(json_t **)context = sweep_json(sweep);
}

static void reply_error(const struct lab_request *request, struct lab_response *response, enum lab_store_result result)
{
    if (result == LAB_STORE_NOT_FOUND)
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Sweep not found.", NULL);
    else
        lab_reply_store_error(request, response, result);
}

/* Responds with what the sweep would take. */
static void respond_plan(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    struct lab_estimate plan;
    size_t runs;
    enum lab_submit_result result =
        lab_jobs_plan_sweep(lab_api_of(request)->jobs, lab_request_json(request), &runs, &plan, &errors);
    if (result == LAB_SUBMIT_OK)
        lab_respond_json(response, 200,
                         json_pack("{s:I, s:I, s:f, s:I, s:I}", "runs", (json_int_t)runs, "points",
                                   (json_int_t)plan.points, "seconds", plan.seconds, "device_bytes",
                                   (json_int_t)plan.device_bytes, "host_bytes", (json_int_t)plan.host_bytes));
    else
        lab_reply_not_submitted(request, response, result, &errors);
}

void lab_api_create_sweep(const struct lab_request *request, struct lab_response *response)
{
    if (lab_request_flag(request, "dry_run")) {
        respond_plan(request, response);
        return;
    }
    struct lab_errors errors = {0};
    json_t *sweep = NULL;
    char location[64];
    enum lab_submit_result result = lab_jobs_submit_sweep(lab_api_of(request)->jobs, lab_request_json(request),
                                                          lab_requested_by(request), make_sweep, &sweep, &errors);
    if (result != LAB_SUBMIT_OK) {
        lab_reply_not_submitted(request, response, result, &errors);
        return;
    }
    if (sweep != NULL) {
        snprintf(location, sizeof location, "/api/v1/sweeps/%s", json_string_value(json_object_get(sweep, "id")));
        lab_respond_header(response, "Location", location);
    }
    lab_respond_json(response, 202, sweep);
}

/* A sweep that was read, and how many of its runs have not ended. */
struct read_sweep {
    json_t *document;
    size_t live;
};

static void keep_sweep(void *context, const struct lab_sweep_row *row)
{
    struct read_sweep *sweep = context;
    sweep->document = sweep_json(row);
    for (int status = 0; status < LAB_STATUS_COUNT; status++)
        sweep->live += lab_status_live((enum lab_status)status) ? row->counts[status] : 0;
}

void lab_api_get_sweep(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    struct read_sweep sweep = {0};
    if (!lab_request_await(request, response, api->events, LAB_EVENT_RUN_UPDATED, NULL))
        return;
    enum lab_store_result result = lab_store_get_sweep(api->store, lab_request_part(request, "id"), keep_sweep, &sweep);
    if (result == LAB_STORE_OK && sweep.live > 0 && lab_respond_later(request))
        json_decref(sweep.document);
    else if (result == LAB_STORE_OK)
        lab_respond_json(response, 200, sweep.document);
    else
        reply_error(request, response, result);
}

/* Whether the sweep is another person's: then it has been responded to. */
static bool refuse_of_another(const struct lab_request *request, struct lab_response *response, const char *id)
{
    struct read_sweep sweep = {0};
    bool refused = lab_request_identity(request)->role < LAB_ROLE_ADMIN &&
                   lab_store_get_sweep(lab_api_of(request)->store, id, keep_sweep, &sweep) == LAB_STORE_OK &&
                   lab_refuse_of_another(request, response, lab_optional_text_of(sweep.document, "requested_by"));
    json_decref(sweep.document);
    return refused;
}

void lab_api_cancel_sweep(const struct lab_request *request, struct lab_response *response)
{
    const char *id = lab_request_part(request, "id");
    struct lab_sweep_row *written = NULL;
    if (refuse_of_another(request, response, id))
        return;
    enum lab_store_result result = lab_jobs_cancel_sweep(lab_api_of(request)->jobs, id, &written);
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 202, sweep_json(written));
    else
        reply_error(request, response, result);
    free(written);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema sweep_counts_members[] = {
    {LAB_GIVEN(INTEGER, "queued")},
    {LAB_GIVEN(INTEGER, "running")},
    {LAB_GIVEN(INTEGER, "succeeded")},
    {LAB_GIVEN(INTEGER, "failed")},
    {LAB_GIVEN(INTEGER, "cancelled")},
    {LAB_GIVEN(INTEGER, "interrupted")},
    {0},
};

static const struct lab_schema sweep_members[] = {
    LAB_SWEEP_SHOWN(LAB_ANSWERED, ){LAB_GIVEN(STRING, "preset"), .nullable = true, .text = "As given."},
    {LAB_GIVEN(OBJECT, "parameters"), .text = "As given; lists are swept."},
    {LAB_GIVEN(ANY, "devices"), .nullable = true, .count = LAB_LIST, .text = "As given; a list of lists is swept."},
    {LAB_GIVEN(STRING, "nodes"), .nullable = true, .count = LAB_LIST,
     .text = "The names of the machines of the sweep, as the request gives them."},
    {LAB_GIVEN(OBJECT, "counts"), .members = sweep_counts_members,
     .text = "The number of runs with each status, without those that were deleted."},
    {LAB_GIVEN(STRING, "runs"), .text = "The path of the list of its runs."},
    {0},
};

static const struct lab_schema sweep_plan_members[] = {
    {LAB_GIVEN(INTEGER, "runs"), .minimum = 1, .maximum = INFINITY},
    {LAB_GIVEN(INTEGER, "points"), .maximum = INFINITY},
    {LAB_GIVEN(NUMBER, "seconds"), .maximum = INFINITY},
    {LAB_GIVEN(INTEGER, "device_bytes"), .text = "The most that a run uses at a time, on each device."},
    {LAB_GIVEN(INTEGER, "host_bytes"), .text = "The most that a run uses at a time."},
    {0},
};

const struct lab_schema lab_sweeps_documents[] = {
    {.name = "Sweep", .type = LAB_TYPE_OBJECT, .members = sweep_members},
    {.name = "SweepPlan",
     .type = LAB_TYPE_OBJECT,
     .members = sweep_plan_members,
     .text = "What the runs of a sweep would take, estimated."},
    {0},
};
