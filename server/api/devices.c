/* GET /api/v1/devices and /devices/{id}: the devices that the nodes' workers described, with live telemetry. GET
 * /api/v1/recorded-devices: those that runs had. */
#include "openapi/schemas.h"
#include "resources.h"

#include "jobs/run_json.h"

#include "core/json_members.h"

#include <string.h>

#include "descriptor/results.h"

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

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema devices_members[] = {
    {LAB_GIVEN(OBJECT, "devices"), .count = LAB_LIST, .component = "Device"},
    {LAB_GIVEN(OBJECT, "machine"), .nullable = true, .component = "Machine"},
    {0},
};

static const struct lab_schema recorded_devices_devices_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "name"), .nullable = true},
    {LAB_GIVEN(STRING, "node"), .nullable = true, .withheld = true},
    {LAB_GIVEN(STRING, "run"), .text = "The id of its newest run."},
    {LAB_GIVEN(TIME, "at"), .component = "Time", .text = "When that run was created."},
    {0},
};

static const struct lab_schema recorded_devices_members[] = {
    {LAB_GIVEN(OBJECT, "devices"), .count = LAB_LIST, .members = recorded_devices_devices_members,
     .text = "Those with the newest runs first."},
    {0},
};

static const struct lab_schema machine_members[] = {
    {LAB_GIVEN(STRING, "name"), .nullable = true, .withheld = true},
    {LAB_GIVEN(STRING, "kernel"), .nullable = true},
    {LAB_GIVEN(STRING, "cpu"), .nullable = true},
    {LAB_GIVEN(INTEGER, "processors"), .nullable = true},
    {LAB_GIVEN(INTEGER, "memory_bytes"), .nullable = true},
    {0},
};

static const struct lab_schema device_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "node"), .text = "The machine that has the device.", .withheld = true},
    {LAB_GIVEN(INTEGER, "ordinal"), .text = "CUDA's number of the device."},
    {LAB_GIVEN(CHOICE, "backend"), .choices = LAB_TEXTS("cuda", "host")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(OBJECT, "properties"), .component = "DeviceProperties"},
    {LAB_GIVEN(OBJECT, "peers"), .count = LAB_LIST, .component = "Peer"},
    {LAB_GIVEN(CHOICE, "state"), .choices = LAB_TEXTS("available", "busy", "unavailable")},
    {LAB_GIVEN(STRING, "state_reason"), .nullable = true, .text = "Why it is unavailable.", .withheld = true},
    {LAB_GIVEN(OBJECT, "telemetry"), .nullable = true, .component = "Telemetry"},
    {0},
};

static const struct lab_schema peer_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(BOOLEAN, "access")},
    {LAB_GIVEN(BOOLEAN, "native_atomics")},
    {LAB_GIVEN(INTEGER, "rank"), .nullable = true},
    {LAB_GIVEN(STRING, "link"), .nullable = true},
    {LAB_GIVEN(NUMBER, "peak_bytes_per_s"), .nullable = true, .text = "Of NVLinks, in one direction."},
    {0},
};

static const struct lab_schema telemetry_members[] = {
    {.name = "utilization_gpu", .type = LAB_TYPE_NUMBER, .nullable = true, .text = "Percent."},
    {.name = "utilization_memory", .type = LAB_TYPE_NUMBER, .nullable = true, .text = "Percent."},
    {.name = "memory_used_bytes", .type = LAB_TYPE_INTEGER, .nullable = true},
    {.name = "memory_total_bytes", .type = LAB_TYPE_INTEGER, .nullable = true},
    {.name = "temperature_c", .type = LAB_TYPE_NUMBER, .nullable = true},
    {.name = "power_w", .type = LAB_TYPE_NUMBER, .nullable = true},
    {.name = "power_limit_w", .type = LAB_TYPE_NUMBER, .nullable = true},
    {.name = "sm_clock_mhz", .type = LAB_TYPE_NUMBER, .nullable = true},
    {.name = "memory_clock_mhz", .type = LAB_TYPE_NUMBER, .nullable = true},
    {.name = "throttle", .type = LAB_TYPE_STRING, .count = LAB_LIST, .text = "Why the clock is lowered."},
    {.name = "throttled_by", .type = LAB_TYPE_STRING, .count = LAB_LIST, .text = "Those reasons that are cautions."},
    {.name = "pcie_generation", .type = LAB_TYPE_INTEGER, .nullable = true},
    {.name = "pcie_width", .type = LAB_TYPE_INTEGER, .nullable = true},
    {.name = "processes", .type = LAB_TYPE_INTEGER, .nullable = true},
    {LAB_GIVEN(TIME, "at"), .component = "Time"},
    {LAB_GIVEN(BOOLEAN, "stale"), .text = "Whether a run keeps the device from being read."},
    {0},
};

const struct lab_schema lab_devices_documents[] = {
    {.name = "Devices", .type = LAB_TYPE_OBJECT, .members = devices_members},
    {.name = "RecordedDevices", .type = LAB_TYPE_OBJECT, .members = recorded_devices_members},
    {.name = "Machine", .type = LAB_TYPE_OBJECT, .members = machine_members},
    {.name = "Device", .type = LAB_TYPE_OBJECT, .members = device_members},
    {.name = "Peer", .type = LAB_TYPE_OBJECT, .members = peer_members},
    {.name = "Telemetry", .type = LAB_TYPE_OBJECT, .members = telemetry_members},
    {0},
};
