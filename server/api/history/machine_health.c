/* GET /api/v1/runs/{id}/health: whether the devices of a run of the experiment health are sound.
 * server/analysis/health.h judges; health_runs.h has what it judges. */
#include "health_runs.h"
#include "openapi/schemas.h"

#include "core/json_members.h"
#include "core/run_status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

struct document {
    json_t *findings;
    size_t levels[LAB_HEALTH_FAILURE + 1]; /* findings of each level */
};

static void add_finding(void *context, const struct lab_health_finding *finding)
{
    struct document *document = context;
    const struct lab_health_value *value = finding->value;
    document->levels[finding->level]++;
    json_array_append_new(
        document->findings,
        json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:s, s:s}", "level",
                  lab_health_level_names[finding->level], "basis", lab_health_basis_names[finding->basis], "device",
                  value->device, "check", value->check, "peer", value->peer, "metric", value->metric, "unit",
                  value->unit, "value", lab_json_real_or_null(value->value), "expected",
                  lab_json_real_or_null(finding->expected), "limit", lab_json_real_or_null(finding->limit), "text",
                  finding->text, "statement", finding->text + finding->statement));
}

/* A run that failed, such as one that lost its device, shows that something is wrong even if no measurement does. */
static void add_failure(struct document *document, const json_t *run)
{
    const char *detail = lab_optional_text_of(json_object_get(run, "error"), "detail");
    const struct lab_health_value value = {.value = NAN};
    struct lab_health_finding finding = {
        .level = LAB_HEALTH_FAILURE, .basis = LAB_HEALTH_RESULT, .value = &value, .expected = NAN, .limit = NAN};
    snprintf(finding.text, sizeof finding.text, "the run failed: %.280s",
             detail != NULL ? detail : "no reason is known");
    add_finding(document, &finding);
}

/* The verdict about a run with these findings: a name of the API, NULL for none. */
static const char *verdict_of(const struct document *document, const char *status)
{
    if (!lab_status_is(status, LAB_STATUS_FAILED) && !lab_status_is(status, LAB_STATUS_SUCCEEDED))
        return NULL;
    return document->levels[LAB_HEALTH_FAILURE] > 0   ? "unhealthy"
           : document->levels[LAB_HEALTH_WARNING] > 0 ? "warning"
                                                      : "healthy";
}

/* "unhealthy: 1 failure, 0 warnings, 14 ok, 2 skipped" */
static void write_summary(const struct document *document, const char *verdict, size_t earlier, char *text, size_t size)
{
    const size_t *levels = document->levels, failures = levels[LAB_HEALTH_FAILURE],
                 warnings = levels[LAB_HEALTH_WARNING];
    const char *name = verdict == NULL                   ? "no verdict"
                       : strcmp(verdict, "warning") == 0 ? "healthy, with warnings"
                                                         : verdict;
    char history[80] = "";
    if (earlier < LAB_HEALTH_RUNS_MIN)
        snprintf(history, sizeof history, "; judged without history: %zu of %d earlier runs", earlier,
                 LAB_HEALTH_RUNS_MIN);
    snprintf(text, size, "%s: %zu failure%s, %zu warning%s, %zu ok, %zu skipped%s", name, failures,
             failures == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s", levels[LAB_HEALTH_OK],
             levels[LAB_HEALTH_SKIPPED], history);
}

static json_t *document_of(const json_t *runs)
{
    struct document document = {.findings = json_array()};
    const json_t *run = json_array_get(runs, 0);
    const char *status = lab_optional_text_of(run, "status");
    char summary[200];
    size_t count, earlier = json_array_size(runs) - 1;
    struct lab_health_value *values = lab_health_values_of(runs, &count);
    bool good = values != NULL && lab_health_judge(values, count, add_finding, &document);
    if (good && lab_status_is(status, LAB_STATUS_FAILED) && document.levels[LAB_HEALTH_FAILURE] == 0)
        add_failure(&document, run);
    free(values);
    const char *verdict = verdict_of(&document, status);
    write_summary(&document, verdict, earlier, summary, sizeof summary);
    if (good)
        return json_pack("{s:s, s:s, s:s?, s:s, s:I, s:o}", "run", lab_optional_text_of(run, "id"), "status", status,
                         "verdict", verdict, "summary", summary, "earlier_runs", (json_int_t)earlier, "findings",
                         document.findings);
    json_decref(document.findings);
    return NULL;
}

static bool is_of_checks(const json_t *run)
{
    const struct lab_experiment *checks = lab_experiment_of_checks();
    return checks != NULL && strcmp(lab_optional_text_of(run, "experiment"), checks->name) == 0;
}

json_t *lab_machine_health(const struct lab_api *api, const char *id)
{
    enum lab_store_result result;
    json_t *run = lab_run_load(api, id, &result), *runs = NULL, *document = NULL;
    if (run != NULL && is_of_checks(run))
        runs = lab_health_read_runs(api, run, &result);
    if (runs != NULL)
        document = document_of(runs);
    json_decref(runs);
    json_decref(run);
    return document;
}

void lab_api_get_health(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    enum lab_store_result result;
    json_t *runs = NULL, *run = lab_run_load(api, lab_request_part(request, "id"), &result);
    if (run != NULL && !is_of_checks(run))
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "The run is not of the experiment that checks devices.",
                            NULL);
    else if (run == NULL || (runs = lab_health_read_runs(api, run, &result)) == NULL)
        lab_reply_store_error(request, response, result);
    else
        lab_respond_json(response, 200, document_of(runs));
    json_decref(runs);
    json_decref(run);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema machine_health_findings_members[] = {
    {LAB_GIVEN(CHOICE, "level"), .choices = lab_health_level_names},
    {LAB_GIVEN(CHOICE, "basis"), .choices = lab_health_basis_names},
    {LAB_GIVEN(STRING, "device"), .nullable = true},
    {LAB_GIVEN(STRING, "check"), .nullable = true},
    {LAB_GIVEN(STRING, "peer"), .nullable = true, .text = "The other device of a copy between two."},
    {LAB_GIVEN(STRING, "metric"), .nullable = true},
    {LAB_GIVEN(STRING, "unit"), .nullable = true},
    {LAB_GIVEN(NUMBER, "value"), .nullable = true},
    {LAB_GIVEN(NUMBER, "expected"), .nullable = true, .text = "The value with which it is compared."},
    {LAB_GIVEN(NUMBER, "limit"), .nullable = true,
     .text =
         "A value beyond it is a warning or a failure, unless it is as usual: above it with the basis limit, below it with any other."},
    {LAB_GIVEN(STRING, "text"), .text = "One line."},
    {LAB_GIVEN(STRING, "statement"), .text = "The text without device and check."},
    {0},
};

static const struct lab_schema machine_health_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(CHOICE, "status"), .component = "RunStatus"},
    {LAB_GIVEN(CHOICE, "verdict"), .nullable = true, .choices = LAB_TEXTS("healthy", "warning", "unhealthy"),
     .text = "null while the run is queued or running, and when it was cancelled or interrupted."},
    {LAB_GIVEN(STRING, "summary"), .text = "One line."},
    {LAB_GIVEN(INTEGER, "earlier_runs"), .text = "Runs with the same parameters and a device model in common."},
    {LAB_GIVEN(OBJECT, "findings"), .count = LAB_LIST, .members = machine_health_findings_members},
    {0},
};

const struct lab_schema lab_machine_health_documents[] = {
    {.name = "MachineHealth", .type = LAB_TYPE_OBJECT, .members = machine_health_members},
    {0},
};
