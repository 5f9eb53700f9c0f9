/* GET /api/v1/runs/{id}/points/{position}/explanation: what limits a point of a run, and what is known of it
 * (analysis/explanation.h). */
#include "openapi/schemas.h"
#include "resources.h"
#include "visibility.h"

#include "analysis/counter_changes.h"
#include "analysis/explanation.h"
#include "analysis/limit.h"
#include "core/json_members.h"
#include "descriptor/experiment.h"
#include "descriptor/references.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

/* Devices of a large lab whose values are not looked for. */
enum { DEVICES_MAX = 64 };

/* --- other devices ------------------------------------------------------------------------------------------------ */

struct peers {
    struct lab_store *store;
    const struct lab_point_facts *point;
    int64_t series; /* the point of the main metric in the history */
    json_t *seen;   /* {id: name} of recorded devices, without those of the run */
    json_t *devices;
};

static void keep_series(void *context, const struct lab_point_row *row)
{
    struct peers *peers = context;
    peers->series = row->id;
}

static bool is_of_run(const json_t *run, const char *id)
{
    json_t *devices = json_object_get(run, "devices"), *device;
    size_t index;
    json_array_foreach(devices, index, device)
    {
        if (strcmp(lab_text_of(device, "id"), id) == 0)
            return true;
    }
    return false;
}

static void keep_device(void *context, const struct lab_device_row *row)
{
    struct peers *peers = context;
    if (json_object_size(peers->seen) < DEVICES_MAX && !is_of_run(peers->point->run, row->id))
        json_object_set_new(peers->seen, row->id, json_string(row->name != NULL ? row->name : row->id));
}

/* The newest value of a device. */
struct newest {
    json_t *devices;
    const char *id, *name;
};

static bool is_listed(json_t *devices, const char *run)
{
    size_t index;
    json_t *each;
    json_array_foreach(devices, index, each)
    {
        if (strcmp(lab_text_of(each, "run"), run) == 0)
            return true;
    }
    return false;
}

/* A run on several devices counts once. */
static void add_value(void *context, const struct lab_series_row *row)
{
    const struct newest *newest = context;
    if (is_listed(newest->devices, row->id))
        return;
    json_array_append_new(newest->devices, json_pack("{s:s, s:s, s:s, s:f}", "device", newest->id, "name", newest->name,
                                                     "run", row->id, "value", row->median));
}

static enum lab_store_result read_device(struct peers *peers, const char *id, const char *name)
{
    char model[256];
    enum lab_store_result result = lab_store_series_model(peers->store, peers->series, id, model, sizeof model);
    const struct lab_series_filter filter = {
        .point = peers->series, .model = model, .device = id, .right = true, .limit = 1};
    struct newest newest = {peers->devices, id, name};
    if (result == LAB_STORE_OK)
        result = lab_store_series(peers->store, &filter, add_value, &newest);
    return result == LAB_STORE_NOT_FOUND ? LAB_STORE_OK : result;
}

/* Reads the newest values of the main metric on devices that the run did not have. */
static enum lab_store_result read_devices(struct peers *peers)
{
    const json_t *main = peers->point->main;
    char *axes = json_dumps(json_object_get(main, "axes"), JSON_COMPACT);
    const char *id;
    json_t *name;
    enum lab_store_result result = lab_store_no_memory();
    if (axes != NULL)
        result = lab_store_find_point(peers->store, lab_text_of(peers->point->run, "experiment"),
                                      lab_text_of(main, "metric"), axes, keep_series, peers);
    free(axes);
    if (result == LAB_STORE_OK)
        result = lab_store_list_devices(peers->store, keep_device, peers);
    json_object_foreach(peers->seen, id, name)
    {
        if (result == LAB_STORE_OK)
            result = read_device(peers, id, json_string_value(name));
    }
    return result == LAB_STORE_NOT_FOUND ? LAB_STORE_OK : result;
}

