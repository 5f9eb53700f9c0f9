/* Checks presets as the parameters of a request, references by the points that a run can have, and lessons by name. */
#include "pages/check.h"

#include "pages/data.h"

#include "core/schema.h"
#include "core/text.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 16, METRICS_MAX = 64 };

/* GPUs of which nothing is known, so that nothing is refused because of the device. */
static struct lab_device_facts facts[DEVICES_MAX];
static const struct lab_device_facts *devices[DEVICES_MAX];

static void fill_devices(void)
{
    for (size_t i = 0; i < DEVICES_MAX; i++) {
        lab_facts_clear(&facts[i]);
        snprintf(facts[i].backend, sizeof facts[i].backend, "cuda");
        devices[i] = &facts[i];
    }
}

/* Writes the pointer of a member of the object at `pointer`. */
static const char *pointer_of(char place[LAB_POINTER_MAX], const char *pointer, const char *member)
{
    lab_utf8_copy(place, LAB_POINTER_MAX, pointer);
    lab_pointer_append(place, LAB_POINTER_MAX, member, strlen(member));
    return place;
}

/* Adds errors of a request, whose pointers begin with "/parameters", as errors of the member at `pointer`. */
static void add_errors(struct lab_errors *errors, const struct lab_errors *of_request, const char *pointer)
{
    for (size_t i = 0; i < of_request->count; i++) {
        const struct lab_error *error = &of_request->items[i];
        char place[LAB_POINTER_MAX];
        const char *rest = error->pointer + strcspn(error->pointer + 1, "/") + 1;
        snprintf(place, sizeof place, "%s%s", pointer, error->pointer[0] != '\0' ? rest : "");
        lab_errors_add(errors, error->code, place, "%s", error->detail);
    }
}

/* The parameters of a request, which is also planned on `count` devices; NULL with errors added. */
static struct lab_parameters *plan_request(const struct lab_experiment *experiment, const json_t *request, size_t count,
                                           const char *pointer, struct lab_errors *errors)
{
    struct lab_errors refused = {0};
    struct lab_estimate estimate;
    struct lab_parameters *parameters = lab_parameters_parse(experiment, request, &refused);
    bool has_plan = experiment->define == NULL; /* else the plan needs a kernel, which a preset does not have */
    if (parameters != NULL && has_plan && !experiment->plan(parameters, devices, count, &estimate, &refused)) {
        lab_parameters_free(parameters);
        parameters = NULL;
    }
    add_errors(errors, &refused, pointer);
    return parameters;
}

static void check_presets(const struct lab_experiment *experiment, const json_t *presets, struct lab_errors *errors)
{
    const char *name;
    json_t *parameters;
    json_object_foreach((json_t *)(uintptr_t)presets, name, parameters)
    {
        char place[LAB_POINTER_MAX];
        lab_parameters_free(
            plan_request(experiment, parameters, experiment->devices_min, pointer_of(place, "/presets", name), errors));
    }
}

/* --- references: the values --------------------------------------------------------------------------------------- */

/* The rows of the axes that a reference can name: not those of devices, which are devices of one lab. */
static void make_axis_rows(const struct lab_experiment *experiment, struct lab_schema rows[LAB_AXES_MAX + 1])
{
    static const enum lab_type types[] = {
        [LAB_AXIS_NUMBER] = LAB_TYPE_INTEGER, [LAB_AXIS_FLAG] = LAB_TYPE_BOOLEAN, [LAB_AXIS_CHOICE] = LAB_TYPE_CHOICE};
    for (const struct lab_axis *axis = experiment->axes; axis->name != NULL; axis++) {
        struct lab_choices choices;
        enum lab_axis_kind kind = lab_axis_kind(experiment, axis, &choices);
        if (kind != LAB_AXIS_DEVICE)
            *rows++ = (struct lab_schema){.name = axis->name,
                                          .type = types[kind],
                                          .choices = choices.texts,
                                          .choice_stride = choices.stride,
                                          .nullable = true};
    }
    *rows = (struct lab_schema){0};
}

