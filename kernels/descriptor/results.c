/* Checks results: first the types of their members, by tables, then what the values say together. */
#include "descriptor/results.h"
#include "core/json_members.h"

#include "core/base64.h"
#include "core/compiler_log.h"
#include "core/numpy.h"
#include "core/protocol.h"
#include "descriptor/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct lab_schema lab_peak_members[] = {LAB_PEAK_MEMBERS(LAB_RESULT_SCHEMA, ){0}};
const struct lab_schema lab_conditions_members[] = {
    LAB_CONDITIONS_MEMBERS(LAB_RESULT_SCHEMA, ){.name = "throttled_by",
                                                .type = LAB_TYPE_STRING,
                                                .count = LAB_LIST,
                                                .text = "Those reasons that are cautions; of answers only."},
    {0},
};
const struct lab_schema lab_kernel_record_members[] = {LAB_KERNEL_MEMBERS(LAB_RESULT_SCHEMA, ){0}};
const struct lab_schema lab_counter_members[] = {LAB_COUNTER_MEMBERS(LAB_RESULT_SCHEMA, ){0}};

/* What the samples look like (core/shape.h). */
const struct lab_schema lab_shape_members[] = {
    {LAB_GIVEN(INTEGER, "outliers"), .maximum = INFINITY, .text = "Samples below 'fence_low' or above 'fence_high'."},
    {LAB_GIVEN(NUMBER, "fence_low"), .nullable = true},
    {LAB_GIVEN(NUMBER, "fence_high"), .nullable = true},
    {LAB_GIVEN(NUMBER, "farthest_outlier"), .nullable = true},
    {LAB_GIVEN(NUMBER, "drift"), .nullable = true,
     .text = "The change from the first to the last tenth of the samples / median."},
    {LAB_GIVEN(NUMBER, "drift_low"), .nullable = true, .text = "The interval of the drift, 99 %."},
    {LAB_GIVEN(NUMBER, "drift_high"), .nullable = true},
    {LAB_GIVEN(NUMBER, "modes"), .count = LAB_LIST, .nullable = true, .text = "Two levels of the samples; null: one."},
    {LAB_GIVEN(NUMBER, "mode_shares"), .count = LAB_LIST, .nullable = true, .text = "Their shares of the samples."},
    {0},
};

const struct lab_schema lab_measurement_members[] = {LAB_MEASUREMENT_MEMBERS(LAB_RESULT_SCHEMA, ){0}};
const struct lab_schema lab_span_members[] = {LAB_SPAN_MEMBERS(LAB_RESULT_SCHEMA, ){0}};
const struct lab_schema lab_field_members[] = {LAB_FIELD_MEMBERS(LAB_RESULT_SCHEMA, ){0}};

static const char *const severities[] = {"error", "warning", "note", NULL};

const struct lab_schema lab_message_members[] = {
    {LAB_GIVEN(CHOICE, "severity"), .choices = severities},
    {LAB_GIVEN(STRING, "text"), .maximum = LAB_MESSAGE_BYTES_MAX},
    {.name = "file",
     .type = LAB_TYPE_STRING,
     .maximum = LAB_MESSAGE_FILE_MAX,
     .text = "Absent if the message names no file."},
    {.name = "line", .type = LAB_TYPE_INTEGER, .minimum = 1, .maximum = INFINITY},
    {.name = "column",
     .type = LAB_TYPE_INTEGER,
     .minimum = 1,
     .maximum = INFINITY,
     .text = "Absent if the compiler names no column."},
    {0},
};

const struct lab_schema lab_finding_members[] = {
    {LAB_GIVEN(STRING, "name"), .minimum = 1, .maximum = 64, .text = "The rule."},
    {LAB_GIVEN(STRING, "text"), .minimum = 1, .maximum = 1024, .text = "A sentence with its numbers."},
    {LAB_GIVEN(STRING, "lesson"), .nullable = true, .maximum = 64, .text = "The experiment that explains it."},
    {0},
};

/* --- types -------------------------------------------------------------------------------------------------------- */

bool lab_first_error(const struct lab_errors *errors, struct lab_error *error)
{
    const struct lab_error *first = &errors->items[0];
    if (strchr(first->pointer + 1, '/') == NULL)
        return lab_error_set(error, first->code, "", "%s", first->detail);
    return lab_error_set(error, first->code, "", "'%s': %s", first->pointer + 1, first->detail);
}

/* Checks the members that the rows have; `complete`: required ones must be present. */
static bool check_members(const json_t *object, const struct lab_schema *rows, bool complete, struct lab_error *error)
{
    struct lab_errors errors;
    errors.count = errors.dropped = 0;
    for (; rows->name != NULL && errors.count == 0; rows++) {
        const json_t *value = json_object_get(object, rows->name);
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/%s", rows->name);
        if (value != NULL)
            lab_schema_check_value(rows, value, pointer, &errors);
        else if (complete && rows->required)
            lab_schema_refuse_missing(rows, pointer, &errors);
    }
    return errors.count == 0 || lab_first_error(&errors, error);
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
    static const char *const spreads[] = {"stdev", "noise", NULL};
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

/* Counts the numbers of a list, null included. Returns false if something else is in it. */
static bool count_numbers(const json_t *list, size_t *count)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (!json_is_number(item) && !json_is_null(item))
            return false;
        ++*count;
    }
    return true;
}

/* The rounds are a list for each block; of comparisons with one block, which older versions measured, a list of
 * numbers. */
