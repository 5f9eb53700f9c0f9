/* Writes measurements, spans and fields as JSON. */
#include "measure/measurement.h"

#include "core/base64.h"
#include "core/json_members.h"
#include "core/result_rows.h"
#include "facts/facts.h"

#include <endian.h>
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

static json_t *conditions_to_json(const struct lab_conditions *conditions)
{
    if (conditions == NULL)
        return json_null();
    json_t *throttle = json_array();
    for (size_t i = 0; i < conditions->throttle_count; i++)
        json_array_append_new(throttle, json_string(conditions->throttle[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "sm_clock_mhz", lab_json_real_or_null(conditions->sm_clock_hz / 1e6),
                     "throttle", throttle, "temperature_c", lab_json_real_or_null(conditions->temperature_c), "power_w",
                     lab_json_real_or_null(conditions->power_w));
}

static json_t *peak_to_json(const struct lab_peak *peak)
{
    if (peak == NULL)
        return json_null();
    return json_pack("{s:f, s:s}", "value", peak->value, "what", peak->what);
}

static json_t *kernel_to_json(const struct lab_kernel_record *kernel)
{
    if (kernel == NULL)
        return json_null();
    return json_pack("{s:s, s:i, s:I, s:I, s:i, s:o, s:I}", "name", kernel->name, "registers", kernel->registers,
                     "local_bytes", (json_int_t)kernel->local_bytes, "shared_bytes", (json_int_t)kernel->shared_bytes,
                     "blocks_per_multiprocessor", kernel->blocks_per_multiprocessor, "occupancy",
                     lab_json_real_or_null(kernel->occupancy), "block", (json_int_t)kernel->block);
}

/* `values` may be NULL. */
static json_t *list_of(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; values != NULL && i < count; i++)
        json_array_append_new(list, lab_json_real_or_null(values[i]));
    return list;
}

/* Where struct lab_measurement has the members of its JSON. */
#define PLACE(x, form, name, presence, ...) {#name, LAB_FORM_##form, LAB_NULLABLE_##presence, PLACE_##form(name)},
#define PLACE_OF_SUMMARY(x, form, name, presence, ...)                                                                 \
    {#name, LAB_FORM_##form, LAB_NULLABLE_##presence, offsetof(struct lab_measurement, summary.name)},
#define PLACE_TEXT(name) offsetof(struct lab_measurement, name)
#define PLACE_CHOICE(name) offsetof(struct lab_measurement, name)
#define PLACE_NUMBER(name) offsetof(struct lab_measurement, name)
#define PLACE_INTEGER(name) offsetof(struct lab_measurement, name)
#define PLACE_BOOLEAN(name) LAB_ELSEWHERE
#define PLACE_COUNT(name) LAB_ELSEWHERE
#define PLACE_OBJECT(name) LAB_ELSEWHERE
#define PLACE_LIST(name) LAB_ELSEWHERE
static const struct lab_row_member members[] = {
    LAB_MEASUREMENT_POINT(PLACE, ) LAB_MEASUREMENT_SUMMARY(PLACE_OF_SUMMARY, ) LAB_MEASUREMENT_FACTS(PLACE, ){0}};
_Static_assert(sizeof(size_t) == sizeof(int64_t), "summary.n is read as a count");

json_t *lab_measurement_to_json(const struct lab_measurement *m)
{
    json_t *object = lab_row_to_json(members, m);
    json_object_set_new(object, "axes", lab_axes_to_json(&m->axes));
    if (m->verified_known) {
        json_object_set_new(object, "verified", json_boolean(m->verified));
        json_object_set_new(object, "wrong", json_integer((json_int_t)m->wrong));
    }
    json_object_set_new(object, "peak", peak_to_json(m->peak));
    json_object_set_new(object, "conditions", conditions_to_json(m->conditions));
    json_object_set_new(object, "kernel", kernel_to_json(m->kernel));
    if (m->rounds != NULL)
        json_object_set_new(object, "rounds", list_of(m->rounds, m->round_count));
    json_object_set_new(object, "samples", list_of(m->samples, m->sample_count));
    return object;
}

json_t *lab_span_to_json(const struct lab_span *span)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "lane", span->lane, "kind", span->kind, "label", span->label,
                     "start_ns", (json_int_t)span->start_ns, "end_ns", (json_int_t)span->end_ns, "axes",
                     lab_axes_to_json(span->axes));
}

json_t *lab_field_to_json(const struct lab_field *field)
{
    size_t count = field->rows * field->columns;
    uint32_t *words = malloc(count * sizeof *words);
    for (size_t i = 0; words != NULL && i < count; i++) {
        memcpy(&words[i], &field->values[i], sizeof *words);
        words[i] = htole32(words[i]);
    }
    char *values = words != NULL ? lab_base64_encode(words, count * sizeof *words) : NULL;
    json_t *object = values == NULL ? NULL
                                    : json_pack("{s:s, s:I, s:I, s:s, s:o}", "name", field->name, "rows",
                                                (json_int_t)field->rows, "columns", (json_int_t)field->columns,
                                                "values", values, "axes", lab_axes_to_json(field->axes));
    free(values);
    free(words);
    return object;
}
