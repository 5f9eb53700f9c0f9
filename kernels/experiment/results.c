/* Checks results: first the types of their members, by tables, then what the values say together. */
#include "experiment/results.h"
#include "core/json_members.h"

#include "core/base64.h"
#include "core/protocol.h"
#include "experiment/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT = LAB_MEMBER_TEXT,
    INTEGER = LAB_MEMBER_INTEGER,
    NUMBER = LAB_MEMBER_NUMBER,
    BOOLEAN = LAB_MEMBER_BOOLEAN,
    OBJECT = LAB_MEMBER_OBJECT,
    LIST = LAB_MEMBER_LIST,
    NONE = LAB_MEMBER_NULL,
};

#define MEMBER(x, form, name, null, ...) {#name, LAB_MEMBER_##form | (null)},
#define DETAILS(x, form, name, null, ...) {__VA_ARGS__},
/* Defines a table of members from its rows. */
#define MEMBERS(table, ROWS)                                                                                           \
    const struct lab_members table = {(const struct lab_member[]){ROWS(MEMBER, ){0}},                                  \
                                      (const struct lab_member_details[]){ROWS(DETAILS, )}}

MEMBERS(lab_peak, LAB_PEAK_MEMBERS);
MEMBERS(lab_conditions, LAB_CONDITIONS_MEMBERS);
MEMBERS(lab_kernel_record, LAB_KERNEL_RECORD_MEMBERS);
MEMBERS(lab_measurement_members, LAB_MEASUREMENT_MEMBERS);
MEMBERS(lab_span_members, LAB_SPAN_MEMBERS);
MEMBERS(lab_field_members, LAB_FIELD_MEMBERS);

/* --- types -------------------------------------------------------------------------------------------------------- */

static unsigned type_of(const json_t *value)
{
    static const unsigned types[] = {
        [JSON_OBJECT] = OBJECT, [JSON_ARRAY] = LIST,   [JSON_STRING] = TEXT,   [JSON_INTEGER] = INTEGER | NUMBER,
        [JSON_REAL] = NUMBER,   [JSON_TRUE] = BOOLEAN, [JSON_FALSE] = BOOLEAN, [JSON_NULL] = NONE,
    };
    return value != NULL ? types[json_typeof(value)] : LAB_MEMBER_ABSENT;
}

/* Writes "text or null". */
static void describe(unsigned types, char *text, size_t size)
{
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {{TEXT, "text"},        {INTEGER, "an integer"}, {NUMBER, "a number"}, {BOOLEAN, "true or false"},
                 {OBJECT, "an object"}, {LIST, "a list"},        {NONE, "null"}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((types & names[i].type) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "", names[i].name);
}

bool lab_members_check(const json_t *object, const struct lab_member *members, bool complete, struct lab_error *error)
{
    char allowed[64];
    for (; members->name != NULL; members++) {
        const json_t *value = json_object_get(object, members->name);
        if ((type_of(value) & members->types) != 0 || (value == NULL && !complete))
            continue;
        describe(members->types, allowed, sizeof allowed);
        return lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "'%s' %s; it must be %s.", members->name,
                             value == NULL ? "is missing" : "has a wrong type", allowed);
    }
    return true;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static bool refuse(struct lab_error *error, const char *name, double value, const char *allowed)
{
    return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'%s' is %.15g; it must %s.", name, value, allowed);
}

/* The members of an object that are numbers must not be negative. */
static bool check_not_negative(const json_t *object, const char *const *names, struct lab_error *error)
{
    for (; *names != NULL; names++)
        if (lab_number_of(object, *names) < 0)
            return refuse(error, *names, lab_number_of(object, *names), "not be negative");
    return true;
}

/* The figures of a summary, which are all null where nothing was sampled, in their order. */
static bool check_order(const json_t *measurement, struct lab_error *error)
{
    static const char *const names[] = {"min", "q1", "median", "q3", "max"};
    const char *below = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value = lab_number_of(measurement, names[i]);
        if (isnan(value))
            continue;
        if (below != NULL && value < lab_number_of(measurement, below))
            return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                                 "'%s' is %.15g; it must not be less than '%s', %.15g.", names[i], value, below,
                                 lab_number_of(measurement, below));
        below = names[i];
    }
    double mean = lab_number_of(measurement, "mean"), low = lab_number_of(measurement, "min"),
           high = lab_number_of(measurement, "max"), rounding = 1e-9 * fmax(fabs(low), fabs(high));
    if (mean < low - rounding || mean > high + rounding)
        return refuse(error, "mean", mean, "be from 'min' to 'max'");
    return true;
}

