/* GET /api/v1/experiments and /experiments/{name}: the experiments' descriptors. GET /experiments/{name}/sources/{step}:
 * the code of a step, as text. All of it is compiled in, so the process's epoch is the entity tag.
 */
#include "resources.h"

#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>

static const char *const no_parameters[] = {NULL};

static void epoch_etag(const struct lab_api *api, char tag[LAB_TAG_SIZE])
{
    snprintf(tag, LAB_TAG_SIZE, "%s", api->epoch);
}

/* {"experiments":[…]}; NULL when out of memory. */
static json_t *all_experiments(void)
{
    json_t *list = json_array();
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        if (json_array_append_new(list, lab_experiment_to_json(lab_experiments[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:o}", "experiments", list);
}

void lab_api_list_experiments(const struct lab_request *request, struct lab_response *response)
{
    char tag[LAB_TAG_SIZE];
    if (!lab_check_query(request, response, no_parameters))
        return;
    epoch_etag(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(request, response, tag, all_experiments());
}

/* The experiment named in the path; NULL when there is none, and then the response is set. */
static const struct lab_experiment *find_experiment(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_experiment *experiment = lab_experiment_find(lab_request_part(request, "name"));
    if (experiment == NULL)
        lab_respond_problem(response, 404, "not-found", "Experiment not found.", NULL);
    return experiment;
}

void lab_api_get_experiment(const struct lab_request *request, struct lab_response *response)
{
    char tag[LAB_TAG_SIZE];
    if (!lab_check_query(request, response, no_parameters))
        return;
    const struct lab_experiment *experiment = find_experiment(request, response);
    if (experiment == NULL)
        return;
    epoch_etag(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(request, response, tag, lab_experiment_to_json(experiment));
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
        snprintf(detail, sizeof detail, "Step not found. /api/v1/experiments/%s lists the steps that have a source.",
                 experiment->name);
    else
        snprintf(detail, sizeof detail, "The step '%s' has no source for this backend. It has one for '%s'.",
                 other->step, other->backend);
    lab_respond_problem(response, 404, "not-found", detail, NULL);
}

static bool check_backend(const struct lab_request *request, struct lab_response *response)
{
    static const char *const allowed[] = {"backend", NULL};
    struct lab_errors errors = {0};
    const char *backend = lab_request_query(request, "backend");
    lab_request_check_query(request, allowed, &errors);
    if (backend != NULL && backend[0] == '\0')
        lab_errors_add(&errors, "empty", "/query/backend",
                       "Must not be empty; omit it to get the step's first source.");
    if (errors.count == 0)
        return true;
    lab_reply_invalid(response, &errors);
    return false;
}

void lab_api_get_source(const struct lab_request *request, struct lab_response *response)
{
    if (!check_backend(request, response))
        return;
    const struct lab_experiment *experiment = find_experiment(request, response);
    if (experiment == NULL)
        return;
    const char *step = lab_request_part(request, "step");
    const struct lab_source *source = find_source(experiment->sources, step, lab_request_query(request, "backend"));
    if (source == NULL) {
        respond_no_source(response, experiment, step);
        return;
    }
    char tag[LAB_TAG_SIZE], quoted[LAB_TAG_SIZE + 2];
    epoch_etag(lab_api_of(request), tag);
    snprintf(quoted, sizeof quoted, "\"%s\"", tag);
    lab_respond_header(response, "ETag", quoted);
    lab_respond_text(response, 200, "text/plain; charset=utf-8", source->text, strlen(source->text));
}