/* --- published results -------------------------------------------------------------------------------------------- */

/* The references of the experiment at the point, for the main metric. */
static json_t *references_of(const struct lab_point_facts *point)
{
    json_t *all = lab_references_to_json(lab_text_of(point->run, "experiment")), *list = json_array(), *each;
    size_t index;
    json_array_foreach(all, index, each)
    {
        if (strcmp(lab_text_of(each, "metric"), lab_text_of(point->main, "metric")) == 0 &&
            lab_reference_is_of_point(json_object_get(each, "axes"), json_object_get(point->main, "axes")) &&
            lab_reference_is_of_run(json_object_get(each, "parameters"), json_object_get(point->run, "parameters")))
            json_array_append_new(list,
                                  json_pack("{s:O, s:O, s:O, s:O}", "system", json_object_get(each, "system"), "source",
                                            json_object_get(each, "source"), "remark", json_object_get(each, "remark"),
                                            "value", json_object_get(each, "value")));
    }
    json_decref(all);
    return list;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

static void respond_explanation(const struct lab_request *request, struct lab_response *response,
                                const struct lab_point_facts *point)
{
    struct peers peers = {
        .store = lab_api_of(request)->store, .point = point, .seen = json_object(), .devices = json_array()};
    bool alone = lab_sees_only(lab_request_identity(request)) != NULL; /* runs of others are not shown */
    enum lab_store_result result = alone ? LAB_STORE_OK : read_devices(&peers);
    json_t *references = references_of(point);
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200,
                         lab_explanation(point, &(const struct lab_explanation_peers){peers.devices, references}));
    else
        lab_reply_store_error(request, response, result);
    json_decref(references);
    json_decref(peers.seen);
    json_decref(peers.devices);
}

/* The number in a part of the path; SIZE_MAX if the part is not a number. */
static size_t position_of(const char *part)
{
    char *end;
    errno = 0;
    unsigned long long position = strtoull(part, &end, 10);
    bool is_number = part[0] >= '0' && part[0] <= '9' && *end == '\0' && errno == 0;
    return is_number ? (size_t)position : SIZE_MAX;
}

void lab_api_get_explanation(const struct lab_request *request, struct lab_response *response)
{
    enum lab_store_result result;
    struct lab_point_facts point = {0};
    json_t *run = lab_run_load(lab_api_of(request), lab_request_part(request, "id"), &result);
    if (run == NULL) {
        lab_reply_store_error(request, response, result);
        return;
    }
    const struct lab_experiment *descriptor = lab_experiment_find(lab_text_of(run, "experiment"));
    json_t *experiment = descriptor != NULL ? lab_experiment_to_json(descriptor) : NULL;
    if (lab_point_facts_init(&point, run, experiment, position_of(lab_request_part(request, "position"))))
        respond_explanation(request, response, &point);
    else
        lab_respond_problem(
            response, LAB_ERROR_NOT_FOUND,
            "The run has no measurement at this position; GET /api/v1/runs/{id}/measurements lists them, "
            "from position 0.",
            NULL);
    lab_point_facts_release(&point);
    json_decref(experiment);
    json_decref(run);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema limit_members[] = {
    {LAB_GIVEN(CHOICE, "basis"), .choices = lab_limit_bases},
    {LAB_GIVEN(STRING, "what"), .nullable = true, .text = "The unit that is meant."},
    {LAB_GIVEN(NUMBER, "share"), .nullable = true, .text = "The share of the peak, from 0 to 1."},
    {LAB_GIVEN(STRING, "text"), .text = "A sentence."},
    {0},
};

static const struct lab_schema predictions_members[] = {
    {LAB_GIVEN(STRING, "metric"), .text = "That predicts, or that was counted and nothing predicts."},
    {LAB_GIVEN(STRING, "of"), .nullable = true, .text = "The metric that is predicted; null: it is counted only."},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(STRING, "formula")},
    {LAB_GIVEN(NUMBER, "predicted"), .nullable = true, .text = "null: nothing predicts what was counted."},
    {LAB_GIVEN(NUMBER, "counted"), .nullable = true, .text = "By the hardware."},
    {LAB_GIVEN(NUMBER, "measured"), .nullable = true},
    {LAB_GIVEN(STRING, "text"), .nullable = true, .text = "A sentence where they differ by more than a tenth."},
    {0},
};