static bool check_rounds(const json_t *measurement, struct lab_error *error)
{
    const json_t *rounds = json_object_get(measurement, "rounds");
    size_t index, count = 0;
    bool in_blocks = json_is_array(json_array_get(rounds, 0)), good = in_blocks || count_numbers(rounds, &count);
    json_t *block;
    json_array_foreach(rounds, index, block)
    {
        good = good && (!in_blocks || (json_array_size(block) > 0 && count_numbers(block, &count)));
    }
    if (!good)
        return lab_error_set(
            error, LAB_ERROR_WRONG_TYPE, "",
            "'rounds' must be a list of blocks, which are lists of at least one number or null, or a list of numbers and null.");
    if ((double)count > lab_number_of(measurement, "n"))
        return refuse(error, "n", lab_number_of(measurement, "n"), "not be less than the number of 'rounds'");
    return true;
}

static bool check_shape(const json_t *measurement, struct lab_error *error)
{
    const json_t *shape = json_object_get(measurement, "shape");
    double n = lab_number_of(measurement, "n"), drift = lab_number_of(shape, "drift");
    if (!json_is_object(shape))
        return true;
    if (lab_number_of(shape, "outliers") > n)
        return refuse(error, "shape/outliers", lab_number_of(shape, "outliers"), "not be more than 'n'");
    if (drift < lab_number_of(shape, "drift_low") || drift > lab_number_of(shape, "drift_high"))
        return refuse(error, "shape/drift", drift, "be from 'drift_low' to 'drift_high'");
    size_t modes = json_array_size(json_object_get(shape, "modes"));
    if (modes != json_array_size(json_object_get(shape, "mode_shares")) || (modes != 0 && modes != 2))
        return refuse(error, "shape/modes", (double)modes, "be two numbers or null, as 'mode_shares'");
    return true;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

bool lab_measurement_check(const struct lab_experiment *experiment, const json_t *measurement, size_t sample_count,
                           struct lab_error *error)
{
    if (!check_members(measurement, lab_measurement_members, false, error))
        return false;
    if (sample_count > LAB_SAMPLES_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'samples' must be at most %d.", LAB_SAMPLES_MAX);
    if (sample_count > 0 && (double)sample_count != lab_number_of(measurement, "n"))
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'n' is %.15g; it must be the number of samples, %zu.",
                             lab_number_of(measurement, "n"), sample_count);
    return check_unit(experiment, measurement, error) && check_figures(measurement, error) &&
           check_verification(measurement, error) && check_rounds(measurement, error) &&
           check_shape(measurement, error);
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
    if (!check_members(span, lab_span_members, true, error))
        return false;
    if (lab_number_of(span, "end_ns") < lab_number_of(span, "start_ns"))
        return refuse(error, "end_ns", lab_number_of(span, "end_ns"), "not be less than 'start_ns'");
    return true;
}

/* The bytes of one element of a field; 0: of a type that is none. */
static size_t element_bytes(const json_t *field)
{
    const char *type = json_string_value(json_object_get(field, "element_type"));
    return type != NULL ? lab_numpy_bytes(type) : sizeof(float);
}

/* Whether a field has as many rows, columns and bytes as it may. */
static bool check_size(const json_t *field, json_int_t rows, json_int_t columns, struct lab_error *error)
{
    json_int_t bytes = rows * columns * (json_int_t)element_bytes(field); /* at most 2^41 */
    if (json_object_get(field, "element_type") == NULL)
        return (rows <= LAB_FIELD_SIDE_MAX && columns <= LAB_FIELD_SIDE_MAX) ||
               lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'rows' and 'columns' must each be 1 to %d.",
                             LAB_FIELD_SIDE_MAX);
    return (bytes > 0 && bytes <= LAB_SAVED_OUTPUT_MAX) ||
           lab_error_set(
               error, LAB_ERROR_OUT_OF_BOUNDS, "",
               "'element_type' must be that of the elements of a kernel's output, which have at most %d bytes.",
               LAB_SAVED_OUTPUT_MAX);
}

bool lab_field_check(const json_t *field, struct lab_error *error)
{
    if (!check_members(field, lab_field_members, true, error))
        return false;
    const json_t *values = json_object_get(field, "values");
    json_int_t rows = json_integer_value(json_object_get(field, "rows"));
    json_int_t columns = json_integer_value(json_object_get(field, "columns"));
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!check_size(field, rows, columns, error))
        return false;
    bool fits = lab_base64_decode(json_string_value(values), json_string_length(values), &bytes, &size) &&
                size == (size_t)(rows * columns) * element_bytes(field);
    free(bytes);
    return fits ||
           lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                         "'values' must be Base64 of 'rows' * 'columns' elements of 'element_type', or float32.");
}

bool lab_messages_check(const json_t *messages, struct lab_error *error)
{
    static const struct lab_schema row = {
        .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .items_max = LAB_MESSAGES_MAX, .members = lab_message_members};
    struct lab_errors errors = {0};
    return lab_schema_check_value(&row, messages, "/messages", &errors) || lab_first_error(&errors, error);
}

bool lab_findings_check(const json_t *findings, struct lab_error *error)
{
    static const struct lab_schema row = {
        .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .items_max = LAB_SENTENCES_MAX, .members = lab_finding_members};
    struct lab_errors errors = {0};
    return lab_schema_check_value(&row, findings, "/findings", &errors) || lab_first_error(&errors, error);
}
