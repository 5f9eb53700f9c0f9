/* GET /api/v1/references/measured: the references of an experiment, each with what this lab has measured last at its
 * axes. */
#include "openapi/schemas.h"
#include "resources.h"

#include "core/json_members.h"
#include "core/json_text.h"
#include "descriptor/metric.h"
#include "descriptor/references.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point of the experiment. */
struct point {
    int64_t id;
    char *metric;
    json_t *axes;
};

struct measured {
    struct lab_store *store;
    const char *model; /* NULL: no run has measured */
    struct point *points;
    size_t count, capacity;
    json_t *models;
    size_t gpus; /* the first of `models` that are GPUs */
    bool failed; /* out of memory */
};

static void measured_add_point(void *context, const struct lab_point_row *row)
{
    struct measured *measured = context;
    if (measured->count == measured->capacity) {
        size_t capacity = 2 * measured->capacity + 64;
        struct point *larger = realloc(measured->points, capacity * sizeof *larger);
        measured->failed = measured->failed || larger == NULL;
        if (larger == NULL)
            return;
        measured->points = larger;
        measured->capacity = capacity;
    }
    struct point *point = &measured->points[measured->count++];
    *point = (struct point){row->id, strdup(row->metric), lab_json_stored_object(row->axes)};
    measured->failed = measured->failed || point->metric == NULL || point->axes == NULL;
}

/* GPUs come before host devices. */
static void measured_add_model(void *context, const char *model, int64_t runs, const char *devices)
{
    struct measured *measured = context;
    json_t *object = json_pack("{s:s, s:I}", "model", model, "runs", (json_int_t)runs);
    json_t *list = lab_json_stored(devices);
    size_t index = lab_devices_have_gpu(list) ? measured->gpus++ : json_array_size(measured->models);
    measured->failed = measured->failed || json_array_insert_new(measured->models, index, object) != 0;
    json_decref(list);
}

static void measured_release(struct measured *measured)
{
    for (size_t i = 0; i < measured->count; i++) {
        free(measured->points[i].metric);
        json_decref(measured->points[i].axes);
    }
    free(measured->points);
    json_decref(measured->models);
}

/* --- the value beside a reference --------------------------------------------------------------------------------- */

/* The newest value so far. */
struct newest {
    char run[LAB_RUN_ID_SIZE]; /* "": none yet */
    int64_t at;
    double value;
    const json_t *axes;
    enum lab_better better;    /* which value of a run counts where it has several, as of several pairs of devices */
    const struct point *point; /* whose runs are read */
};

static void keep_newest(void *context, const struct lab_series_row *row)
{
    struct newest *newest = context;
    int order = strcmp(row->id, newest->run);
    bool better = newest->better == LAB_BETTER_LOWER ? row->median < newest->value : row->median > newest->value;
    if (order < 0 || (order == 0 && !better))
        return;
    snprintf(newest->run, sizeof newest->run, "%s", row->id);
    newest->at = row->created_at;
    newest->value = row->median;
    newest->axes = newest->point->axes;
}

/* How many devices a system has that is named by their number, "2 x NVIDIA H200 SXM"; 0 for others. */
static size_t device_count(const char *system)
{
    char *end;
    unsigned long count = strtoul(system, &end, 10);
    return end != system && strncmp(end, " x ", 3) == 0 ? count : 0;
}

/* Whether the run of a value has the parameters of a reference. A run that is deleted meanwhile has not. */
static bool has_parameters(struct lab_store *store, const char *run, json_t *parameters)
{
    struct lab_run_row *row = NULL;
    if (json_object_size(parameters) == 0)
        return true;
    bool found = lab_store_get_run(store, run, &row) == LAB_STORE_OK;
    json_t *given = found ? lab_json_stored(row->parameters) : NULL;
    bool equal = found && lab_reference_is_of_run(parameters, given);
    json_decref(given);
    free(row);
    return equal;
}

