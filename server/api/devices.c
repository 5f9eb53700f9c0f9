/* GET /api/v1/devices and /devices/{id}: the devices that the worker described, with live telemetry. */
#include "resources.h"

#include <string.h>

/* The entity tag of the devices now. lab_jobs_devices is called because it asks for fresh telemetry, which changes the
 * tag; without the call, the cache would return the old telemetry. */
static void devices_etag(const struct lab_api *api, char tag[LAB_TAG_SIZE])
{
    json_decref(lab_jobs_devices(api->jobs));
    lab_state_etag(api, tag);
}

void lab_api_list_devices(const struct lab_request *request, struct lab_response *response)
{
    struct lab_api *api = lab_api_of(request);
    char tag[LAB_TAG_SIZE];
    devices_etag(api, tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(response, tag, lab_jobs_devices(api->jobs));
}

/* The device with this id in {"devices":[…]}, as a new reference; NULL when there is none. */
static json_t *find_device(json_t *document, const char *id)
{
    size_t index;
    json_t *device;
    json_array_foreach(json_object_get(document, "devices"), index, device)
    {
        const char *candidate = json_string_value(json_object_get(device, "id"));
        if (candidate != NULL && strcmp(candidate, id) == 0)
            return json_incref(device);
    }
    return NULL;
}

void lab_api_get_device(const struct lab_request *request, struct lab_response *response)
{
    struct lab_api *api = lab_api_of(request);
    char tag[LAB_TAG_SIZE];
    devices_etag(api, tag);
    if (lab_respond_from_cache(request, response, tag))
        return;
    json_t *document = lab_jobs_devices(api->jobs);
    json_t *device = find_device(document, lab_request_part(request, "id"));
    if (device != NULL)
        lab_respond_cached(response, tag, device);
    else
        lab_respond_problem(response, 404, "not-found", "Device not found; GET /api/v1/devices lists the ids.", NULL);
    json_decref(document);
}
