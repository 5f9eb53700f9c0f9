/* Lists the points of a request by nested loops over the axes, and writes them as text. */
#include "descriptor/points.h"

#include "core/text.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the values of an axis ---------------------------------------------------------------------------------------- */

/* A growing list. `failed`: a value could not be added, because memory ran out or no more points are allowed. */
struct lab_axis_values {
    size_t count, capacity;
    int64_t *items;
    bool failed;
};

void lab_axis_values_add(struct lab_axis_values *values, int64_t value)
{
    if (values->count == values->capacity) {
        size_t capacity = values->capacity > 0 ? 2 * values->capacity : 16;
        int64_t *items = values->capacity <= LAB_POINTS_MAX ? realloc(values->items, capacity * sizeof *items) : NULL;
        if (items == NULL) {
            values->failed = true;
            return;
        }
        values->items = items;
        values->capacity = capacity;
    }
    values->items[values->count++] = value;
}

void lab_axis_values_add_parameter(struct lab_axis_values *values, const struct lab_points_request *request,
                                   const char *name)
{
    const struct lab_values *all = lab_parameter_values(request->parameters, name);
    for (size_t i = 0; i < all->count; i++)
        lab_axis_values_add(values, all->items[i].integer);
}

static void size_name(char *text, size_t size, const char *bound, const char *axis)
{
    snprintf(text, size, "%s_%s", bound, axis);
}

/* The largest size is always among the values. */
void lab_axis_values_add_sizes(struct lab_axis_values *values, const struct lab_points_request *request,
                               const char *name)
{
    const struct lab_parameters *given = request->parameters;
    char low[64], high[64];
    size_name(low, sizeof low, "min", name);
    size_name(high, sizeof high, "max", name);
    int64_t last = lab_parameter_integer(given, high);
    double factor = lab_parameter_number(given, "factor");
    for (int64_t size = lab_parameter_integer(given, low); size < last && !values->failed;) {
        lab_axis_values_add(values, size);
        double next = fmax(floor((double)size * factor + 0.5), (double)size + 1);
        size = next < (double)last ? (int64_t)next : last;
    }
    lab_axis_values_add(values, last);
}

static int64_t round_value(const struct lab_axis *axis, const struct lab_point *point, int64_t value)
{
    if (value == LAB_NO_VALUE)
        return value;
    if (axis->multiple > 0)
        value = value < axis->multiple ? axis->multiple : value - value % axis->multiple;
    while (axis->power_of_two && (value & (value - 1)) != 0)
        value &= value - 1;
    return axis->round != NULL ? axis->round(point, value) : value;
}

/* Rounds all values, and keeps the first of those that become equal. */
static void round_values(const struct lab_axis *axis, const struct lab_point *point, struct lab_axis_values *values)
{
    size_t kept = 0;
    for (size_t i = 0; i < values->count; i++) {
        int64_t value = round_value(axis, point, values->items[i]);
        bool seen = false;
        for (size_t k = 0; k < kept && !seen; k++)
            seen = values->items[k] == value;
        if (!seen)
            values->items[kept++] = value;
    }
    values->count = kept;
}

static void add_kept(const struct lab_points_request *request, const struct lab_axis *axis,
                     const struct lab_point *point, struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, axis->name);
    bool all = axis->all > 0 && lab_parameter_has(request->parameters, axis->name, axis->all);
    for (size_t i = 0; i < (all ? (size_t)axis->all : given->count); i++) {
        int64_t value = all ? (int64_t)i : given->items[i].integer;
        if (axis->keeps == NULL || (axis->all > 0 && !all) || axis->keeps(request, point, value))
            lab_axis_values_add(values, value);
    }
}

static void list_values(const struct lab_points_request *request, const struct lab_axis *axis,
                        const struct lab_point *point, struct lab_axis_values *values)
{
    bool applies = axis->applies == NULL || axis->applies(point);
    if (applies && axis->list != NULL)
        axis->list(request, point, values);
    else if (applies && axis->source == LAB_AXIS_PARAMETER)
        add_kept(request, axis, point, values);
    else if (applies && axis->source == LAB_AXIS_SIZES)
        lab_axis_values_add_sizes(values, request, axis->name);
    else
        lab_axis_values_add(values, LAB_NO_VALUE);
    round_values(axis, point, values);
}

/* --- the points --------------------------------------------------------------------------------------------------- */

struct list {
    struct lab_points_request request;
    const struct lab_axis *axes;
    struct lab_points *points;
    size_t capacity;
    bool out_of_memory;
};

static bool add_point(struct list *list, const struct lab_point *point)
{
    struct lab_points *points = list->points;
    if (points->count == LAB_POINTS_MAX)
        return false;
    if (points->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        struct lab_point *items = realloc(points->items, capacity * sizeof *items);
        list->out_of_memory = items == NULL;
        if (items == NULL)
            return false;
        points->items = items;
        list->capacity = capacity;
    }
    points->items[points->count++] = *point;
    return true;
}

/* Adds the points with all combinations of the values of the axes from `index` on. */
static bool add_points(struct list *list, size_t index, struct lab_point point)
{
    const struct lab_axis *axis = &list->axes[index];
    struct lab_axis_values values = {0};
    if (axis->name == NULL)
        return add_point(list, &point);
    list_values(&list->request, axis, &point, &values);
    bool good = !values.failed;
    for (size_t i = 0; good && i < values.count; i++) {
        point.values[index] = values.items[i];
        good = add_points(list, index + 1, point);
    }
    free(values.items);
    return good;
}

