/* GET /api/v1/experiments, /experiments/{name} and /runs/{id}/experiment: the experiments' descriptors.
 * GET /experiments/{name}/sources/{step}: the code of a step, as text. All of it is compiled in.
 */
#include "openapi/schemas.h"
#include "resources.h"

#include "descriptor/experiment.h"
#include "descriptor/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

void lab_api_list_experiments(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_json(response, 200, lab_experiments_to_json(lab_request_query(request, "q")));
}

static void respond_no_experiment(struct lab_response *response)
{
    lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Experiment not found; GET /api/v1/experiments lists the names.",
                        NULL);
}

/* Responds with all about an experiment; NULL: there is none. */
static void respond_experiment(struct lab_response *response, const struct lab_experiment *experiment)
{
    if (experiment != NULL)
        lab_respond_json(response, 200, lab_experiment_to_json(experiment));
    else
        respond_no_experiment(response);
}

void lab_api_get_experiment(const struct lab_request *request, struct lab_response *response)
{
    respond_experiment(response, lab_experiment_find(lab_request_part(request, "name")));
}

void lab_api_get_run_experiment(const struct lab_request *request, struct lab_response *response)
{
    struct lab_run_row *run;
    enum lab_store_result result = lab_store_get_run(lab_api_of(request)->store, lab_request_part(request, "id"), &run);
    if (result == LAB_STORE_OK)
        respond_experiment(response, lab_experiment_find(run->experiment));
    else
        lab_reply_store_error(request, response, result);
    free(run);
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

/* The first source of `step` for `backend`; NULL stands for any step or any backend. NULL when there is none. */
static const struct lab_source *find_source(const struct lab_source *sources, const char *step, const char *backend)
{
    for (const struct lab_source *s = sources; s != NULL && s->step != NULL; s++)
        if ((step == NULL || strcmp(s->step, step) == 0) && (backend == NULL || strcmp(s->backend, backend) == 0))
            return s;
    return NULL;
}

/* 404 that says what was not found: any source, the step, or the backend. */
static void respond_no_source(struct lab_response *response, const struct lab_experiment *experiment, const char *step)
{
    char detail[LAB_DETAIL_MAX];
    const struct lab_source *other = find_source(experiment->sources, step, NULL);
    if (find_source(experiment->sources, NULL, NULL) == NULL)
        snprintf(detail, sizeof detail, "The experiment '%s' has no sources.", experiment->name);
    else if (other == NULL)
        snprintf(detail, sizeof detail,
                 "Step not found; GET /api/v1/experiments/%s lists the steps that have a source.", experiment->name);
    else
        snprintf(detail, sizeof detail, "The step '%s' has no source for this backend. It has one for '%s'.",
                 other->step, other->backend);
    lab_respond_problem(response, LAB_ERROR_NOT_FOUND, detail, NULL);
}

void lab_api_get_source(const struct lab_request *request, struct lab_response *response)
{
    const char *backend = lab_request_query(request, "backend");
    const struct lab_experiment *experiment = lab_experiment_find(lab_request_part(request, "name"));
    if (experiment == NULL) {
        respond_no_experiment(response);
        return;
    }
    const char *step = lab_request_part(request, "step");
    const struct lab_source *source = find_source(experiment->sources, step, backend);
    if (source == NULL) {
        respond_no_source(response, experiment, step);
        return;
    }
    char *text = lab_source_text(source);
    if (text == NULL)
        lab_respond_json(response, 200, NULL); /* out of memory: 500 */
    else
        lab_respond_text(response, 200, "text/plain; charset=utf-8", text, strlen(text));
    free(text);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema experiments_subjects_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {0},
};

static const struct lab_schema experiments_members[] = {
    {LAB_GIVEN(OBJECT, "subjects"), .count = LAB_LIST, .members = experiments_subjects_members},
    {LAB_GIVEN(OBJECT, "experiments"), .count = LAB_LIST, .component = "ExperimentSummary"},
    {0},
};

static const struct lab_schema experiment_summary_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "subject")},
    {LAB_GIVEN(STRING, "summary")},
    {LAB_GIVEN(STRING, "metric_titles"), .count = LAB_LIST},
    {LAB_GIVEN(OBJECT, "devices"), .component = "DeviceRange"},
    {0},
};

static const struct lab_schema device_range_members[] = {
    {LAB_GIVEN(INTEGER, "min")},
    {LAB_GIVEN(INTEGER, "max")},
    {LAB_GIVEN(BOOLEAN, "several_machines"), .text = "A run may have CUDA devices of several machines."},
    {0},
};

static const struct lab_schema experiment_axes_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "unit"), .nullable = true},
    {0},
};

