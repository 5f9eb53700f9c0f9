/* Writes measurements, spans and fields as JSON. */
#include "measure/measurement.h"

#include "core/base64.h"
#include "core/json_members.h"
#include "core/numpy.h"
#include "core/result_rows.h"
#include "facts/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lab_coordinate *next_coordinate(struct lab_axes *axes, const char *axis)
{
    if (axes->count == LAB_AXES_MAX) {
        fprintf(stderr, "axis \"%s\" is one too many; at most %d are allowed\n", axis, LAB_AXES_MAX);
        abort();
    }
    struct lab_coordinate *coordinate = &axes->items[axes->count++];
    *coordinate = (struct lab_coordinate){.axis = axis};
    return coordinate;
}

void lab_axes_text(struct lab_axes *axes, const char *axis, const char *value)
{
    next_coordinate(axes, axis)->text = value;
}

void lab_axes_number(struct lab_axes *axes, const char *axis, int64_t value)
{
    next_coordinate(axes, axis)->number = value;
}

void lab_axes_flag(struct lab_axes *axes, const char *axis, bool value)
{
    struct lab_coordinate *coordinate = next_coordinate(axes, axis);
    coordinate->boolean = true;
    coordinate->number = value;
}

json_t *lab_axes_to_json(const struct lab_axes *axes)
{
    json_t *object = json_object();
    for (size_t i = 0; i < axes->count; i++) {
        const struct lab_coordinate *c = &axes->items[i];
        json_t *value = c->text != NULL ? json_string(c->text)
                        : c->boolean    ? json_boolean(c->number != 0)
                                        : json_integer(c->number);
        json_object_set_new(object, c->axis, value);
    }
    return object;
}

/* `values` may be NULL. */
static json_t *list_of(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; values != NULL && i < count; i++)
        json_array_append_new(list, lab_json_real_or_null(values[i]));
    return list;
}

/* The rounds, as a list for each block. */
static json_t *blocks_of(const struct lab_measurement *m)
{
    json_t *blocks = json_array();
    for (size_t i = 0, first = 0; i < m->block_count; first = m->block_ends[i++])
        json_array_append_new(blocks, list_of(&m->rounds[first], m->block_ends[i] - first));
    return blocks;
}

/* Where a struct has the members of its JSON; x is its type. */
#define PLACE(x, form, name, presence, ...) {#name, LAB_FORM_##form, LAB_NULLABLE_##presence, PLACE_##form(x, name)},
#define PLACE_OF_SUMMARY(x, form, name, presence, ...)                                                                 \
    {#name, LAB_FORM_##form, LAB_NULLABLE_##presence, offsetof(x, summary.name)},
#define PLACE_TEXT(x, name) offsetof(x, name)
#define PLACE_CHOICE(x, name) offsetof(x, name)
#define PLACE_NUMBER(x, name) offsetof(x, name)
#define PLACE_INTEGER(x, name) offsetof(x, name)
#define PLACE_BOOLEAN(x, name) LAB_ELSEWHERE
#define PLACE_COUNT(x, name) LAB_ELSEWHERE
#define PLACE_OBJECT(x, name) LAB_ELSEWHERE
#define PLACE_LIST(x, name) LAB_ELSEWHERE
static const struct lab_row_member measurement_members[] = {
    LAB_MEASUREMENT_POINT(PLACE, struct lab_measurement)
        LAB_MEASUREMENT_SUMMARY(PLACE_OF_SUMMARY, struct lab_measurement)
            LAB_MEASUREMENT_FACTS(PLACE, struct lab_measurement){0}};
static const struct lab_row_member peak_members[] = {LAB_PEAK_MEMBERS(LAB_ROW_MEMBER, struct lab_peak){0}};
static const struct lab_row_member conditions_members[] = {
    LAB_CONDITIONS_NUMBERS(LAB_ROW_MEMBER, struct lab_conditions){0}};
static const struct lab_row_member kernel_members[] = {LAB_KERNEL_MEMBERS(LAB_ROW_MEMBER, struct lab_kernel_record){0}};
static const struct lab_row_member span_members[] = {LAB_SPAN_MEMBERS(PLACE, struct lab_span){0}};
_Static_assert(sizeof(size_t) == sizeof(int64_t), "summary.n is read as a count");

static json_t *object_or_null(const struct lab_row_member *members, const void *row)
{
    return row != NULL ? lab_row_to_json(members, row, NULL) : json_null();
}

static json_t *conditions_to_json(const struct lab_conditions *conditions)
{
    json_t *object = object_or_null(conditions_members, conditions), *throttle = json_array();
    for (size_t i = 0; conditions != NULL && i < conditions->throttle_count; i++)
        json_array_append_new(throttle, json_string(conditions->throttle[i]));
    json_object_set_new(object, "throttle", throttle);
    return object;
}

/* The counters that the device has; a counter whose value is not a number is absent. */
static json_t *counters_to_json(const struct lab_hardware_counts *counts)
{
    json_t *list = counts != NULL ? json_array() : json_null();
    for (size_t i = 0; counts != NULL && i < LAB_HARDWARE_COUNTER_COUNT; i++) {
        const struct lab_hardware_counter_row *row = &lab_hardware_counter_rows[i];
        const struct lab_hardware_count *count = &counts->items[i];
        if (isfinite(count->value))
            json_array_append_new(list, json_pack("{s:s, s:f, s:s, s:s}", "name", row->name, "value", count->value,
                                                  "unit", row->unit, "metric", count->metric));
    }
    return list;
}

json_t *lab_measurement_to_json(const struct lab_measurement *m)
{
    json_t *object = lab_row_to_json(measurement_members, m, NULL);
    json_object_set_new(object, "axes", lab_axes_to_json(&m->axes));
    if (m->verified_known) {
        json_object_set_new(object, "verified", json_boolean(m->verified));
        json_object_set_new(object, "wrong", json_integer((json_int_t)m->wrong));
    }
    json_object_set_new(object, "peak", object_or_null(peak_members, m->peak));
    json_object_set_new(object, "conditions", conditions_to_json(m->conditions));
    json_object_set_new(object, "kernel", object_or_null(kernel_members, m->kernel));
    json_object_set_new(object, "counters", counters_to_json(m->counters));
    if (m->rounds != NULL)
        json_object_set_new(object, "rounds", blocks_of(m));
    json_object_set_new(object, "samples", list_of(m->samples, m->sample_count));
    return object;
}

json_t *lab_span_to_json(const struct lab_span *span)
{
    json_t *object = lab_row_to_json(span_members, span, NULL);
    json_object_set_new(object, "axes", lab_axes_to_json(span->axes));
    json_object_set_new(object, "details", span->details != NULL ? json_incref(span->details) : json_null());
    return object;
}

json_t *lab_field_to_json(const struct lab_field *field)
{
    size_t bytes = field->type != NULL ? lab_numpy_bytes(field->type) : sizeof(float);
    char *values = lab_base64_encode(field->values, field->rows * field->columns * bytes);
    json_t *object = values == NULL
                         ? NULL
                         : json_pack("{s:s, s:I, s:I, s:s, s:s*, s:o}", "name", field->name, "rows",
                                     (json_int_t)field->rows, "columns", (json_int_t)field->columns, "values", values,
                                     "element_type", field->type, "axes", lab_axes_to_json(field->axes));
    free(values);
    return object;
}
