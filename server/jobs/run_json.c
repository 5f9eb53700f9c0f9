/* The queue, runs and measurements as JSON. */
#include "run_json.h"

#include "analysis/cautions.h"
#include "core/clock.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/result_rows.h"
#include "core/throttle.h"
#include "facts/facts.h"

#include <string.h>

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

bool lab_devices_have_gpu(const json_t *devices)
{
    size_t index;
    json_t *device;
    json_array_foreach(devices, index, device)
    {
        const char *id = json_string_value(json_object_get(device, "id"));
        if (id != NULL && strncmp(id, LAB_HOST_ID, strlen(LAB_HOST_ID)) != 0)
            return true;
    }
    return false;
}

/* Sets the version of the expressions of a stored kernel that says none; NULL, null and edited sources have no
 * expressions. */
static json_t *set_version(json_t *kernel)
{
    if (json_object_get(kernel, "arguments") != NULL && json_object_get(kernel, "expressions") == NULL)
        json_object_set_new(kernel, "expressions", json_integer(LAB_EXPRESSIONS_REAL));
    return kernel;
}

json_t *lab_kernel_json(const char *kernel)
{
    json_t *value = lab_json_stored(kernel);
    return value != NULL ? set_version(value) : json_null();
}

void lab_kernel_hide_expected(json_t *kernel)
{
    size_t index;
    json_t *argument;
    json_array_foreach(json_object_get(kernel, "arguments"), index, argument)
    {
        json_object_del(argument, "expected");
        json_object_del(argument, "expected_data");
    }
    json_object_del(json_object_get(kernel, "reference"), "source");
}

/* Sets the version of the kernel of a stored base; NULL and null are allowed. */
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
    if (!live->has_progress)
        return json_null();
    return json_pack("{s:I, s:I, s:s}", "done", (json_int_t)live->done, "total", (json_int_t)live->total, "label",
                     live->label);
}

/* Removes the sources and saved outputs of an own kernel, which lists and events do not repeat; NULL and null are
 * allowed. */
static void without_source(json_t *kernel)
{
    size_t index;
    json_t *argument;
    json_array_foreach(json_object_get(kernel, "arguments"), index, argument)
    {
        json_object_del(argument, "expected_data");
        json_object_del(argument, "data");
    }
    json_object_del(kernel, "source");
    json_object_del(kernel, "files");
    json_object_del(kernel, "check");
    json_object_del(json_object_get(kernel, "reference"), "source");
}

/* Removes the texts of a program's files, likewise; their names stay. */
static void without_texts(json_t *program)
{
    json_t *files = json_object_get(program, "files"), *names = json_object(), *text;
    const char *name;
    json_object_foreach(files, name, text)
    {
        json_object_set_new(names, name, json_null());
    }
    if (files != NULL)
        json_object_set(program, "files", names);
    json_object_del(program, "stdin");
    json_decref(names);
}

/* Adds a warning for each member that cannot be read. */
static void warn_of_unreadable(json_t *run, const json_t *names)
{
    size_t index;
    json_t *name;
    json_array_foreach(names, index, name)
    {
        json_array_append_new(json_object_get(run, "warnings"),
                              json_sprintf("its %s cannot be shown: what is stored is not valid, or nested more than "
                                           "%d levels deep",
                                           json_string_value(name), LAB_JSON_DEPTH_MAX));
    }
}

static void set_live(json_t *object, const struct lab_run_row *run, const struct lab_live_state *live)
{
    /* Between the record of its end in the store and the next run, the runner still has the run's progress. */
    if (live == NULL || !lab_status_live(run->status))
        return;
    if (live->queue_position >= 0)
        json_object_set_new(object, "queue_position", json_integer(live->queue_position));
    json_object_set_new(object, "wait_s", lab_json_real_or_null(live->wait_s));
    json_object_set_new(object, "progress", progress_json(live));
}

json_t *lab_run_json(const struct lab_run_row *run, const struct lab_live_state *live)
{
    json_t *unreadable = json_array(), *object = lab_row_to_json(lab_run_summary_members, run, unreadable);
    json_object_update_new(object, lab_row_to_json(lab_run_detail_members, run, unreadable));
    if (!(run->time_limit_s > 0)) /* the store has 0 */
        json_object_set_new(object, "time_limit_s", json_null());
    base_json(json_object_get(object, "compare_with"));
    set_version(json_object_get(object, "kernel"));
    if (run->challenge != NULL && lab_run_is_secret(run, lab_time_now()))
        lab_kernel_hide_expected(json_object_get(object, "kernel"));
    set_live(object, run, live);
    warn_of_unreadable(object, unreadable);
    json_decref(unreadable);
    return object;
}

json_t *lab_run_summary_json(const struct lab_run_row *run, const struct lab_live_state *live)
{
    json_t *object = lab_run_json(run, live);
    for (const struct lab_row_member *detail = lab_run_detail_members; detail->name != NULL; detail++)
        json_object_del(object, detail->name);
    without_source(json_object_get(json_object_get(object, "compare_with"), "kernel"));
    without_source(json_object_get(object, "kernel"));
    without_texts(json_object_get(json_object_get(object, "compare_with"), "program"));
    without_texts(json_object_get(object, "program"));
    return object;
}

json_t *lab_measurement_row_json(const struct lab_measurement_row *row)
{
    json_t *object = lab_row_to_json(lab_measurement_row_members, row, NULL);
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
