/* The queue, runs and measurements as JSON. */
#include "run_json.h"

#include "analysis/cautions.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/result_rows.h"
#include "core/throttle.h"

/* Parses JSON text from the store; null when it is missing or cannot be read. */
static json_t *stored_or_null(const char *text)
{
    json_t *value = lab_json_stored(text);
    return value != NULL ? value : json_null();
}

/* Parses a member of a run; `otherwise`, which it takes, when the member is missing. What cannot be read is named in `warnings`. */
static json_t *stored(const char *name, const char *text, json_t *otherwise, json_t *warnings)
{
    json_t *value = lab_json_stored(text);
    bool has_type = value != NULL && (json_is_null(otherwise) || json_typeof(value) == json_typeof(otherwise));
    if (text != NULL && !has_type)
        json_array_append_new(warnings, json_sprintf("its %s cannot be shown: what is stored is not valid, or nested "
                                                     "more than %d levels deep",
                                                     name, LAB_JSON_DEPTH_MAX));
    json_decref(has_type ? otherwise : value);
    return has_type ? value : otherwise;
}

json_t *lab_device_ids_json(const json_t *devices)
{
    size_t index;
    json_t *device, *ids = json_array();
    json_array_foreach(devices, index, device)
    {
        json_array_append(ids, json_object_get(device, "id"));
    }
    return ids;
}

/* Sets the version of the expressions of a stored kernel that says none; NULL, null and edited sources have no expressions. */
static json_t *set_version(json_t *kernel)
{
    if (json_object_get(kernel, "arguments") != NULL && json_object_get(kernel, "expressions") == NULL)
        json_object_set_new(kernel, "expressions", json_integer(LAB_EXPRESSIONS_REAL));
    return kernel;
}

json_t *lab_kernel_json(const char *kernel)
{
    return set_version(stored_or_null(kernel));
}

/* The same for the kernel of a stored base; NULL and null are allowed. */
static json_t *base_json(json_t *base)
{
    set_version(json_object_get(base, "kernel"));
    return base;
}

json_t *lab_compare_with_json(const char *compare_with)
{
    json_t *base = base_json(lab_json_stored(compare_with));
    if (base != NULL)
        json_object_set_new(base, "devices", lab_device_ids_json(json_object_get(base, "devices")));
    return base;
}

json_t *lab_queue_json(const struct lab_queue_state *state)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < state->running; i++)
        json_array_append_new(runs, json_string(state->runs[i]));
    return json_pack("{s:I, s:s?, s:o, s:b, s:s?}", "length", (json_int_t)state->length, "running",
                     state->running > 0 ? state->runs[0] : NULL, "runs", runs, "paused", state->paused, "held",
                     state->held[0] != '\0' ? state->held : NULL);
}

static json_t *progress_json(const struct lab_live_state *live)
{
    if (live == NULL || !live->has_progress)
        return json_null();
    return json_pack("{s:I, s:I, s:s}", "done", (json_int_t)live->done, "total", (json_int_t)live->total, "label",
                     live->label);
}

/* Removes the sources of an own kernel, which lists and events do not repeat; null is allowed. */
static json_t *without_source(json_t *kernel)
{
    json_object_del(kernel, "source");
    json_object_del(json_object_get(kernel, "reference"), "source");
    return kernel;
}

json_t *lab_run_summary_json(const struct lab_run_row *run, const struct lab_live_state *live)
{
    /* Between the record of its end in the store and the next run, the runner still has the run's progress. */
    if (!lab_status_live(run->status))
        live = NULL;
    bool waits = live != NULL && live->queue_position >= 0;
    json_t *object = json_object(), *warnings = lab_json_stored_list(run->warnings);
    json_object_set_new(object, "id", json_string(run->id));
    json_object_set_new(object, "revision", json_integer(run->revision));
    json_object_set_new(object, "experiment", json_string(run->experiment));
    json_object_set_new(object, "status", json_string(lab_status_name(run->status)));
    json_object_set_new(object, "devices", stored("devices", run->devices, json_array(), warnings));
    json_object_set_new(object, "host", lab_json_text_or_null(run->host));
    json_object_set_new(object, "parameters", stored("parameters", run->parameters, json_object(), warnings));
    json_object_set_new(object, "tags", stored("tags", run->tags, json_array(), warnings));
    json_object_set_new(object, "note", lab_json_text_or_null(run->note));
    json_object_set_new(object, "pinned", json_boolean(run->pinned));
    json_object_set_new(object, "priority", json_string(lab_priority_name(run->priority)));
    json_object_set_new(object, "requested_by", lab_json_text_or_null(run->requested_by));
    json_object_set_new(object, "sweep", lab_json_text_or_null(run->sweep));
    json_t *compare_with = base_json(stored("compare_with", run->compare_with, json_null(), warnings));
    without_source(json_object_get(compare_with, "kernel"));
    json_object_set_new(object, "compare_with", compare_with);
    json_t *kernel = set_version(stored("kernel", run->kernel, json_null(), warnings));
    json_object_set_new(object, "kernel", without_source(kernel));
    json_object_set_new(object, "time_limit_s", run->time_limit_s > 0 ? json_real(run->time_limit_s) : json_null());
    json_object_set_new(object, "created_at", lab_json_time_or_null(run->created_at));
    json_object_set_new(object, "started_at", lab_json_time_or_null(run->started_at));
    json_object_set_new(object, "finished_at", lab_json_time_or_null(run->finished_at));
    json_object_set_new(object, "queue_position", waits ? json_integer(live->queue_position) : json_null());
    json_object_set_new(object, "wait_s", live != NULL ? lab_json_real_or_null(live->wait_s) : json_null());
    json_object_set_new(object, "progress", progress_json(live));
    json_object_set_new(object, "contended", json_boolean(run->contended));
    json_object_set_new(object, "measurement_count", json_integer(run->measurement_count));
    json_object_set_new(object, "wrong_count", json_integer(run->wrong_count));
    json_object_set_new(object, "headline", stored("headline", run->headline, json_null(), warnings));
    json_object_set_new(object, "warnings", warnings);
    json_object_set_new(object, "notes", lab_json_stored_list(run->notes));
    json_object_set_new(object, "error", stored("error", run->error, json_null(), warnings));
    return object;
}

json_t *lab_run_json(const struct lab_run_row *run, const struct lab_live_state *live)
{
    json_t *object = lab_run_summary_json(run, live);
    json_object_set_new(object, "compare_with", base_json(stored_or_null(run->compare_with)));
    json_object_set_new(object, "kernel", lab_kernel_json(run->kernel));
    json_object_set_new(object, "output", lab_json_text_or_null(run->output));
    json_object_set_new(object, "environment",
                        stored("environment", run->environment, json_null(), json_object_get(object, "warnings")));
    return object;
}

json_t *lab_measurement_row_json(const struct lab_measurement_row *row)
{
    json_t *object = lab_row_to_json(lab_measurement_row_members, row);
    if (row->verified < 0) /* the store has 0 */
        json_object_set_new(object, "wrong", json_null());
    lab_measurement_add_cautions(object);
    return object;
}

void lab_measurement_add_cautions(json_t *measurement)
{
    json_t *conditions = json_object_get(measurement, "conditions");
    json_object_set_new(conditions, "throttled_by", lab_throttle_cautions(json_object_get(conditions, "throttle")));
    json_object_set_new(measurement, "cautions", lab_cautions_of(measurement));
}