/* Appends the reference with its value to the figures. */
static enum lab_store_result add_figure(const struct measured *measured, json_t *reference, json_t *figures)
{
    const char *metric = lab_text_of(reference, "metric");
    struct newest newest = {.better = lab_metric_better(metric, lab_text_of(reference, "unit"))};
    struct lab_series_filter filter = {.model = measured->model,
                                       .device_count = device_count(lab_text_of(reference, "system")),
                                       .right = true,
                                       .limit = 1};
    enum lab_store_result result = LAB_STORE_OK;
    for (size_t i = 0; result == LAB_STORE_OK && measured->model != NULL && i < measured->count; i++) {
        const struct point *point = &measured->points[i];
        if (strcmp(point->metric, metric) != 0 ||
            !lab_reference_is_of_point(json_object_get(reference, "axes"), point->axes))
            continue;
        newest.point = point;
        filter.point = point->id;
        result = lab_store_series(measured->store, &filter, keep_newest, &newest);
    }
    json_t *parameters = json_object_get(reference, "parameters");
    json_t *value = newest.run[0] == '\0' || !has_parameters(measured->store, newest.run, parameters)
                        ? json_null()
                        : json_pack("{s:s, s:o, s:f, s:O}", "run", newest.run, "at", lab_json_time_or_null(newest.at),
                                    "value", newest.value, "axes", newest.axes);
    json_t *figure = json_pack("{s:O, s:o}", "reference", reference, "measured", value);
    return json_array_append_new(figures, figure) == 0 ? result : lab_store_no_memory();
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

void lab_api_list_measured(const struct lab_request *request, struct lab_response *response)
{
    const char *experiment = lab_request_query(request, "experiment");
    struct measured measured = {.store = lab_api_of(request)->store, .models = json_array()};
    json_t *references = lab_references_to_json(experiment), *figures = json_array(), *reference;
    size_t index;
    enum lab_store_result result = lab_store_list_models(measured.store, experiment, measured_add_model, &measured);
    measured.model = lab_request_query(request, "device");
    if (measured.model == NULL && json_array_size(measured.models) > 0)
        measured.model = lab_text_of(json_array_get(measured.models, 0), "model");
    if (result == LAB_STORE_OK && json_array_size(references) > 0)
        result = lab_store_each_point(measured.store, experiment, measured_add_point, &measured);
    if (measured.failed || references == NULL)
        result = lab_store_no_memory();
    json_array_foreach(references, index, reference)
    {
        if (result == LAB_STORE_OK)
            result = add_figure(&measured, reference, figures);
    }
    if (result == LAB_STORE_OK)
        lab_respond_json(
            response, 200,
            json_pack("{s:O, s:s?, s:O}", "models", measured.models, "model", measured.model, "figures", figures));
    else
        lab_reply_store_error(request, response, result);
    json_decref(references);
    json_decref(figures);
    measured_release(&measured);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema models_members[] = {
    {LAB_GIVEN(STRING, "model")},
    {LAB_GIVEN(INTEGER, "runs"), .maximum = INFINITY},
    {0},
};

static const struct lab_schema value_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(TIME, "at"), .component = "Time"},
    {LAB_GIVEN(NUMBER, "value")},
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {0},
};

static const struct lab_schema figures_members[] = {
    {LAB_GIVEN(OBJECT, "reference"), .component = "Reference"},
    {LAB_GIVEN(OBJECT, "measured"), .nullable = true, .members = value_members,
     .text = "The newest value of this lab at these axes, on the device model; null where there is none."},
    {0},
};

static const struct lab_schema measured_members[] = {
    {LAB_GIVEN(OBJECT, "models"), .count = LAB_LIST, .members = models_members,
     .text = "The device models on which the experiment was measured, GPUs first, then by the number of runs."},
    {LAB_GIVEN(STRING, "model"), .nullable = true,
     .text = "The device model whose values are returned; null: no run has measured the experiment."},
    {LAB_GIVEN(OBJECT, "figures"), .count = LAB_LIST, .members = figures_members},
    {0},
};

const struct lab_schema lab_measured_documents[] = {
    {.name = "MeasuredReferences",
     .type = LAB_TYPE_OBJECT,
     .members = measured_members,
     .text = "Published results beside those of this lab."},
    {0},
};