static const struct lab_schema difference_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(NUMBER, "value")},
    {LAB_GIVEN(NUMBER, "other"), .text = "That there."},
    {0},
};

static const struct lab_schema beside_members[] = {
    {LAB_GIVEN(STRING, "axis")},
    {LAB_GIVEN(ANY, "value"), .text = "The value of the axis at this point."},
    {LAB_GIVEN(INTEGER, "position"), .maximum = LAB_MEASUREMENTS_MAX},
    {LAB_GIVEN(NUMBER, "ratio"), .text = "How many times as good it is."},
    {LAB_GIVEN(OBJECT, "differences"), .count = LAB_LIST, .members = difference_members,
     .text =
         "Computed figures and hardware counters that are more than a tenth apart; counters also more than " LAB_NUMBER_TEXT(
             LAB_COUNTER_NOISE) " of the whole that they are a part of."},
    {LAB_GIVEN(STRING, "text"), .text = "A sentence."},
    {0},
};

#define RATIO                                                                                                          \
    {                                                                                                                  \
        LAB_GIVEN(NUMBER, "ratio"), .nullable = true, .text = "The value of the point / this one."                     \
    }
static const struct lab_schema other_devices_members[] = {
    {LAB_GIVEN(STRING, "device")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(NUMBER, "value")},
    RATIO,
    {0},
};

static const struct lab_schema point_references_members[] = {
    {LAB_GIVEN(STRING, "system")},
    {LAB_GIVEN(STRING, "source")},
    {LAB_GIVEN(STRING, "remark"), .nullable = true},
    {LAB_GIVEN(NUMBER, "value")},
    RATIO,
    {0},
};

static const struct lab_schema titled_counter_members[] = {
    LAB_COUNTER_MEMBERS(LAB_RESULT_SCHEMA, ){LAB_GIVEN(STRING, "title")},
    {0},
};

static const struct lab_schema explanation_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(STRING, "experiment")},
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(CHOICE, "side"), .nullable = true, .choices = LAB_TEXTS("base", "head")},
    {LAB_GIVEN(STRING, "metric"), .text = "That is explained."},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(NUMBER, "value"), .nullable = true, .text = "Its median."},
    {LAB_GIVEN(OBJECT, "limit"), .members = limit_members},
    {LAB_GIVEN(STRING, "samples"), .text = "A sentence."},
    {LAB_GIVEN(STRING, "conditions"), .count = LAB_LIST, .text = "Sentences."},
    {LAB_GIVEN(OBJECT, "predictions"), .count = LAB_LIST, .members = predictions_members},
    {LAB_GIVEN(OBJECT, "beside"), .nullable = true, .members = beside_members,
     .text = "The best point that differs in one axis; null where none is better by 5 %."},
    {LAB_GIVEN(OBJECT, "devices"), .count = LAB_LIST, .members = other_devices_members,
     .text = "The newest values on other devices of the lab."},
    {LAB_GIVEN(OBJECT, "references"), .count = LAB_LIST, .members = point_references_members},
    {LAB_GIVEN(OBJECT, "counters"), .nullable = true, .count = LAB_LIST, .members = titled_counter_members},
    {LAB_GIVEN(STRING, "more"), .nullable = true,
     .text = "How hardware counters are had; null where the point has them."},
    {0},
};

const struct lab_schema lab_explanation_documents[] = {
    {.name = "Explanation",
     .type = LAB_TYPE_OBJECT,
     .members = explanation_members,
     .text = "What limits a point of a run, and what is known of it."},
    {0},
};
