/* GET /api/v1/runs/{id}/measurements: {"measurements":[…]}; with `?samples=true`, each has its samples. */
#include "resources.h"
#include "run_read.h"

void lab_api_get_measurements(const struct lab_request *request, struct lab_response *response)
{
    enum lab_store_result result;
    bool samples;
    if (!lab_read_samples(request, response, &samples))
        return;
    json_t *list = lab_read_measurements(lab_api_of(request)->store, lab_request_part(request, "id"), samples, &result);
    if (list != NULL)
        lab_respond_json(response, 200, json_pack("{s:o}", "measurements", list));
    else
        lab_reply_store_error(request, response, result);
}