static bool check_figures(const json_t *measurement, struct lab_error *error)
{
    static const char *const figures[] = {"median", "q1", "q3", "min", "max", "mean", "stdev", "noise", NULL};
    static const char *const values[] = {"min", "q1", "median", "q3", "max", "mean", NULL};
    static const char *const spreads[] = {"n", "stdev", "noise", NULL};
    bool is_empty = lab_number_of(measurement, "n") == 0,
         skipped = json_is_string(json_object_get(measurement, "skipped"));
    for (size_t i = 0; is_empty && figures[i] != NULL; i++)
        if (!isnan(lab_number_of(measurement, figures[i])))
            return refuse(error, figures[i], lab_number_of(measurement, figures[i]), "be null, because 'n' is 0");
    if (skipped && !is_empty)
        return refuse(error, "n", lab_number_of(measurement, "n"),
                      "be 0, because 'skipped' says why nothing was measured");
    if (!check_not_negative(measurement, spreads, error))
        return false;
    if (!lab_metric_can_be_negative(lab_text_of(measurement, "metric"), lab_text_of(measurement, "unit")) &&
        !check_not_negative(measurement, values, error))
        return false;
    return check_order(measurement, error);
}

static bool check_unit(const struct lab_experiment *experiment, const json_t *measurement, struct lab_error *error)
{
    const struct lab_metric *metric = experiment != NULL ? experiment->metrics : NULL;
    while (metric != NULL && metric->name != NULL && strcmp(metric->name, lab_text_of(measurement, "metric")) != 0)
        metric++;
    if (metric == NULL || metric->name == NULL || strcmp(metric->unit, lab_text_of(measurement, "unit")) == 0)
        return true;
    return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'unit' is '%.32s'; the unit of '%s' of %s is '%s'.",
                         lab_text_of(measurement, "unit"), metric->name, experiment->name, metric->unit);
}

static bool check_verification(const json_t *measurement, struct lab_error *error)
{
    const json_t *verified = json_object_get(measurement, "verified");
    double wrong = lab_number_of(measurement, "wrong");
    if (wrong < 0)
        return refuse(error, "wrong", wrong, "not be negative");
    if (!json_is_false(verified) && wrong > 0)
        return refuse(error, "wrong", wrong, "be 0, because 'verified' is not false");
    if (json_is_false(verified) && wrong == 0)
        return refuse(error, "wrong", wrong, "be more than 0, because 'verified' is false");
    return true;
}

/* --- members that are objects or lists ---------------------------------------------------------------------------- */

/* Whether all items of a list are texts. */
static bool has_only_texts(const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (!json_is_string(item))
            return false;
    }
    return true;
}

static bool check_objects(const json_t *measurement, struct lab_error *error)
{
    static const char *const counts[] = {
        "registers", "local_bytes", "shared_bytes", "blocks_per_multiprocessor", "occupancy", "block", NULL};
    struct lab_error inner;
    for (size_t i = 0; lab_measurement_members.rows[i].name != NULL; i++) {
        const char *name = lab_measurement_members.rows[i].name;
        const struct lab_members *members = lab_measurement_members.details[i].members;
        const json_t *object = json_object_get(measurement, name);
        if (members == NULL || !json_is_object(object))
            continue;
        if (!lab_members_check(object, members->rows, members != &lab_conditions, &inner) ||
            (members == &lab_kernel_record && !check_not_negative(object, counts, &inner)))
            return lab_error_set(error, inner.code, "", "'%s': %s", name, inner.detail);
    }
    if (!has_only_texts(json_object_get(json_object_get(measurement, "conditions"), "throttle")))
        return lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "'conditions': 'throttle' must be a list of texts.");
    return true;
}

