/* Reads the runs that a run of the experiment health is compared with, and the values of all of them. */
#include "health_runs.h"

#include "core/json_members.h"
#include "core/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Earlier runs that are compared, and runs among which they are looked for. */
enum { EARLIER_RUNS = 32, LISTED_RUNS = 200 };

/* --- the earlier runs --------------------------------------------------------------------------------------------- */

struct earlier {
    const json_t *run; /* the run that is judged */
    size_t count;
    char ids[EARLIER_RUNS][LAB_RUN_ID_SIZE];
};

static bool has_name(const json_t *devices, const char *name)
{
    const json_t *device;
    size_t index;
    json_array_foreach(devices, index, device)
    {
        if (name != NULL && lab_optional_text_of(device, "name") != NULL &&
            strcmp(lab_optional_text_of(device, "name"), name) == 0)
            return true;
    }
    return false;
}

static bool shares_model(const json_t *devices, const json_t *others)
{
    const json_t *device;
    size_t index;
    json_array_foreach(devices, index, device)
    {
        if (has_name(others, lab_optional_text_of(device, "name")))
            return true;
    }
    return false;
}

/* Keeps a run that was measured alike, on a device model of the run that is judged. */
static void keep_alike(void *context, const struct lab_run_row *row)
{
    struct earlier *earlier = context;
    if (earlier->count == EARLIER_RUNS || row->contended || row->compare_with != NULL)
        return;
    json_t *parameters = lab_json_stored(row->parameters), *devices = lab_json_stored(row->devices);
    if (json_equal(parameters, json_object_get(earlier->run, "parameters")) &&
        shares_model(devices, json_object_get(earlier->run, "devices")))
        snprintf(earlier->ids[earlier->count++], LAB_RUN_ID_SIZE, "%s", row->id);
    json_decref(parameters);
    json_decref(devices);
}

/* The run, and the earlier runs that it is compared with, the latest first. A new reference; NULL with *result. */
json_t *lab_health_read_runs(const struct lab_api *api, json_t *run, enum lab_store_result *result)
{
    struct earlier earlier = {.run = run};
    const struct lab_run_filter filter = {.experiment = lab_optional_text_of(run, "experiment"),
                                          .by_status = true,
                                          .status = LAB_STATUS_SUCCEEDED,
                                          .since = LAB_NO_TIME,
                                          .until = LAB_NO_TIME,
                                          .before = lab_optional_text_of(run, "id"),
                                          .limit = LISTED_RUNS};
    bool more;
    json_t *runs = json_array();
    json_array_append(runs, run);
    *result = lab_store_list_runs(api->store, &filter, keep_alike, &earlier, &more);
    for (size_t i = 0; *result == LAB_STORE_OK && i < earlier.count; i++) {
        json_t *read = lab_run_load(api, earlier.ids[i], result);
        if (*result == LAB_STORE_NOT_FOUND) /* deleted meanwhile */
            *result = LAB_STORE_OK;
        else if (read != NULL)
            json_array_append_new(runs, read);
    }
    if (*result == LAB_STORE_OK)
        return runs;
    json_decref(runs);
    return NULL;
}

/* --- their values ------------------------------------------------------------------------------------------------- */

static const char *model_of(const json_t *run, const char *device)
{
    const json_t *devices = json_object_get(run, "devices"), *each;
    size_t index;
    json_array_foreach(devices, index, each)
    {
        if (strcmp(lab_optional_text_of(each, "id"), device) == 0 && lab_optional_text_of(each, "name") != NULL)
            return lab_optional_text_of(each, "name");
    }
    return "";
}

static void set_throttling(struct lab_health_value *value, const json_t *conditions)
{
    const json_t *reasons = json_object_get(conditions, "throttle"), *reason;
    size_t index;
    json_array_foreach(reasons, index, reason)
    {
        if (json_is_string(reason) && value->throttle_count < LAB_HEALTH_REASONS_MAX)
            value->throttle[value->throttle_count++] = json_string_value(reason);
    }
}

/* Sets a value to a measurement of a run; returns false for one that is not judged: a share repeats its rate, and the
 * base of a comparison is another request. */
static bool read_value(struct lab_health_value *value, size_t number, const json_t *run, const json_t *measurement)
{
    const json_t *axes = json_object_get(measurement, "axes"), *peak = json_object_get(measurement, "peak"),
                 *verified = json_object_get(measurement, "verified");
    const char *side = lab_optional_text_of(measurement, "side");
    *value = (struct lab_health_value){.run = number,
                                       .device = lab_optional_text_of(axes, "device"),
                                       .check = lab_optional_text_of(axes, "check"),
                                       .peer = lab_optional_text_of(axes, "peer"),
                                       .metric = lab_optional_text_of(measurement, "metric"),
                                       .unit = lab_optional_text_of(measurement, "unit"),
                                       .value = lab_number_of(measurement, "median"),
                                       .peak = lab_number_of(peak, "value"),
                                       .peak_name = lab_optional_text_of(peak, "what"),
                                       .verified = json_is_boolean(verified) ? json_is_true(verified) : -1,
                                       .contended = json_is_true(json_object_get(run, "contended")),
                                       .skipped = lab_optional_text_of(measurement, "skipped")};
    set_throttling(value, json_object_get(measurement, "conditions"));
    if (value->device == NULL || value->check == NULL || value->metric == NULL || value->unit == NULL)
        return false;
    value->model = model_of(run, value->device);
    return strcmp(value->metric, "share_of_peak") != 0 && (side == NULL || strcmp(side, "head") == 0) &&
           (isfinite(value->value) || value->skipped != NULL);
}

/* The values of all runs, from malloc; NULL when out of memory. */
struct lab_health_value *lab_health_values_of(const json_t *runs, size_t *count)
{
    const json_t *run, *measurement;
    size_t number, index, total = 0;
    json_array_foreach(runs, number, run) total += json_array_size(json_object_get(run, "measurements"));
    struct lab_health_value *values = calloc(total + 1, sizeof *values);
    *count = 0;
    json_array_foreach(runs, number, run)
    {
        json_array_foreach(json_object_get(run, "measurements"), index, measurement)
        {
            if (values != NULL && read_value(&values[*count], number, run, measurement))
                ++*count;
        }
    }
    return values;
}