/* Metric and unit of a figure, and of the speedups that are derived from it. */
static void check_metric(const struct lab_experiment *experiment, const json_t *figure, const char *pointer,
                         struct lab_errors *errors)
{
    const char *names[METRICS_MAX + 1] = {0}, *unit[] = {NULL, NULL};
    const char *name = json_string_value(json_object_get(figure, "metric"));
    bool has_speedup = false;
    for (size_t i = 0; i < METRICS_MAX && experiment->metrics[i].name != NULL; i++) {
        names[i] = experiment->metrics[i].name;
        has_speedup = has_speedup || strcmp(names[i], "speedup") == 0;
        if (strcmp(names[i], name) == 0)
            unit[0] = experiment->metrics[i].unit;
    }
    const struct lab_schema rows[] = {{.name = "metric", .type = LAB_TYPE_CHOICE, .choices = names},
                                      {.name = "unit", .type = LAB_TYPE_CHOICE, .choices = unit}};
    char place[LAB_POINTER_MAX];
    for (size_t i = 0; i < (unit[0] != NULL ? 2 : 1); i++)
        lab_schema_check_value(&rows[i], json_object_get(figure, rows[i].name),
                               pointer_of(place, pointer, rows[i].name), errors);
    if (json_object_get(figure, "baseline") != NULL && !has_speedup)
        lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, pointer_of(place, pointer, "baseline"),
                       "must be left out: the experiment has no metric speedup");
}

/* --- references: the point ---------------------------------------------------------------------------------------- */

/* The request of a run that has the point with these axes. */
static json_t *request_of(const struct lab_experiment *experiment, const json_t *axes)
{
    json_t *request = json_object();
    for (const struct lab_axis *axis = experiment->axes; axis->name != NULL; axis++) {
        json_t *value = json_object_get(axes, axis->name);
        char name[64];
        if (value == NULL || json_is_null(value))
            continue;
        if (axis->choices == lab_loads || lab_schema_find(experiment->parameters, axis->name) != NULL)
            json_object_set(request, axis->name, value);
        for (size_t i = 0; axis->source == LAB_AXIS_SIZES && i < 2; i++) {
            snprintf(name, sizeof name, "%s_%s", i == 0 ? "min" : "max", axis->name);
            json_object_set(request, name, value);
        }
    }
    return request;
}

/* The value of a point on an axis as a reference names it; NULL for none. */
static json_t *value_of(const struct lab_experiment *experiment, const struct lab_axis *axis, int64_t value)
{
    struct lab_choices choices;
    enum lab_axis_kind kind = lab_axis_kind(experiment, axis, &choices);
    return value == LAB_NO_VALUE     ? NULL
           : kind == LAB_AXIS_CHOICE ? json_string(lab_choice_text(choices, (size_t)value))
           : kind == LAB_AXIS_FLAG   ? json_boolean(value)
                                     : json_integer(value);
}

/* Whether a point agrees with the axes that have a value. Only run() knows a point's values on axes of source
 * LAB_AXIS_RUN. */
static bool agrees(const struct lab_experiment *experiment, const struct lab_point *point, const json_t *axes)
{
    bool equal = true;
    for (size_t i = 0; experiment->axes[i].name != NULL; i++) {
        const json_t *wanted = json_object_get(axes, experiment->axes[i].name);
        json_t *value = value_of(experiment, &experiment->axes[i], point->values[i]);
        if (wanted != NULL && !json_is_null(wanted) && experiment->axes[i].source != LAB_AXIS_RUN)
            equal = equal && json_equal(value, wanted);
        json_decref(value);
    }
    return equal;
}

static void require_axes(const struct lab_experiment *experiment, const struct lab_point *point, const json_t *axes,
                         const char *pointer, struct lab_errors *errors)
{
    for (size_t i = 0; experiment->axes[i].name != NULL; i++) {
        const struct lab_axis *axis = &experiment->axes[i];
        if (point->values[i] != LAB_NO_VALUE && !axis->devices && json_object_get(axes, axis->name) == NULL)
            lab_errors_add(errors, LAB_ERROR_MISSING, pointer,
                           "axis '%s' is missing; it must have the value of the published run, or null for any value",
                           axis->name);
    }
}

static void refuse_point(const json_t *axes, const char *pointer, struct lab_errors *errors)
{
    char *text = json_dumps(axes, JSON_COMPACT);
    lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                   "no run has a point with these axes; they must be those of a point, as a measurement has them: %s",
                   text != NULL ? text : "");
    free(text);
}

/* Whether the run of a request has a point with these axes, and all axes of that point are named. */
static void check_point(const struct lab_experiment *experiment, const json_t *axes, const char *pointer,
                        struct lab_errors *errors)
{
    json_int_t asked = json_integer_value(json_object_get(axes, "device_count"));
    size_t count = asked > 0 && asked <= DEVICES_MAX ? (size_t)asked : experiment->devices_min;
    json_t *request = request_of(experiment, axes);
    struct lab_parameters *parameters = plan_request(experiment, request, count, pointer, errors);
    struct lab_points points = {0};
    json_decref(request);
    if (parameters != NULL && lab_points_init(&points, parameters, devices, count, errors)) {
        size_t i = 0;
        while (i < points.count && !agrees(experiment, &points.items[i], axes))
            i++;
        if (i < points.count)
            require_axes(experiment, &points.items[i], axes, pointer, errors);
        else
            refuse_point(axes, pointer, errors);
    }
    lab_points_release(&points);
    lab_parameters_free(parameters);
}

