/* GET /api/v1/experiments and /experiments/{name}: the descriptors' tables. They never change while the process lives.
 */
#include "resources.h"

#include "experiment.h"

#include <stdio.h>

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

void lab_api_get_experiment(const struct lab_request *request, struct lab_response *response)
{
    char tag[LAB_TAG_SIZE];
    if (!lab_check_query(request, response, no_parameters))
        return;
    const struct lab_experiment *experiment = lab_experiment_find(lab_request_part(request, "name"));
    if (experiment == NULL) {
        lab_respond_problem(response, 404, "not-found", "There is no experiment of that name.", NULL);
        return;
    }
    tag_of_build(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(request, response, tag, lab_experiment_to_json(experiment));
}
