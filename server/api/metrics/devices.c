/* The state and the telemetry of devices. The values are those that were read last: devices on which a run measures are
 * not read, and gpulab_device_telemetry_stale is then 1. */
#include "sources.h"

#include "core/clock.h"
#include "core/json_members.h"

#include <string.h>

/* --- state -------------------------------------------------------------------------------------------------------- */

static void write_states(FILE *out, const json_t *devices)
{
    static const struct lab_family family = {"gpulab_device_state", LAB_GAUGE, "1 for the state of a device."};
    static const char *const states[] = {"available", "busy", "unavailable"};
    size_t index;
    const json_t *device;
    lab_family_begin(out, &family);
    json_array_foreach(devices, index, device)
    {
        for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
            lab_family_sample(out, &family,
                              LAB_LABELS({"device", lab_text_of(device, "id")}, {"name", lab_text_of(device, "name")},
                                         {"state", states[i]}),
                              strcmp(lab_text_of(device, "state"), states[i]) == 0);
    }
}

/* --- telemetry ---------------------------------------------------------------------------------------------------- */

static const struct {
    struct lab_family family;
    const char *member; /* of `telemetry` */
    double factor;      /* from its unit to that of the metric */
} numbers[] = {
    {{"gpulab_device_utilization_ratio", LAB_GAUGE, "Share of time in which a kernel ran."}, "utilization_gpu", 0.01},
    {{"gpulab_device_memory_utilization_ratio", LAB_GAUGE, "Share of time in which memory was read or written."},
     "utilization_memory",
     0.01},
    {{"gpulab_device_memory_used_bytes", LAB_GAUGE, "Used memory of a device."}, "memory_used_bytes", 1},
    {{"gpulab_device_memory_size_bytes", LAB_GAUGE, "Memory of a device."}, "memory_total_bytes", 1},
    {{"gpulab_device_temperature_celsius", LAB_GAUGE, "Temperature of a device."}, "temperature_c", 1},
    {{"gpulab_device_power_watts", LAB_GAUGE, "Power draw of a device."}, "power_w", 1},
    {{"gpulab_device_power_limit_watts", LAB_GAUGE, "Power limit of a device."}, "power_limit_w", 1},
    {{"gpulab_device_sm_clock_hertz", LAB_GAUGE, "Clock of the multiprocessors."}, "sm_clock_mhz", 1e6},
    {{"gpulab_device_memory_clock_hertz", LAB_GAUGE, "Clock of the memory."}, "memory_clock_mhz", 1e6},
    {{"gpulab_device_processes", LAB_GAUGE, "Compute processes on a device."}, "processes", 1},
};

static void write_number(FILE *out, const json_t *devices, size_t number)
{
    size_t index;
    const json_t *device;
    lab_family_begin(out, &numbers[number].family);
    json_array_foreach(devices, index, device)
    {
        const json_t *value = json_object_get(json_object_get(device, "telemetry"), numbers[number].member);
        if (json_is_number(value))
            lab_family_sample(out, &numbers[number].family,
                              LAB_LABELS({"device", lab_text_of(device, "id")}, {"name", lab_text_of(device, "name")}),
                              json_number_value(value) * numbers[number].factor);
    }
}

static void write_throttle_reasons(FILE *out, const json_t *devices)
{
    static const struct lab_family family = {"gpulab_device_throttled", LAB_GAUGE,
                                             "1 for each reason why the clocks of a device are reduced."};
    size_t index, k;
    const json_t *device, *reason;
    lab_family_begin(out, &family);
    json_array_foreach(devices, index, device)
    {
        json_array_foreach(json_object_get(json_object_get(device, "telemetry"), "throttle"), k, reason)
        {
            lab_family_sample(out, &family,
                              LAB_LABELS({"device", lab_text_of(device, "id")}, {"name", lab_text_of(device, "name")},
                                         {"reason", json_string_value(reason)}),
                              1);
        }
    }
}

static void write_ages(FILE *out, const json_t *devices)
{
    static const struct lab_family stale = {
        "gpulab_device_telemetry_stale", LAB_GAUGE,
        "1 while a device is not read because a run measures on it; its values are older."};
    static const struct lab_family read_at = {"gpulab_device_telemetry_timestamp_seconds", LAB_GAUGE,
                                              "When a device was last read, in seconds since 1970."};
    size_t index;
    const json_t *device;
    for (int pass = 0; pass < 2; pass++) {
        lab_family_begin(out, pass == 0 ? &stale : &read_at);
        json_array_foreach(devices, index, device)
        {
            const json_t *telemetry = json_object_get(device, "telemetry");
            int64_t at;
            const struct lab_label *labels =
                LAB_LABELS({"device", lab_text_of(device, "id")}, {"name", lab_text_of(device, "name")});
            if (json_is_object(telemetry) && pass == 0)
                lab_family_sample(out, &stale, labels, json_is_true(json_object_get(telemetry, "stale")));
            else if (lab_time_parse(lab_text_of(telemetry, "at"), &at))
                lab_family_sample(out, &read_at, labels, (double)at * 1e-6);
        }
    }
}

void lab_metrics_write_devices(FILE *out, const json_t *document)
{
    const json_t *devices = json_object_get(document, "devices");
    write_states(out, devices);
    write_ages(out, devices);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        write_number(out, devices, i);
    write_throttle_reasons(out, devices);
}

void lab_metrics_devices(FILE *out, const struct lab_api *api)
{
    json_t *document = lab_jobs_last_devices(api->jobs);
    lab_metrics_write_devices(out, document);
    json_decref(document);
}
