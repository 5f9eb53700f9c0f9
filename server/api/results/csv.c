/* Writes the columns and cells of the CSV of a run's results. */
#include "csv.h"

#include "descriptor/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns before those of the axes. The others are the members of descriptor/results.h. */
static const char *const first_columns[] = {"metric", "unit", "side"};
static const char *const sample_columns[] = {"sample", "value"};

/* Members that have another title, or no column of theirs (NULL). */
static const struct {
    const char *member, *title;
} exceptions[] = {
    {"axes", NULL},        {"metric", NULL}, {"unit", NULL},
    {"side", NULL},        {"n", "samples"}, {"value", "peak_value"},
    {"what", "peak_what"}, {"name", NULL},   {"blocks_per_multiprocessor", NULL},
    {"block", NULL},
};

/* The title of the column of a member; NULL: there is none. */
static const char *title_of(const char *member)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].member, member) == 0)
            return exceptions[i].title;
    return member;
}

enum { FIRST_COUNT = sizeof first_columns / sizeof *first_columns };
enum { SAMPLE_COUNT = sizeof sample_columns / sizeof *sample_columns };

/* Is called with the title of a column and its value in a measurement. */
typedef void visit_column(void *context, const char *title, const json_t *value);

/* Visits the columns of a measurement that come after those of the axes. */
static void visit_columns(const struct lab_schema *members, const json_t *object, visit_column *visit, void *context)
{
    for (; members->name != NULL; members++) {
        const json_t *value = json_object_get(object, members->name);
        if (members->members != NULL && members->count != LAB_LIST)
            visit_columns(members->members, value, visit, context);
        else if (title_of(members->name) != NULL)
            visit(context, title_of(members->name), value);
    }
}

/* A spreadsheet takes a text that begins with one of these characters as a formula, unless an apostrophe is before
 * it. */
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

/* JSON in one cell, with the same digits. */
static void write_json(FILE *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
    lab_csv_write_text(out, text != NULL ? text : "");
    free(text);
}

/* Words or numbers in one cell, separated by semicolons; lists of lists or objects as JSON. */
static void write_list(FILE *out, const json_t *array)
{
    if (json_is_array(json_array_get(array, 0)) || json_is_object(json_array_get(array, 0))) {
        write_json(out, array);
        return;
    }
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

static void write_titles(FILE *out, const char *const *titles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", titles[i]);
}

/* Where a title or cell is written. */
struct line {
    FILE *out;
    bool begun;
};

static void begin_cell(struct line *line)
{
    if (line->begun)
        fputc(',', line->out);
    line->begun = true;
}

static void write_member_title(void *context, const char *title, const json_t *value)
{
    struct line *line = context;
    (void)value;
    begin_cell(line);
    fputs(title, line->out);
}

static void write_member_cell(void *context, const char *title, const json_t *value)
{
    struct line *line = context;
    (void)title;
    begin_cell(line);
    write_cell(line->out, value);
}

/* A cell for each axis, or one cell with all of them as JSON. */
static void write_axes(FILE *out, const json_t *axes, json_t *columns)
{
    const char *name;
    json_t *unused;
    if (columns == NULL) {
        fputc(',', out);
        write_json(out, axes);
        return;
    }
    json_object_foreach(columns, name, unused)
    {
        fputc(',', out);
        write_cell(out, json_object_get(axes, name));
    }
}

static bool is_among(const char *const *titles, size_t count, const char *title)
{
    size_t i = 0;
    while (i < count && strcmp(titles[i], title) != 0)
        i++;
    return i < count;
}

/* A title that is looked for. */
struct wanted {
    const char *title;
    bool found;
};

static void compare_title(void *context, const char *title, const json_t *value)
{
    struct wanted *wanted = context;
    (void)value;
    wanted->found = wanted->found || strcmp(title, wanted->title) == 0;
}

/* The title of an axis' column; a new reference. An axis whose name begins with the prefix gets it too, so that two
 * axes never have the same title. */
static json_t *axis_title(const char *name)
{
    static const char prefix[] = "axis_";
    struct wanted wanted = {name, strncmp(name, prefix, sizeof prefix - 1) == 0 ||
                                      is_among(first_columns, FIRST_COUNT, name) ||
                                      is_among(sample_columns, SAMPLE_COUNT, name)};
    visit_columns(lab_measurement_members, NULL, compare_title, &wanted);
    return json_sprintf("%s%s", wanted.found ? prefix : "", name);
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
        visit_columns(lab_measurement_members, NULL, write_member_title, &(struct line){.out = out});
    fputs("\r\n", out);
}

void lab_csv_write_point(FILE *out, const json_t *measurement, json_t *columns)
{
    for (size_t i = 0; i < FIRST_COUNT; i++)
        write_member_cell(&(struct line){out, i > 0}, NULL, json_object_get(measurement, first_columns[i]));
    write_axes(out, json_object_get(measurement, "axes"), columns);
    fputc(',', out);
}

void lab_csv_write_summary(FILE *out, const json_t *measurement)
{
    visit_columns(lab_measurement_members, measurement, write_member_cell, &(struct line){.out = out});
    fputs("\r\n", out);
}

void lab_csv_write_sample(FILE *out, size_t index, double value)
{
    fprintf(out, "%zu,", index);
    if (isfinite(value))
        write_number(out, value);
    fputs("\r\n", out);
}
