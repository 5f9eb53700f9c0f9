/* GET /api/v1/devices and /devices/{id}: the devices that the nodes' workers described, with live telemetry. */
#include "resources.h"

#include <string.h>

void lab_api_list_devices(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_json(response, 200, lab_jobs_devices(lab_api_of(request)->jobs));
}

json_t *lab_device_find(const json_t *document, const char *id)
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
    json_t *document = lab_jobs_devices(lab_api_of(request)->jobs);
    json_t *device = lab_device_find(document, lab_request_part(request, "id"));
    if (device != NULL)
        lab_respond_json(response, 200, device);
    else
        lab_respond_problem(response, 404, "not-found", "Device not found; GET /api/v1/devices lists the ids.", NULL);
    json_decref(document);
}
