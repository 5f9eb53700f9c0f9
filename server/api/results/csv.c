/* The tables of columns, and how cells are written. */
#include "csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column and where its value is in a measurement: in `field`, or in the member of the object `field`. */
struct column {
    const char *title, *field, *member; /* member NULL: the field itself */
};

static const struct column first_columns[] = {
    {"metric", "metric", NULL},
    {"unit", "unit", NULL},
    {"side", "side", NULL},
};

static const struct column summary_columns[] = {
    {"samples", "n", NULL},
    {"median", "median", NULL},
    {"q1", "q1", NULL},
    {"q3", "q3", NULL},
    {"min", "min", NULL},
    {"max", "max", NULL},
    {"mean", "mean", NULL},
    {"stdev", "stdev", NULL},
    {"noise", "noise", NULL},
    {"stop_reason", "stop_reason", NULL},
    {"verified", "verified", NULL},
    {"wrong", "wrong", NULL},
    {"cache", "cache", NULL},
    {"numa_node", "numa_node", NULL},
    {"peak_value", "peak", "value"},
    {"peak_what", "peak", "what"},
    {"sm_clock_mhz", "conditions", "sm_clock_mhz"},
    {"temperature_c", "conditions", "temperature_c"},
    {"power_w", "conditions", "power_w"},
    {"throttle", "conditions", "throttle"},
    {"registers", "kernel", "registers"},
    {"local_bytes", "kernel", "local_bytes"},
    {"shared_bytes", "kernel", "shared_bytes"},
    {"occupancy", "kernel", "occupancy"},
    {"skipped", "skipped", NULL},
    {"rounds", "rounds", NULL},
};

static const struct column sample_columns[] = {{.title = "sample"}, {.title = "value"}};

enum { FIRST_COUNT = sizeof first_columns / sizeof *first_columns };
enum { SUMMARY_COUNT = sizeof summary_columns / sizeof *summary_columns };
enum { SAMPLE_COUNT = sizeof sample_columns / sizeof *sample_columns };

/* A spreadsheet takes a text that begins with one of these characters as a formula, unless an apostrophe is before it. */
static bool is_formula(const char *text)
{
    return text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL;
}

static void write_quoted(FILE *out, const char *mark, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fprintf(out, "%s%s", mark, text);
        return;
    }
    fprintf(out, "\"%s", mark);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void lab_csv_write_text(FILE *out, const char *text)
{
    write_quoted(out, is_formula(text) ? "'" : "", text);
}

static void write_number(FILE *out, double value)
{
    fprintf(out, "%.15g", value); /* the same digits as in JSON */
}

/* Words or numbers in one cell, separated by semicolons. */
static void write_list(FILE *out, const json_t *array)
{
    char *text = NULL;
    size_t size, index;
    json_t *item;
    FILE *cell = open_memstream(&text, &size);
    if (cell == NULL)
        return;
    json_array_foreach(array, index, item)
    {
        if (index > 0)
            fputc(';', cell);
        if (json_is_number(item))
            write_number(cell, json_number_value(item));
        else
            fputs(json_string_value(item) != NULL ? json_string_value(item) : "", cell);
    }
    bool is_number = json_is_number(json_array_get(array, 0));
    if (fclose(cell) == 0)
        write_quoted(out, !is_number && is_formula(text) ? "'" : "", text);
    free(text);
}

/* A value that is null or absent gives an empty cell. */
static void write_cell(FILE *out, const json_t *value)
{
    switch (value != NULL ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        lab_csv_write_text(out, json_string_value(value));
        return;
    case JSON_INTEGER:
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return;
    case JSON_REAL:
        write_number(out, json_real_value(value));
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        fputs(json_is_true(value) ? "true" : "false", out);
        return;
    case JSON_ARRAY:
        write_list(out, value);
        return;
    default:
        return;
    }
}

static void write_columns(FILE *out, const json_t *measurement, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(measurement, columns[i].field);
        if (columns[i].member != NULL)
            value = json_object_get(value, columns[i].member);
        if (i > 0)
            fputc(',', out);
        write_cell(out, value);
    }
}

static void write_titles(FILE *out, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", columns[i].title);
}

/* A cell for each axis, or one cell with all of them as JSON. */
static void write_axes(FILE *out, const json_t *axes, json_t *columns)
{
    const char *name;
    json_t *unused;
    if (columns == NULL) {
        char *text = json_dumps(axes, JSON_COMPACT | JSON_REAL_PRECISION(15));
        fputc(',', out);
        lab_csv_write_text(out, text != NULL ? text : "");
        free(text);
        return;
    }
    json_object_foreach(columns, name, unused)
    {
        fputc(',', out);
        write_cell(out, json_object_get(axes, name));
    }
}

static bool is_among(const struct column *columns, size_t count, const char *title)
{
    size_t i = 0;
    while (i < count && strcmp(columns[i].title, title) != 0)
        i++;
    return i < count;
}

/* The title of an axis' column; a new reference. An axis whose name begins with the prefix gets it too, so that two axes never
 * have the same title. */
static json_t *axis_title(const char *name)
{
    static const char prefix[] = "axis_";
    bool taken = strncmp(name, prefix, sizeof prefix - 1) == 0 || is_among(first_columns, FIRST_COUNT, name) ||
                 is_among(summary_columns, SUMMARY_COUNT, name) || is_among(sample_columns, SAMPLE_COUNT, name);
    return json_sprintf("%s%s", taken ? prefix : "", name);
}

bool lab_csv_add_axes(json_t *columns, const json_t *measurement)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(measurement, "axes"), name, value)
    {
        if (json_object_get(columns, name) == NULL && json_object_set_new(columns, name, axis_title(name)) != 0)
            return false;
    }
    return true;
}

void lab_csv_write_titles(FILE *out, json_t *columns, bool samples)
{
    const char *name;
    json_t *title;
    write_titles(out, first_columns, FIRST_COUNT);
    if (columns == NULL)
        fputs(",axes", out);
    json_object_foreach(columns, name, title)
    {
        fputc(',', out);
        lab_csv_write_text(out, json_string_value(title));
    }
    fputc(',', out);
    if (samples)
        write_titles(out, sample_columns, SAMPLE_COUNT);
    else
        write_titles(out, summary_columns, SUMMARY_COUNT);
    fputs("\r\n", out);
}

void lab_csv_write_point(FILE *out, const json_t *measurement, json_t *columns)
{
    write_columns(out, measurement, first_columns, FIRST_COUNT);
    write_axes(out, json_object_get(measurement, "axes"), columns);
    fputc(',', out);
}

void lab_csv_write_summary(FILE *out, const json_t *measurement)
{
    write_columns(out, measurement, summary_columns, SUMMARY_COUNT);
    fputs("\r\n", out);
}

void lab_csv_write_sample(FILE *out, size_t index, double value)
{
    fprintf(out, "%zu,", index);
    if (isfinite(value))
        write_number(out, value);
    fputs("\r\n", out);
}
