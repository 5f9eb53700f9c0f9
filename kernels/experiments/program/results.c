#include "results.h"

#include "core/array.h"
#include "descriptor/results.h"
#include "formats/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool program_samples_add(struct program_samples *samples, size_t execution, double sample)
{
    while (samples->executions <= execution) {
        size_t *ends = lab_array_grow(samples->ends, samples->executions, sizeof *ends);
        if (ends == NULL)
            return false;
        samples->ends = ends;
        samples->ends[samples->executions++] = samples->count;
    }
    double *items = lab_array_grow(samples->items, samples->count, sizeof *items);
    if (items == NULL)
        return false;
    samples->items = items;
    samples->items[samples->count++] = sample;
    samples->ends[execution] = samples->count;
    return true;
}

void program_samples_release(struct program_samples *samples)
{
    free(samples->items);
    free(samples->ends);
    *samples = (struct program_samples){0};
}

static struct program_result *find(const struct program_results *results, const char *metric, const char *unit,
                                   const json_t *axes)
{
    for (size_t i = 0; i < results->count; i++) {
        struct program_result *result = &results->items[i];
        if (strcmp(result->metric, metric) == 0 && strcmp(result->unit, unit) == 0 && json_equal(result->axes, axes))
            return result;
    }
    return NULL;
}

static struct program_result *add(struct program_results *results, const char *metric, const char *unit,
                                  const json_t *axes)
{
    struct program_result *items =
        results->count < LAB_POINTS_MAX ? lab_array_grow(results->items, results->count, sizeof *items) : NULL;
    if (items == NULL)
        return NULL;
    results->items = items;
    struct program_result *result = &items[results->count++];
    *result = (struct program_result){strdup(metric), strdup(unit), json_deep_copy(axes), {0}};
    return result->metric != NULL && result->unit != NULL && result->axes != NULL ? result : NULL;
}

/* --- from a text -------------------------------------------------------------------------------------------------- */