bool lab_points_init(struct lab_points *points, const struct lab_parameters *parameters,
                     const struct lab_device_facts *const *devices, size_t device_count, struct lab_errors *errors)
{
    struct list list = {{parameters, devices, device_count}, parameters->experiment->axes, points, 0, false};
    struct lab_point point;
    *points = (struct lab_points){0};
    for (size_t i = 0; i < LAB_AXES_MAX; i++)
        point.values[i] = LAB_NO_VALUE;
    if (add_points(&list, 0, point))
        return true;
    lab_points_release(points);
    if (list.out_of_memory)
        return lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the points of the run");
    return lab_errors_add(
        errors, LAB_ERROR_TOO_MANY_POINTS, "/parameters",
        "the combinations of all values and sizes are more than %d points, the most that are allowed; give fewer "
        "values or sizes",
        LAB_POINTS_MAX);
}

void lab_points_release(struct lab_points *points)
{
    free(points->items);
    *points = (struct lab_points){0};
}

bool lab_points_check_sizes(const struct lab_parameters *parameters, const char *name, struct lab_errors *errors)
{
    char low[64], high[64], pointer[LAB_POINTER_MAX];
    size_name(low, sizeof low, "min", name);
    size_name(high, sizeof high, "max", name);
    int64_t least = lab_parameter_integer(parameters, low), most = lab_parameter_integer(parameters, high);
    if (least <= most)
        return true;
    snprintf(pointer, sizeof pointer, "/parameters/%s", low);
    return lab_errors_add(errors, LAB_ERROR_MIN_ABOVE_MAX, pointer, "%s (%" PRId64 ") must not exceed %s (%" PRId64 ")",
                          low, least, high, most);
}

bool lab_points_equal(const struct lab_experiment *experiment, const struct lab_point *a, const struct lab_point *b,
                      uint32_t except)
{
    for (size_t i = 0; experiment->axes[i].name != NULL; i++)
        if ((except >> i & 1) == 0 && a->values[i] != b->values[i])
            return false;
    return true;
}

int64_t lab_point_load(const struct lab_experiment *experiment, const struct lab_point *point)
{
    int axis = lab_load_axis(experiment);
    return axis >= 0 ? point->values[axis] : LAB_NO_VALUE;
}

/* --- points as text ----------------------------------------------------------------------------------------------- */

enum lab_axis_kind lab_axis_kind(const struct lab_experiment *experiment, const struct lab_axis *axis,
                                 struct lab_choices *choices)
{
    const struct lab_schema *parameter = lab_schema_find(experiment->parameters, axis->name);
    *choices = (struct lab_choices){.texts = axis->choices};
    if (axis->devices)
        return LAB_AXIS_DEVICE;
    if (axis->boolean)
        return LAB_AXIS_FLAG;
    if (axis->choices != NULL)
        return LAB_AXIS_CHOICE;
    if (axis->flag)
        return LAB_AXIS_FLAG;
    if (parameter == NULL)
        return LAB_AXIS_NUMBER;
    *choices = lab_schema_choices(parameter);
    return parameter->type == LAB_TYPE_BOOLEAN  ? LAB_AXIS_FLAG
           : parameter->type == LAB_TYPE_CHOICE ? LAB_AXIS_CHOICE
                                                : LAB_AXIS_NUMBER;
}

const char *lab_axis_title(const struct lab_experiment *experiment, const struct lab_axis *axis)
{
    const struct lab_schema *parameter = lab_schema_find(experiment->parameters, axis->name);
    return axis->title != NULL ? axis->title : parameter != NULL ? parameter->title : axis->name;
}

const char *lab_axis_unit(const struct lab_experiment *experiment, const struct lab_axis *axis)
{
    const struct lab_schema *parameter = lab_schema_find(experiment->parameters, axis->name);
    return axis->title == NULL && parameter != NULL ? parameter->unit : axis->unit;
}

static void write_value(const struct lab_experiment *experiment, const struct lab_axis *axis, int64_t value, char *text,
                        size_t size)
{
    struct lab_choices choices;
    enum lab_axis_kind kind = lab_axis_kind(experiment, axis, &choices);
    const char *unit = lab_axis_unit(experiment, axis);
    if (kind == LAB_AXIS_CHOICE)
        snprintf(text, size, "%s", lab_choice_text(choices, (size_t)value));
    else if (kind == LAB_AXIS_FLAG)
        snprintf(text, size, "%s: %s", lab_axis_title(experiment, axis), value != 0 ? "yes" : "no");
    else if (kind == LAB_AXIS_DEVICE)
        snprintf(text, size, "%s #%" PRId64, lab_axis_title(experiment, axis), value);
    else if (unit != NULL && strcmp(unit, "B") == 0)
        lab_text_size((uint64_t)value, text, size);
    else
        snprintf(text, size, "%s %" PRId64, axis->name, value);
}

void lab_point_label(const struct lab_experiment *experiment, const struct lab_point *point, char *label, size_t size)
{
    size_t length = 0;
    label[0] = '\0';
    for (size_t i = 0; experiment->axes[i].name != NULL && length < size; i++) {
        char text[96];
        if (point->values[i] == LAB_NO_VALUE)
            continue;
        write_value(experiment, &experiment->axes[i], point->values[i], text, sizeof text);
        length += (size_t)snprintf(label + length, size - length, "%s%s", length > 0 ? ", " : "", text);
    }
}