static void check_figure(const struct lab_experiment *experiment, const struct lab_schema *rows, const json_t *figure,
                         const char *pointer, struct lab_errors *errors)
{
    char place[LAB_POINTER_MAX];
    const json_t *axes = json_object_get(figure, "axes");
    size_t count = errors->count;
    check_metric(experiment, figure, pointer, errors);
    pointer_of(place, pointer, "axes");
    lab_schema_check_members(rows, axes, place, errors);
    if (errors->count == count)
        check_point(experiment, axes, place, errors);
}

/* The figures of a row, up to the first one that is wrong. */
static void check_row(const struct lab_experiment *experiment, const struct lab_schema *rows, const json_t *group,
                      const json_t *row, const char *pointer, struct lab_errors *errors)
{
    json_t *figures = json_array();
    size_t count = errors->count;
    if (!lab_data_add_figures(figures, group, row))
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, pointer, "out of memory for the figures of the row");
    for (size_t i = 0; i < json_array_size(figures) && errors->count == count; i++)
        check_figure(experiment, rows, json_array_get(figures, i), pointer, errors);
    json_decref(figures);
}

/* Parameters of the run that are not axes, whose values the figures have. */
static void check_parameters(const struct lab_experiment *experiment, const json_t *given, const char *pointer,
                             struct lab_errors *errors)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)given, name, value)
    {
        const struct lab_axis *axis = experiment->axes;
        char place[LAB_POINTER_MAX];
        while (axis->name != NULL && strcmp(axis->name, name) != 0)
            axis++;
        if (axis->name != NULL)
            lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, pointer_of(place, pointer, name),
                           "must be left out: it is an axis, whose value 'axes' has");
    }
    if (given != NULL)
        lab_parameters_free(plan_request(experiment, given, experiment->devices_min, pointer, errors));
}

/* A figure of gpulab is of use only with the driver and the date. */
static void check_origin(const json_t *group, const char *pointer, struct lab_errors *errors)
{
    static const char *const names[] = {"driver", "date"};
    bool own = strncmp(json_string_value(json_object_get(group, "source")), "gpulab", strlen("gpulab")) == 0;
    for (size_t i = 0; own && i < sizeof names / sizeof *names; i++)
        if (json_object_get(group, names[i]) == NULL)
            lab_errors_add(errors, LAB_ERROR_MISSING, pointer,
                           "'%s' is missing; what gpulab measured must have it, as \"580.159.04\" and \"2026-11\"",
                           names[i]);
}

static void check_references(const struct lab_experiment *experiment, const json_t *references,
                             struct lab_errors *errors)
{
    struct lab_schema rows[LAB_AXES_MAX + 1];
    const json_t *group, *row;
    size_t g, r;
    make_axis_rows(experiment, rows);
    json_array_foreach(references, g, group)
    {
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/references/%zu", g);
        check_origin(group, pointer, errors);
        snprintf(pointer, sizeof pointer, "/references/%zu/parameters", g);
        check_parameters(experiment, json_object_get(group, "parameters"), pointer, errors);
        snprintf(pointer, sizeof pointer, "/references/%zu/axes", g);
        bool right = json_object_get(group, "axes") == NULL ||
                     lab_schema_check_members(rows, json_object_get(group, "axes"), pointer, errors);
        json_array_foreach(right ? json_object_get(group, "figures") : NULL, r, row)
        {
            snprintf(pointer, sizeof pointer, "/references/%zu/figures/%zu", g, r);
            check_row(experiment, rows, group, row, pointer, errors);
        }
    }
}

void lab_data_check(const json_t *document, const struct lab_experiment *experiment, struct lab_errors *errors)
{
    fill_devices();
    check_presets(experiment, json_object_get(document, "presets"), errors);
    check_references(experiment, json_object_get(document, "references"), errors);
}

/* --- lessons of programs ------------------------------------------------------------------------------------------ */

/* The line of the source in which the lessons are. */
static size_t lessons_line(const char *source)
{
    size_t line = 1;
    for (const char *at = source, *end = strstr(source, "Lessons: "); at < end; at++)
        line += *at == '\n';
    return line;
}

bool lab_lessons_check(const struct lab_sample_program *programs, FILE *messages)
{
    bool good = true;
    for (; programs->name != NULL; programs++) {
        for (const char *const *lesson = programs->lessons; *lesson != NULL; lesson++) {
            if (lab_experiment_find(*lesson) != NULL)
                continue;
            good = false;
            fprintf(messages, "kernels/programs/%s:%zu: the lesson '%s' must be the name of an experiment\n",
                    programs->file, lessons_line(programs->source), *lesson);
        }
    }
    return good;
}
