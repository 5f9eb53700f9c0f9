/* GET /api/v1/runs/{id}, and reading a run with its measurements from the store. */
#include "resources.h"

#include "core/json_members.h"
#include "jobs/run_json.h"

#include <stdlib.h>

static void read_add_measurement(void *context, const struct lab_measurement_row *row)
{
    json_t **list = context; /* NULL when memory ran out */
    if (*list != NULL && json_array_append_new(*list, lab_measurement_row_json(row)) != 0) {
        json_decref(*list);
        *list = NULL;
    }
}

/* The run's measurements as an array, without samples. A new reference; NULL with *result. */
static json_t *read_measurements(const struct lab_api *api, const char *id, enum lab_store_result *result)
{
    json_t *list = json_array();
    *result = lab_store_list_measurements(api->store, id, 0, SIZE_MAX, read_add_measurement, &list);
    if (*result == LAB_STORE_OK && list == NULL)
        *result = lab_store_no_memory();
    if (*result == LAB_STORE_OK)
        return list;
    json_decref(list);
    return NULL;
}

/* Adds its measurements to a run, which have to be read if there are any. Consumes `run`; NULL with *result. */
static json_t *add_measurements(const struct lab_api *api, json_t *run, enum lab_store_result *result)
{
    bool any = json_integer_value(json_object_get(run, "measurement_count")) > 0;
    const char *id = json_string_value(json_object_get(run, "id"));
    json_t *list = any ? read_measurements(api, id, result) : json_array();
    if (json_object_set_new(run, "measurements", list) == 0)
        return run;
    if (*result == LAB_STORE_OK)
        *result = lab_store_no_memory();
    json_decref(run);
    return NULL;
}

json_t *lab_run_load(const struct lab_api *api, const char *id, enum lab_store_result *result)
{
    struct lab_live_state live;
    struct lab_run_row *row;
    lab_jobs_live_state(api->jobs, id, &live);
    *result = lab_store_get_run(api->store, id, &row);
    json_t *run = *result == LAB_STORE_OK ? lab_run_json(row, &live) : NULL;
    free(row);
    /* The measurements are read after the row, so that a run that is shown as finished has all of them. */
    return *result == LAB_STORE_OK ? add_measurements(api, run, result) : NULL;
}

json_t *lab_run_document(const struct lab_api *api, const struct lab_run_row *row, enum lab_store_result *result)
{
    struct lab_live_state live;
    lab_jobs_live_state(api->jobs, row->id, &live);
    *result = LAB_STORE_OK;
    return add_measurements(api, lab_run_json(row, &live), result);
}

static bool reply(const struct lab_request *request, struct lab_response *response, int status, json_t *run,
                  enum lab_store_result result)
{
    if (run != NULL)
        lab_respond_json(response, status, run);
    else
        lab_reply_store_error(request, response, result);
    return run != NULL;
}

bool lab_reply_run(const struct lab_request *request, struct lab_response *response, int status, const char *id)
{
    enum lab_store_result result;
    json_t *run = lab_run_load(lab_api_of(request), id, &result);
    return reply(request, response, status, run, result);
}

void lab_reply_run_row(const struct lab_request *request, struct lab_response *response, int status,
                       const struct lab_run_row *row)
{
    enum lab_store_result result;
    json_t *run = lab_run_document(lab_api_of(request), row, &result);
    reply(request, response, status, run, result);
}

static bool is_live(const json_t *run)
{
    enum lab_status status;
    return lab_status_parse(lab_text_of(run, "status"), &status) && lab_status_live(status);
}

void lab_api_get_run(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    const char *id = lab_request_part(request, "id");
    enum lab_store_result result;
    if (!lab_request_await(request, response, api->events, LAB_EVENT_RUN_UPDATED, id))
        return;
    json_t *run = lab_run_load(api, id, &result);
    if (run != NULL && is_live(run) && lab_respond_later(request))
        json_decref(run);
    else
        reply(request, response, 200, run, result);
}
