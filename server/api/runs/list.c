/* GET /api/v1/runs: a page of the runs, newest first, and the cursor of the next page; or one run of each experiment:
 * the newest, or the one whose result stands for the experiment.
 */
#include "list.h"

#include "query.h"
#include "resources.h"
#include "visibility.h"

#include "descriptor/experiment.h"
#include "descriptor/parameters.h"
#include "jobs/run_json.h"

#include <stdio.h>
#include <string.h>

struct page {
    const struct lab_request *request;
    struct lab_api *api;
    json_t *runs;               /* NULL when memory ran out */
    char last[LAB_RUN_ID_SIZE]; /* id of the last run that was added */
};

static void list_add_run(void *context, const struct lab_run_row *row)
{
    struct page *page = context;
    struct lab_live_state live, *current = NULL;
    snprintf(page->last, sizeof page->last, "%s", row->id);
    if (!lab_may_see(lab_request_identity(page->request), row))
        return;
    if (lab_status_live(row->status)) {
        lab_jobs_live_state(page->api->jobs, row->id, &live);
        current = &live;
    }
    if (page->runs != NULL && json_array_append_new(page->runs, lab_run_summary_json(row, current)) != 0) {
        json_decref(page->runs);
        page->runs = NULL;
    }
}

/* Adds the header Link: the same query with the cursor of the next page. */
static void add_link(struct lab_response *response, const struct lab_run_query *query, const char *cursor)
{
    char link[LAB_SCOPE_MAX + 128];
    snprintf(link, sizeof link, "</api/v1/runs?%s%slimit=%zu&cursor=%s>; rel=\"next\"", query->scope,
             query->scope[0] != '\0' ? "&" : "", query->filter.limit, cursor);
    lab_respond_header(response, "Link", link);
}

/* --- one run of each experiment ----------------------------------------------------------------------------------- */

/* The time budget of a run that does not name one, in seconds; 0 when memory ran out. */
static double default_budget(const struct lab_experiment *experiment)
{
    struct lab_errors errors = {0};
    struct lab_parameters *defaults = lab_parameters_parse(experiment, NULL, &errors);
    double budget = defaults != NULL ? lab_parameter_number(defaults, "time_budget_s") : 0;
    lab_parameters_free(defaults);
    return budget;
}

/* Whether the run was given less time than by default, as by the preset `quick`, or measured a person's own code. */
static bool is_partial(const json_t *summary, double budget)
{
    const json_t *given = json_object_get(json_object_get(summary, "parameters"), "time_budget_s");
    return (json_is_number(given) && json_number_value(given) < budget) ||
           json_is_object(json_object_get(summary, "kernel"));
}

/* Which of the runs stands for the experiment: one of a GPU before one of a host device, of these, where the experiment
 * is about several devices, one that had several, of these one that is not partial before one that is, and of these the
 * newest. Returns its index; `runs` is not empty and lists the newest first. */
static size_t find_result(const json_t *runs, const struct lab_experiment *experiment)
{
    bool about_several = strcmp(experiment->subject, "multi-gpu") == 0;
    double budget = default_budget(experiment);
    size_t best = 0, i;
    int best_rank = -1;
    const json_t *run;
    json_array_foreach(runs, i, run)
    {
        bool several = about_several && json_array_size(json_object_get(run, "devices")) > 1;
        int rank = 4 * lab_devices_have_gpu(json_object_get(run, "devices")) + 2 * several + !is_partial(run, budget);
        if (rank > best_rank) {
            best_rank = rank;
            best = i;
        }
    }
    return best;
}

/* Adds one run of an experiment, of the newest that match: the one whose result stands for it, or the newest. Of those,
 * an anonymous client may not see every one. */