static bool add_measurement(struct program_results *results, size_t execution,
                            const struct lab_result_measurement *measurement, struct lab_error *error)
{
    json_t *axes = lab_result_axes(measurement->axes);
    struct program_result *result = find(results, measurement->metric, measurement->unit, axes);
    if (result == NULL)
        result = add(results, measurement->metric, measurement->unit, axes);
    json_decref(axes);
    if (result == NULL)
        return lab_error_set(error, LAB_ERROR_PROGRAM_FAILED, "", "The program has more than %d results.",
                             LAB_POINTS_MAX);
    size_t count = measurement->sample_count;
    if (result->samples.count + (count > 0 ? count : 1) > PROGRAM_SAMPLES_MAX)
        return lab_error_set(error, LAB_ERROR_PROGRAM_FAILED, "",
                             "The result '%.64s' of the program has more than %d samples in all executions.",
                             measurement->metric, PROGRAM_SAMPLES_MAX);
    bool good =
        count > 0 || program_samples_add(&result->samples, execution, lab_result_figures_value(&measurement->figures));
    for (size_t i = 0; good && i < count; i++)
        good = program_samples_add(&result->samples, execution, measurement->samples[i]);
    return good || lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

bool program_results_read(struct program_results *results, const struct lab_run *run, size_t execution,
                          const char *format, const char *text, size_t size, struct lab_error *error)
{
    struct lab_result_file file = {0};
    struct lab_errors errors = {0};
    bool good = lab_result_format_read(lab_result_format_find(format), text, size, &file, &errors);
    if (!good)
        lab_error_set(error, LAB_ERROR_PROGRAM_FAILED, "",
                      "The results of the program are not of the format %s: %s%s%s", format, errors.items[0].pointer,
                      errors.items[0].pointer[0] != '\0' ? ": " : "", errors.items[0].detail);
    for (size_t i = 0; good && i < file.count; i++)
        good = add_measurement(results, execution, &file.measurements[i], error);
    for (size_t i = 0; good && i < file.note_count; i++)
        run->sink.note(run->sink.context, file.notes[i]);
    lab_result_file_release(&file);
    return good;
}

/* --- to the lab --------------------------------------------------------------------------------------------------- */

/* The name by which results of runs are compared; NULL: none. */
static const char *name_of(const json_t *program)
{
    const char *name = json_string_value(json_object_get(program, "name"));
    return name != NULL ? name : json_string_value(json_object_get(program, "command"));
}

/* The axis that says which program was measured is the lab's, so that no program puts its results into the series of
 * another. */
static const char *name_of_axis(const char *given)
{
    return strcmp(given, "program") == 0 ? "axis_program" : given;
}

static void set_axes(struct lab_axes *axes, const json_t *given, const json_t *program)
{
    const char *name = name_of(program), *key;
    json_t *value;
    if (name != NULL)
        lab_axes_text(axes, "program", name);
    json_object_foreach((json_t *)given, key, value)
    {
        const char *axis = name_of_axis(key);
        if (axes->count == LAB_AXES_MAX)
            return;
        if (json_is_string(value))
            lab_axes_text(axes, axis, json_string_value(value));
        else if (json_is_boolean(value))
            lab_axes_flag(axes, axis, json_is_true(value));
        else
            lab_axes_number(axes, axis, json_integer_value(value));
    }
}

/* Whether a result is one that can be measured, which a program can contradict, as by a time below 0. */
static bool is_possible(const struct lab_run *run, const struct lab_measurement *measurement)
{
    struct lab_error error;
    char text[LAB_DETAIL_MAX + 256];
    json_t *json = lab_measurement_to_json(measurement);
    bool good = lab_measurement_check(run->experiment, json, measurement->sample_count, &error);
    json_decref(json);
    if (good)
        return true;
    snprintf(text, sizeof text, "the program's result '%.64s' is left out, because it is not possible: %s",
             measurement->metric, error.detail);
    run->sink.warning(run->sink.context, text);
    return false;
}

/* Whether each execution has a sample, as each block of a comparison must. */
static bool has_blocks(const struct program_samples *samples)
{
    for (size_t i = 0, first = 0; i < samples->executions; first = samples->ends[i++])
        if (samples->ends[i] == first)
            return false;
    return true;
}

static void send(const struct lab_run *run, const char *metric, const char *unit, const json_t *axes,
                 const struct program_samples *samples)
{
    struct lab_measurement measurement = {.metric = metric,
                                          .unit = unit,
                                          .side = run->side,
                                          .stop_reason = "sample-limit",
                                          .numa_node = LAB_UNKNOWN,
                                          .sample_count = samples->count,
                                          .samples = samples->items};
    if (run->side != NULL && has_blocks(samples)) {
        measurement.rounds = samples->items;
        measurement.block_count = samples->executions;
        measurement.block_ends = samples->ends;
    }
    set_axes(&measurement.axes, axes, run->program);
    if (samples->count > 0 && lab_summarise(samples->items, samples->count, &measurement.summary) &&
        is_possible(run, &measurement))
        run->sink.measurement(run->sink.context, &measurement);
}

void program_samples_send(const struct program_samples *samples, const struct lab_run *run, const char *metric,
                          const char *unit)
{
    send(run, metric, unit, NULL, samples);
}

void program_skipped_send(const struct lab_run *run, const char *metric, const char *unit, const char *reason)
{
    struct lab_measurement measurement = {
        .metric = metric, .unit = unit, .side = run->side, .skipped = reason, .numa_node = LAB_UNKNOWN};
    set_axes(&measurement.axes, NULL, run->program);
    lab_summarise(NULL, 0, &measurement.summary);
    run->sink.measurement(run->sink.context, &measurement);
}

void program_counted_send(const struct lab_run *run, const char *kernel, size_t launches,
                          const struct lab_hardware_counts *counts)
{
    double value = (double)launches;
    struct lab_measurement measurement = {
        .metric = "launches", .unit = "1", .side = run->side, .numa_node = LAB_UNKNOWN, .counters = counts};
    set_axes(&measurement.axes, NULL, run->program);
    lab_axes_text(&measurement.axes, "kernel", kernel);
    if (lab_summarise(&value, 1, &measurement.summary))
        run->sink.measurement(run->sink.context, &measurement);
}

static const struct program_result *same_in(const struct program_results *results, const struct program_result *result)
{
    return results != NULL ? find(results, result->metric, result->unit, result->axes) : NULL;
}

/* Whether a metric is one that the lab measures of every program, which no program reports of itself. */
static bool is_of_lab(const struct lab_run *run, const char *name)
{
    for (const struct lab_metric *metric = run->experiment->metrics; metric->name != NULL; metric++)
        if (strcmp(metric->name, name) == 0)
            return true;
    return false;
}

static void send_result(const struct lab_run *run, const struct program_result *result)
{
    char text[LAB_DETAIL_MAX];
    if (!is_of_lab(run, result->metric)) {
        send(run, result->metric, result->unit, result->axes, &result->samples);
        return;
    }
    snprintf(text, sizeof text,
             "the program's result '%.64s' is left out, because gpulab measures it itself: it needs another name",
             result->metric);
    run->sink.warning(run->sink.context, text);
}

/* Sends the results that the other side lacks. */
static void send_rest(const struct program_results *results, const struct program_results *other,
                      const struct lab_run *run)
{
    for (size_t i = 0; i < results->count; i++)
        if (same_in(other, &results->items[i]) == NULL)
            send_result(run, &results->items[i]);
}

void program_results_send(const struct program_results *results, const struct program_results *base,
                          const struct lab_run *run)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct program_result *same = same_in(base, &results->items[i]);
        if (same == NULL)
            continue;
        send_result(run->base, same);
        send_result(run, &results->items[i]);
    }
    send_rest(results, base, run);
    if (base != NULL)
        send_rest(base, results, run->base);
}

void program_results_release(struct program_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        free(results->items[i].metric);
        free(results->items[i].unit);
        program_samples_release(&results->items[i].samples);
        json_decref(results->items[i].axes);
    }
    free(results->items);
    *results = (struct program_results){0};
}
