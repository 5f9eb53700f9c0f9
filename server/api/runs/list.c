/* GET /api/v1/runs: a page of the runs, newest first, and the cursor of the next page; or the newest run of each experiment.
 */
#include "query.h"
#include "resources.h"

#include "experiment/experiment.h"
#include "jobs/run_json.h"

#include <stdio.h>
#include <string.h>

struct page {
    struct lab_api *api;
    json_t *runs;               /* NULL when memory ran out */
    char last[LAB_RUN_ID_SIZE]; /* id of the last run that was added */
};

static void add_run(void *context, const struct lab_run_row *row)
{
    struct page *page = context;
    struct lab_live_state live, *current = NULL;
    if (lab_status_live(row->status)) {
        lab_jobs_live_state(page->api->jobs, row->id, &live);
        current = &live;
    }
    snprintf(page->last, sizeof page->last, "%s", row->id);
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

/* Responds with the newest of the matching runs of each experiment, in the order of the experiments. */
static void respond_latest(const struct lab_request *request, struct lab_response *response,
                           const struct lab_run_query *query)
{
    struct page page = {.api = lab_api_of(request), .runs = json_array()};
    enum lab_store_result result = LAB_STORE_OK;
    struct lab_run_filter filter = query->filter;
    bool more;
    filter.limit = 1;
    for (size_t i = 0; lab_experiments[i] != NULL && result == LAB_STORE_OK; i++) {
        const char *name = lab_experiments[i]->name;
        if (query->filter.experiment != NULL && strcmp(query->filter.experiment, name) != 0)
            continue;
        filter.experiment = name;
        result = lab_store_list_runs(page.api->store, &filter, add_run, &page, &more);
    }
    if (result == LAB_STORE_OK && page.runs != NULL) {
        lab_respond_json(response, 200, json_pack("{s:o, s:n}", "runs", page.runs, "next"));
        return;
    }
    json_decref(page.runs);
    lab_reply_store_error(request, response, LAB_STORE_FAILED);
}

static void respond_page(const struct lab_request *request, struct lab_response *response,
                         const struct lab_run_query *query)
{
    struct page page = {.api = lab_api_of(request), .runs = json_array()};
    char cursor[LAB_CURSOR_SIZE];
    bool more = false;
    enum lab_store_result result = lab_store_list_runs(page.api->store, &query->filter, add_run, &page, &more);
    if (result != LAB_STORE_OK || page.runs == NULL) {
        json_decref(page.runs);
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
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
    if (lab_run_query_read(texts, &query, &errors))
        (query.latest ? respond_latest : respond_page)(request, response, &query);
    else if (query.bad_cursor)
        lab_respond_problem(response, 400, "bad-cursor", NULL, &errors);
    else
        lab_reply_invalid(response, &errors);
}