static const struct lab_schema experiment_metrics_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(STRING, "formula")},
    {LAB_GIVEN(CHOICE, "peak"), .nullable = true, .choices = LAB_TEXTS("link", "links"),
     .text =
         "`link`: the values have a theoretical peak in common, that of the links between the run's devices in one direction. null: a measurement has its own peak, or none."},
    {LAB_GIVEN(CHOICE, "better"), .nullable = true, .choices = LAB_TEXTS("higher", "lower"), .text = "null: neither."},
    {0},
};

static const struct lab_schema experiment_headlines_members[] = {
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(OBJECT, "at"), .each = &(const struct lab_schema){.type = LAB_TYPE_STRING}},
    {LAB_GIVEN(OBJECT, "except"), .each = &(const struct lab_schema){.type = LAB_TYPE_STRING}},
    {LAB_GIVEN(STRING, "largest"), .count = LAB_LIST},
    {LAB_GIVEN(STRING, "smallest"), .count = LAB_LIST},
    {LAB_GIVEN(STRING, "share"), .nullable = true},
    {LAB_GIVEN(CHOICE, "best"), .choices = LAB_TEXTS("highest", "lowest")},
    {LAB_GIVEN(CHOICE, "open"), .choices = LAB_TEXTS("best", "worst")},
    {0},
};

static const struct lab_schema experiment_sources_members[] = {
    {LAB_GIVEN(STRING, "step")},
    {LAB_GIVEN(CHOICE, "backend"), .choices = LAB_TEXTS("cuda", "host")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "explanation"), .nullable = true},
    {LAB_GIVEN(STRING, "files"), .count = LAB_LIST},
    {LAB_GIVEN(BOOLEAN, "editable")},
    {0},
};

static const struct lab_schema experiment_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "subject")},
    {LAB_GIVEN(STRING, "summary")},
    {LAB_GIVEN(STRING, "explanation")},
    {LAB_GIVEN(OBJECT, "parameters"), .text = "A JSON Schema (2020-12)."},
    {LAB_GIVEN(OBJECT, "axes"), .count = LAB_LIST, .members = experiment_axes_members},
    {LAB_GIVEN(OBJECT, "metrics"), .count = LAB_LIST, .members = experiment_metrics_members},
    {LAB_GIVEN(OBJECT, "views"), .count = LAB_LIST, .component = "View"},
    {LAB_GIVEN(OBJECT, "headlines"), .count = LAB_LIST, .members = experiment_headlines_members,
     .text = "The measurements that stand for a run."},
    {LAB_GIVEN(OBJECT, "sources"), .count = LAB_LIST, .members = experiment_sources_members},
    {LAB_GIVEN(OBJECT, "devices"), .component = "DeviceRange"},
    {LAB_GIVEN(OBJECT, "presets"), .each = &(const struct lab_schema){.type = LAB_TYPE_OBJECT}},
    {0},
};

static const struct lab_schema view_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(CHOICE, "kind"), .choices = LAB_TEXTS("line", "bars", "ladder", "heat", "matrix", "scatter", "roofline",
                                                     "blocks", "kernels", "timeline", "field", "table")},
    {LAB_GIVEN(STRING, "metric"), .nullable = true},
    {LAB_GIVEN(STRING, "x"), .nullable = true},
    {LAB_GIVEN(STRING, "y"), .nullable = true},
    {LAB_GIVEN(STRING, "beside"), .nullable = true, .text = "scatter: a third metric, which the table shows too."},
    {LAB_GIVEN(BOOLEAN, "predicted"), .text = "scatter: `x` is a prediction of `metric`."},
    {LAB_GIVEN(BOOLEAN, "log_x")},
    {LAB_GIVEN(BOOLEAN, "log_y")},
    {LAB_GIVEN(BOOLEAN, "own_scales"), .text = "bars: each group has a scale of its own."},
    {LAB_GIVEN(NUMBER, "slope"), .nullable = true},
    {0},
};

const struct lab_schema lab_experiments_documents[] = {
    {.name = "Experiments", .type = LAB_TYPE_OBJECT, .members = experiments_members},
    {.name = "ExperimentSummary", .type = LAB_TYPE_OBJECT, .members = experiment_summary_members},
    {.name = "DeviceRange",
     .type = LAB_TYPE_OBJECT,
     .members = device_range_members,
     .text = "How many devices a run takes."},
    {.name = "Experiment", .type = LAB_TYPE_OBJECT, .members = experiment_members},
    {.name = "View", .type = LAB_TYPE_OBJECT, .members = view_members, .text = "A chart of the page."},
    {0},
};
