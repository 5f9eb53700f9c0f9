/* GET /api/v1/runs/{id}, and reading a run with its measurements from the store. */
#include "resources.h"

#include "jobs/run_json.h"

#include <stdlib.h>

struct measurements {
    struct lab_store *store;
    const char *run;
    bool samples;
    json_t *list; /* NULL when memory ran out */
};

/* Reads the samples of a row; false when they cannot be read. The caller frees row->samples. */
static bool add_samples(const struct measurements *measurements, struct lab_measurement_row *row)
{
    size_t total = 0;
    double *samples = malloc((row->sample_count + 1) * sizeof *samples);
    row->samples = samples;
    return samples != NULL && lab_store_read_samples(measurements->store, measurements->run, row->position, 0,
                                                     row->sample_count, samples, &total) == LAB_STORE_OK;
}

static void add_measurement(void *context, const struct lab_measurement_row *stored)
{
    struct measurements *measurements = context;
    struct lab_measurement_row row = *stored;
    bool wanted = measurements->samples && row.sample_count > 0;
    if (measurements->list != NULL &&
        ((wanted && !add_samples(measurements, &row)) ||
         json_array_append_new(measurements->list, lab_measurement_row_json(&row)) != 0)) {
        json_decref(measurements->list);
        measurements->list = NULL;
    }
    if (wanted)
        free((double *)row.samples);
}

json_t *lab_read_measurements(const struct lab_api *api, const char *id, bool samples, enum lab_store_result *result)
{
    struct measurements measurements = {api->store, id, samples, json_array()};
    *result = lab_store_list_measurements(api->store, id, 0, SIZE_MAX, add_measurement, &measurements);
    if (*result == LAB_STORE_OK && measurements.list == NULL)
        *result = LAB_STORE_FAILED;
    if (*result == LAB_STORE_OK)
        return measurements.list;
    json_decref(measurements.list);
    return NULL;
}

struct reading {
    const struct lab_live_state *live;
    json_t *run; /* set by make_run */
};

static void make_run(void *context, const struct lab_run_row *row)
{
    struct reading *reading = context;
    reading->run = lab_run_json(row, reading->live);
}

json_t *lab_read_run(const struct lab_api *api, const char *id, enum lab_store_result *result)
{
    struct lab_live_state live;
    struct reading reading = {.live = &live};
    lab_jobs_live_state(api->jobs, id, &live);
    *result = lab_store_get_run(api->store, id, make_run, &reading);
    if (*result != LAB_STORE_OK)
        return NULL;
    /* The measurements are read after the row, so that a run that is shown as finished has all of them. */
    json_t *measurements = lab_read_measurements(api, id, false, result);
    if (measurements != NULL && json_object_set_new(reading.run, "measurements", measurements) == 0)
        return reading.run;
    if (*result == LAB_STORE_OK)
        *result = LAB_STORE_FAILED;
    json_decref(reading.run);
    return NULL;
}

void lab_api_get_run(const struct lab_request *request, struct lab_response *response)
{
    lab_reply_run(request, response, 200, lab_request_part(request, "id"));
}
