/* Axes and measurements. A measurement is found again by its axes, in any order, and its metric. */
#include "formats/reader.h"

#include "core/array.h"

#include "formats/units.h"

#include "core/number.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct lab_result_figures lab_no_figures = {
    .n = 1, .median = NAN, .q1 = NAN, .q3 = NAN, .min = NAN, .max = NAN, .mean = NAN, .stdev = NAN};

static bool refuse_memory(struct lab_reader *reader)
{
    return lab_errors_add(reader->errors, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the results of the file");
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Whether a text of the file can be one here: of `min` to `max` characters. */
static bool check_text(struct lab_reader *reader, const struct lab_place *at, const char *what, const char *text,
                       size_t min, size_t max)
{
    size_t length = lab_utf8_count(text, strlen(text));
    if (text[lab_utf8_control(text)] != '\0')
        return lab_reader_refuse(reader, at, LAB_ERROR_BAD_NAME, "%s must not have control characters.", what);
    return (length >= min && length <= max) ||
           lab_reader_refuse(reader, at, LAB_ERROR_TOO_LONG, "%s must have %zu to %zu characters, not %zu.", what, min,
                             max, length);
}

static bool check_name(struct lab_reader *reader, const struct lab_place *at, const char *what, const char *name)
{
    return check_text(reader, at, what, name, 1, LAB_RESULT_NAME_MAX);
}

/* Takes `value`. */
static bool set_axis(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                     json_t *value)
{
    static const char prefix[] = "axis_";
    char free_name[4 * LAB_RESULT_NAME_MAX + LAB_RESULT_AXES_MAX * sizeof prefix + 1];
    bool good = check_name(reader, at, "The name of an axis", name);
    if (good && json_object_size(axes) == LAB_RESULT_AXES_MAX)
        good = lab_reader_refuse(reader, at, LAB_ERROR_TOO_MANY, "A measurement must have at most %d axes.",
                                 LAB_RESULT_AXES_MAX);
    if (good) {
        char *end = free_name;
        *end = '\0';
        do {
            snprintf(end, sizeof free_name - (size_t)(end - free_name), "%s", name);
            if (json_object_get(axes, free_name) == NULL)
                break;
            end = stpcpy(end, prefix);
        } while (true);
        good = value != NULL && json_object_set(axes, free_name, value) == 0;
        if (!good)
            refuse_memory(reader);
    }
    json_decref(value);
    return good;
}

bool lab_reader_axis_text(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                          const char *text)
{
    return check_text(reader, at, "A text on an axis", text, 0, LAB_RESULT_TEXT_MAX) &&
           set_axis(reader, at, axes, name, json_string(text));
}

bool lab_reader_axis_number(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                            double number)
{
    if (!isfinite(number))
        return lab_reader_refuse(reader, at, LAB_ERROR_OUT_OF_BOUNDS, "A number on an axis must be finite.");
    bool whole = fabs(number) <= LAB_INTEGER_MAX && floor(number) == number;
    return set_axis(reader, at, axes, name, whole ? json_integer((json_int_t)number) : json_real(number));
}

bool lab_reader_axis_boolean(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                             bool boolean)
{
    return set_axis(reader, at, axes, name, json_boolean(boolean));
}

bool lab_reader_axis_parsed(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                            const char *text)
{
    double number;
    bool is_true = strcmp(text, "true") == 0;
    if (text[0] == '\0')
        return true;
    if (is_true || strcmp(text, "false") == 0)
        return lab_reader_axis_boolean(reader, at, axes, name, is_true);
    bool exact = lab_finite_parse(text, &number) &&
                 (fabs(number) <= LAB_INTEGER_MAX || strspn(text, "+-0123456789") < strlen(text));
    return exact ? lab_reader_axis_number(reader, at, axes, name, number)
                 : lab_reader_axis_text(reader, at, axes, name, text);
}

bool lab_reader_axis_json(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                          const json_t *value)
{
    if (json_is_string(value))
        return lab_reader_axis_text(reader, at, axes, name, json_string_value(value));
    if (json_is_number(value))
        return lab_reader_axis_number(reader, at, axes, name, json_number_value(value));
    if (json_is_boolean(value))
        return lab_reader_axis_boolean(reader, at, axes, name, json_is_true(value));
    return lab_reader_refuse(reader, at, LAB_ERROR_WRONG_TYPE,
                             "A value on an axis must be a text, a number, true or false.");
}

/* --- measurements ------------------------------------------------------------------------------------------------- */

/* The text that stands for a metric at a point; NULL when out of memory. To be freed. */
static char *key_of(const struct lab_measured *what)
{
    char *key = NULL, *axes = json_dumps(what->axes, JSON_COMPACT | JSON_SORT_KEYS);
    if (axes != NULL && asprintf(&key, "%s%s", axes, what->metric) < 0)
        key = NULL;
    free(axes);
    return key;
}

static struct lab_result_measurement *add(struct lab_reader *reader, const struct lab_measured *what, const char *unit,
                                          const char *key)
{
    struct lab_result_file *file = reader->file;
    if (file->count == LAB_RESULT_MEASUREMENTS_MAX) {
        lab_reader_refuse(reader, &what->at, LAB_ERROR_TOO_MANY, "A file must have at most %d measurements.",
                          LAB_RESULT_MEASUREMENTS_MAX);
        return NULL;
    }
    struct lab_result_measurement *measurements = lab_array_grow(file->measurements, file->count, sizeof *measurements);
    if (measurements == NULL)
        return refuse_memory(reader), NULL;
    file->measurements = measurements;
    struct lab_result_measurement *new = &measurements[file->count];
    *new = (struct lab_result_measurement){
        .metric = strdup(what->metric), .unit = strdup(unit), .axes = json_incref(what->axes), .wrong = -1};
    if (new->metric == NULL || new->unit == NULL ||
        json_object_set_new(reader->known, key, json_integer((json_int_t)file->count)) != 0) {
        free(new->metric);
        free(new->unit);
        json_decref(new->axes);
        return refuse_memory(reader), NULL;
    }
    file->count++;
    return new;
}

/* The measurement of this metric at this point, which is added if there is none. NULL with an error. */
static struct lab_result_measurement *find(struct lab_reader *reader, const struct lab_measured *what, const char *unit)
{
    char *key = key_of(what);
    if (key == NULL)
        return refuse_memory(reader), NULL;
    const json_t *index = json_object_get(reader->known, key);
    struct lab_result_measurement *found =
        index != NULL ? &reader->file->measurements[json_integer_value(index)] : add(reader, what, unit, key);
    free(key);
    if (found != NULL && strcmp(found->unit, unit) != 0) {
        lab_reader_refuse(reader, &what->at, LAB_ERROR_CONTRADICTION,
                          "The unit of '%.64s' is %.32s here and %.32s before, at the same axes; it must be the same.",
                          what->metric, unit, found->unit);
        return NULL;
    }
    return found;
}

/* Checks names, and finds the unit: its row, or NULL where it is not known. */
static bool check_measured(struct lab_reader *reader, const struct lab_measured *what, const struct lab_unit **unit)
{
    *unit = lab_unit_find(what->unit);
    return check_name(reader, &what->at, "The name of a metric", what->metric) &&
           (*unit != NULL || check_name(reader, &what->at, "A unit", what->unit));
}

/* Converts a value; NAN stays. */
static bool convert(struct lab_reader *reader, const struct lab_measured *what, const struct lab_unit *unit,
                    double *value)
{
    if (isnan(*value))
        return true;
    if (unit != NULL && lab_unit_is_quantity(unit) && *value < 0)
        return lab_reader_refuse(reader, &what->at, LAB_ERROR_OUT_OF_BOUNDS,
                                 "'%.64s' is %.15g %s; it must not be negative.", what->metric, *value, what->unit);
    double given = *value;
    if (unit != NULL)
        *value = *value * unit->multiply / unit->divide;
    return isfinite(*value) ||
           lab_reader_refuse(reader, &what->at, LAB_ERROR_OUT_OF_BOUNDS,
                             "'%.64s' is %.15g %.32s; it must be a number below 1.8e308 in %s.", what->metric, given,
                             what->unit, unit != NULL ? unit->unit : "its unit");
}

static bool append_sample(struct lab_reader *reader, const struct lab_measured *what, struct lab_result_measurement *to,
                          double value)
{
    if (to->figures.n > 0)
        return lab_reader_refuse(
            reader, &what->at, LAB_ERROR_DUPLICATE,
            "'%.64s' is there before, at the same axes, as figures without samples; there must be only one.",
            what->metric);
    if (to->sample_count == LAB_RESULT_SAMPLES_MAX)
        return lab_reader_refuse(reader, &what->at, LAB_ERROR_TOO_MANY, "A measurement must have at most %d samples.",
                                 LAB_RESULT_SAMPLES_MAX);
    double *samples = lab_array_grow(to->samples, to->sample_count, sizeof *samples);
    if (samples == NULL)
        return refuse_memory(reader);
    to->samples = samples;
    samples[to->sample_count++] = value;
    return true;
}

bool lab_reader_sample(struct lab_reader *reader, const struct lab_measured *what, double value)
{
    const struct lab_unit *unit;
    if (isnan(value))
        value = INFINITY; /* refused below */
    if (!check_measured(reader, what, &unit) || !convert(reader, what, unit, &value))
        return false;
    struct lab_result_measurement *to = find(reader, what, unit != NULL ? unit->unit : what->unit);
    return to != NULL && append_sample(reader, what, to, value);
}

bool lab_reader_samples(struct lab_reader *reader, const struct lab_measured *what, const json_t *list, size_t first)
{
    const struct lab_unit *unit;
    if (json_array_size(list) <= first)
        return true;
    if (!check_measured(reader, what, &unit))
        return false;
    for (size_t i = first; i < json_array_size(list); i++) {
        double value = json_number_value(json_array_get(list, i));
        if (!convert(reader, what, unit, &value))
            return false;
    }
    struct lab_result_measurement *to = find(reader, what, unit != NULL ? unit->unit : what->unit);
    bool good = to != NULL;
    for (size_t i = first; good && i < json_array_size(list); i++) {
        double value = json_number_value(json_array_get(list, i));
        good = convert(reader, what, unit, &value) && append_sample(reader, what, to, value);
    }
    return good;
}

/* The quartiles and ends must be in their order, the mean between the ends. */
static bool check_order(struct lab_reader *reader, const struct lab_measured *what,
                        const struct lab_result_figures *figures)
{
    const double values[] = {figures->min, figures->q1, figures->median, figures->q3, figures->max};
    static const char *const names[] = {"smallest value", "first quartile", "median", "third quartile",
                                        "largest value"};
    size_t below = SIZE_MAX;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (isnan(values[i]))
            continue;
        if (below != SIZE_MAX && values[i] < values[below])
            return lab_reader_refuse(reader, &what->at, LAB_ERROR_CONTRADICTION,
                                     "The %s of '%.64s' is %.15g; it must not be less than the %s, %.15g.", names[i],
                                     what->metric, values[i], names[below], values[below]);
        below = i;
    }
    double rounding = 1e-9 * fmax(fabs(figures->min), fabs(figures->max));
    if (figures->mean < figures->min - rounding || figures->mean > figures->max + rounding)
        return lab_reader_refuse(reader, &what->at, LAB_ERROR_CONTRADICTION,
                                 "The mean of '%.64s' is %.15g; it must be from %.15g to %.15g.", what->metric,
                                 figures->mean, figures->min, figures->max);
    return true;
}

bool lab_reader_figures(struct lab_reader *reader, const struct lab_measured *what,
                        const struct lab_result_figures *figures)
{
    struct lab_result_figures converted = *figures;
    double *const values[] = {&converted.median, &converted.q1,   &converted.q3,   &converted.min,
                              &converted.max,    &converted.mean, &converted.stdev};
    const struct lab_unit *unit;
    if (isnan(lab_result_figures_value(figures)))
        return true;
    if (!check_measured(reader, what, &unit))
        return false;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!convert(reader, what, unit, values[i]))
            return false;
    if (converted.stdev < 0)
        return lab_reader_refuse(reader, &what->at, LAB_ERROR_OUT_OF_BOUNDS,
                                 "The standard deviation of '%.64s' is %.15g; it must not be negative.", what->metric,
                                 converted.stdev);
    if (!check_order(reader, what, &converted))
        return false;
    struct lab_result_measurement *to = find(reader, what, unit != NULL ? unit->unit : what->unit);
    if (to == NULL)
        return false;
    if (to->figures.n > 0 || to->sample_count > 0)
        return lab_reader_refuse(
            reader, &what->at, LAB_ERROR_DUPLICATE,
            "'%.64s' is there before, at the same axes; figures without samples must be there once.", what->metric);
    to->figures = converted;
    return true;
}

void lab_reader_wrong(struct lab_reader *reader, const struct lab_measured *what, double wrong)
{
    char *key = key_of(what);
    const json_t *index = key != NULL ? json_object_get(reader->known, key) : NULL;
    if (index != NULL && wrong >= 0 && wrong <= LAB_INTEGER_MAX) {
        struct lab_result_measurement *of = &reader->file->measurements[json_integer_value(index)];
        of->wrong = (of->wrong < 0 ? 0 : of->wrong) + (int64_t)wrong;
    }
    free(key);
}
