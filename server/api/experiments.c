/* GET /api/v1/experiments and /experiments/{name}: the descriptors' tables; /experiments/{name}/sources/{step}: the code
 * behind a step, as text. None of it changes while the process lives.
 */
#include "resources.h"

#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>

static const char *const no_parameters[] = {NULL};

static void tag_of_build(const struct lab_api *api, char tag[LAB_TAG_SIZE])
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
    tag_of_build(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(request, response, tag, all_experiments());
}

/* NULL, with the answer given, when there is none of the name in the path. */
static const struct lab_experiment *find_experiment(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_experiment *experiment = lab_experiment_find(lab_request_part(request, "name"));
    if (experiment == NULL)
        lab_respond_problem(response, 404, "not-found", "There is no experiment of that name.", NULL);
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
    tag_of_build(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(request, response, tag, lab_experiment_to_json(experiment));
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

/* The first source of a step that `backend` has; with `backend` NULL the first of the step, with `step` NULL too the
 * first of all. */
static const struct lab_source *find_source(const struct lab_source *sources, const char *step, const char *backend)
{
    for (const struct lab_source *s = sources; s != NULL && s->step != NULL; s++)
        if ((step == NULL || strcmp(s->step, step) == 0) && (backend == NULL || strcmp(s->backend, backend) == 0))
            return s;
    return NULL;
}

/* Which part of the path or query names nothing. */
static void respond_no_source(struct lab_response *response, const struct lab_experiment *experiment, const char *step)
{
    char detail[LAB_DETAIL_MAX];
    const struct lab_source *other = find_source(experiment->sources, step, NULL);
    if (find_source(experiment->sources, NULL, NULL) == NULL)
        snprintf(detail, sizeof detail, "The experiment %s shows no sources.", experiment->name);
    else if (other == NULL)
        snprintf(
            detail, sizeof detail,
            "The experiment %s shows no source of a step of that name; GET /api/v1/experiments/%s lists its sources.",
            experiment->name, experiment->name);
    else
        snprintf(detail, sizeof detail, "The step %s has no source for that backend; it has one for %s.", other->step,
                 other->backend);
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
                       "Must not be empty; leave it away for the step's first source.");
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
    tag_of_build(lab_api_of(request), tag);
    snprintf(quoted, sizeof quoted, "\"%s\"", tag);
    lab_respond_header(response, "ETag", quoted);
    lab_respond_text(response, 200, "text/plain; charset=utf-8", source->text, strlen(source->text));
}