static enum lab_store_result add_one(struct page *page, const struct lab_experiment *experiment,
                                     struct lab_run_filter filter, enum lab_latest latest)
{
    struct page found = {.request = page->request, .api = page->api, .runs = json_array()};
    bool anonymous = lab_request_identity(page->request)->role == LAB_ROLE_ANONYMOUS;
    bool more, takes_first = latest != LAB_LATEST_RESULT && !anonymous;
    filter.experiment = experiment->name;
    filter.limit = takes_first ? 1 : LAB_LIST_MAX;
    enum lab_store_result result = lab_store_list_runs(page->api->store, &filter, list_add_run, &found, &more);
    if (json_array_size(found.runs) > 0)
        json_array_append(
            page->runs,
            json_array_get(found.runs, latest == LAB_LATEST_RESULT ? find_result(found.runs, experiment) : 0));
    json_decref(found.runs);
    return found.runs != NULL ? result : lab_store_no_memory();
}

json_t *lab_run_standing_for(const struct lab_request *request, const struct lab_experiment *experiment,
                             const char *device, enum lab_store_result *result)
{
    struct page page = {.request = request, .api = lab_api_of(request), .runs = json_array()};
    const struct lab_run_filter filter = {.device = device,
                                          .viewer = lab_sees_secrets_of(lab_request_identity(request)),
                                          .by_status = true,
                                          .status = LAB_STATUS_SUCCEEDED,
                                          .since = LAB_NO_TIME,
                                          .until = LAB_NO_TIME};
    *result = add_one(&page, experiment, filter, LAB_LATEST_RESULT);
    json_t *run = json_incref(json_array_get(page.runs, 0));
    json_decref(page.runs);
    return run;
}

/* Responds with one of the matching runs of each experiment, in the order of the experiments. */
static void respond_latest(const struct lab_request *request, struct lab_response *response,
                           const struct lab_run_query *query)
{
    struct page page = {.request = request, .api = lab_api_of(request), .runs = json_array()};
    enum lab_store_result result = LAB_STORE_OK;
    for (size_t i = 0; lab_experiments[i] != NULL && result == LAB_STORE_OK; i++)
        if (query->filter.experiment == NULL || strcmp(query->filter.experiment, lab_experiments[i]->name) == 0)
            result = add_one(&page, lab_experiments[i], query->filter, query->latest);
    if (result == LAB_STORE_OK && page.runs != NULL) {
        lab_respond_json(response, 200, json_pack("{s:o, s:n}", "runs", page.runs, "next"));
        return;
    }
    json_decref(page.runs);
    lab_reply_store_error(request, response, result == LAB_STORE_OK ? lab_store_no_memory() : result);
}

/* --- pages -------------------------------------------------------------------------------------------------------- */

static void respond_page(const struct lab_request *request, struct lab_response *response,
                         const struct lab_run_query *query)
{
    struct page page = {.request = request, .api = lab_api_of(request), .runs = json_array()};
    char cursor[LAB_CURSOR_SIZE];
    bool more = false;
    enum lab_store_result result = lab_store_list_runs(page.api->store, &query->filter, list_add_run, &page, &more);
    if (result != LAB_STORE_OK || page.runs == NULL) {
        json_decref(page.runs);
        lab_reply_store_error(request, response, result == LAB_STORE_OK ? lab_store_no_memory() : result);
        return;
    }
    bool next = more && lab_cursor_write(query->scope, page.last, cursor);
    if (next)
        add_link(response, query, cursor);
    lab_respond_json(response, 200, json_pack("{s:o, s:s?}", "runs", page.runs, "next", next ? cursor : NULL));
}

void lab_api_list_runs(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    struct lab_run_query query;
    const char *texts[LAB_QUERY_COUNT];
    for (size_t i = 0; i < LAB_QUERY_COUNT; i++)
        texts[i] = lab_request_query(request, lab_run_query_fields[i].name);
    bool valid = lab_run_query_read(texts, &query, &errors);
    query.filter.requested_by = lab_sees_only(lab_request_identity(request));
    query.filter.viewer = lab_sees_secrets_of(lab_request_identity(request));
    if (valid)
        (query.latest != LAB_LATEST_NONE ? respond_latest : respond_page)(request, response, &query);
    else if (query.bad_cursor)
        lab_respond_problem(response, LAB_ERROR_BAD_CURSOR, NULL, &errors);
    else
        lab_reply_invalid(response, &errors);
}
