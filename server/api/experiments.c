/* GET /api/v1/experiments, /experiments/{name} and /runs/{id}/experiment: the experiments' descriptors.
 * GET /experiments/{name}/sources/{step}: the code of a step, as text. All of it is compiled in.
 */
#include "resources.h"

#include "experiment/experiment.h"
#include "experiment/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void find_of_run(void *context, const struct lab_run_row *row)
{
    const struct lab_experiment **experiment = context;
    *experiment = lab_experiment_find(row->experiment);
}

void lab_api_get_run_experiment(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_experiment *experiment = NULL;
    enum lab_store_result result =
        lab_store_get_run(lab_api_of(request)->store, lab_request_part(request, "id"), find_of_run, &experiment);
    if (result == LAB_STORE_OK)
        respond_experiment(response, experiment);
    else
        lab_reply_store_error(request, response, result);
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
