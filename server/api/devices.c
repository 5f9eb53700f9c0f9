/* GET /api/v1/devices and /devices/{id}: the devices that the nodes' workers described, with live telemetry. GET
 * /api/v1/recorded-devices: those that runs had. */
#include "resources.h"

#include "jobs/run_json.h"

#include "core/json_members.h"

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
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Device not found; GET /api/v1/devices lists the ids.",
                            NULL);
    json_decref(document);
}

static void add_recorded(void *context, const struct lab_device_row *device)
{
    json_array_append_new(context,
                          json_pack("{s:s, s:s?, s:s?, s:s, s:o}", "id", device->id, "name", device->name, "node",
                                    device->node, "run", device->run, "at", lab_json_time_or_null(device->created_at)));
}

void lab_api_list_recorded_devices(const struct lab_request *request, struct lab_response *response)
{
    json_t *devices = json_array();
    if (lab_store_list_devices(lab_api_of(request)->store, add_recorded, devices) == LAB_STORE_OK) {
        lab_respond_json(response, 200, json_pack("{s:o}", "devices", devices));
        return;
    }
    json_decref(devices);
    lab_reply_store_error(request, response, LAB_STORE_FAILED);
}