static bool check_rounds(const json_t *measurement, struct lab_error *error)
{
    const json_t *rounds = json_object_get(measurement, "rounds");
    size_t index;
    json_t *round;
    json_array_foreach(rounds, index, round)
    {
        if (!json_is_number(round) && !json_is_null(round))
            return lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "'rounds' must be a list of numbers and null.");
    }
    if ((double)json_array_size(rounds) > lab_number_of(measurement, "n"))
        return refuse(error, "n", lab_number_of(measurement, "n"), "not be less than the number of 'rounds'");
    return true;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

bool lab_measurement_check(const struct lab_experiment *experiment, const json_t *measurement, size_t sample_count,
                           struct lab_error *error)
{
    const char *side = json_string_value(json_object_get(measurement, "side"));
    if (!lab_members_check(measurement, lab_measurement_members.rows, false, error))
        return false;
    if (side != NULL && strcmp(side, "base") != 0 && strcmp(side, "head") != 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'side' is '%.32s'; it must be base, head or null.",
                             side);
    if (sample_count > LAB_SAMPLES_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'samples' must be at most %d.", LAB_SAMPLES_MAX);
    if (sample_count > 0 && (double)sample_count != lab_number_of(measurement, "n"))
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'n' is %.15g; it must be the number of samples, %zu.",
                             lab_number_of(measurement, "n"), sample_count);
    return check_unit(experiment, measurement, error) && check_figures(measurement, error) &&
           check_verification(measurement, error) && check_objects(measurement, error) &&
           check_rounds(measurement, error);
}

bool lab_samples_check(const json_t *measurement, const json_t *samples, struct lab_error *error)
{
    double low = lab_number_of(measurement, "min"), high = lab_number_of(measurement, "max");
    size_t index;
    json_t *sample;
    json_array_foreach(samples, index, sample)
    {
        if (!json_is_number(sample) && !json_is_null(sample))
            return lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "Samples must be numbers or null.");
        if (json_is_number(sample) && (json_number_value(sample) < low || json_number_value(sample) > high))
            return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                                 "A sample is %.15g; it must be from 'min', %.15g, to 'max', %.15g.",
                                 json_number_value(sample), low, high);
    }
    return true;
}

bool lab_span_check(const json_t *span, struct lab_error *error)
{
    if (!lab_members_check(span, lab_span_members.rows, true, error))
        return false;
    if (lab_number_of(span, "end_ns") < lab_number_of(span, "start_ns"))
        return refuse(error, "end_ns", lab_number_of(span, "end_ns"), "not be less than 'start_ns'");
    return true;
}

bool lab_field_check(const json_t *field, struct lab_error *error)
{
    if (!lab_members_check(field, lab_field_members.rows, true, error))
        return false;
    const json_t *values = json_object_get(field, "values");
    json_int_t rows = json_integer_value(json_object_get(field, "rows"));
    json_int_t columns = json_integer_value(json_object_get(field, "columns"));
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool fits = rows >= 1 && rows <= LAB_FIELD_SIDE_MAX && columns >= 1 && columns <= LAB_FIELD_SIDE_MAX &&
                lab_base64_decode(json_string_value(values), json_string_length(values), &bytes, &size) &&
                size == (size_t)(rows * columns) * sizeof(float);
    free(bytes);
    return fits ||
           lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                         "'values' must be Base64 of 'rows' * 'columns' float32, each 1 to %d.", LAB_FIELD_SIDE_MAX);
}
