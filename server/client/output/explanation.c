/* Prints the explanation of a point: sentences, then tables. */
#include "output/explanation.h"

#include "axes.h"
#include "table.h"
#include "terminal.h"

#include "core/format.h"
#include "core/json_members.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A value of a row with its unit; "" for null. */
static void add_value(struct lab_table *table, const json_t *row, const char *member, const char *unit)
{
    char text[LAB_FORMAT_SIZE];
    double value = lab_number_of(row, member);
    lab_table_cell(table, "%s", isfinite(value) ? lab_format_quantity(value, unit, text) : "");
}

static void print_table(FILE *out, const char *title, struct lab_table *table)
{
    fprintf(out, "\n%s\n", title);
    lab_table_fit(table, lab_terminal_width(out));
    lab_table_print(table, out);
    lab_table_free(table);
}

static void print_predictions(FILE *out, const json_t *rows)
{
    size_t index;
    json_t *row;
    if (json_array_size(rows) == 0)
        return;
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "", LAB_COLUMN_LEFT);
    lab_table_column(table, "predicted", LAB_COLUMN_RIGHT);
    lab_table_column(table, "counted", LAB_COLUMN_RIGHT);
    lab_table_column(table, "measured", LAB_COLUMN_RIGHT);
    lab_table_column(table, "", LAB_COLUMN_LEFT);
    json_array_foreach(rows, index, row)
    {
        const char *unit = lab_text_of(row, "unit");
        lab_table_cell(table, "%s", lab_text_of(row, "title"));
        add_value(table, row, "predicted", unit);
        add_value(table, row, "counted", unit);
        add_value(table, row, "measured", unit);
        lab_table_cell(table, "%s", lab_text_of(row, "text"));
    }
    print_table(out, "Predictions", table);
}

/* `said`: the limit has its sentence already. */
static void print_beside(FILE *out, const json_t *beside, bool said)
{
    size_t index;
    json_t *row, *rows = json_object_get(beside, "differences");
    if (!json_is_object(beside))
        return;
    if (!said)
        fprintf(out, "\n%s\n", lab_text_of(beside, "text"));
    if (json_array_size(rows) == 0)
        return;
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "", LAB_COLUMN_LEFT);
    lab_table_column(table, "here", LAB_COLUMN_RIGHT);
    lab_table_column(table, "there", LAB_COLUMN_RIGHT);
    json_array_foreach(rows, index, row)
    {
        const char *unit = lab_text_of(row, "unit");
        lab_table_cell(table, "%s", lab_text_of(row, "title"));
        add_value(table, row, "value", unit);
        add_value(table, row, "other", unit);
    }
    print_table(out, "What differs there", table);
}

/* Values elsewhere: on devices, or of publications. */
static void print_elsewhere(FILE *out, const char *title, const json_t *rows, const char *name, const char *source,
                            const char *unit)
{
    size_t index;
    json_t *row;
    if (json_array_size(rows) == 0)
        return;
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "", LAB_COLUMN_LEFT);
    lab_table_column(table, "value", LAB_COLUMN_RIGHT);
    lab_table_column(table, "here / there", LAB_COLUMN_RIGHT);
    lab_table_column(table, source, LAB_COLUMN_LEFT);
    json_array_foreach(rows, index, row)
    {
        lab_table_cell(table, "%s", lab_text_of(row, name));
        add_value(table, row, "value", unit);
        add_value(table, row, "ratio", "1");
        lab_table_cell(table, "%s", lab_text_of(row, source));
    }
    print_table(out, title, table);
}

static void print_counters(FILE *out, const json_t *rows)
{
    size_t index;
    json_t *row;
    if (json_array_size(rows) == 0)
        return;
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "", LAB_COLUMN_LEFT);
    lab_table_column(table, "value", LAB_COLUMN_RIGHT);
    lab_table_column(table, "metric of the device", LAB_COLUMN_LEFT);
    json_array_foreach(rows, index, row)
    {
        lab_table_cell(table, "%s", lab_text_of(row, "title"));
        add_value(table, row, "value", lab_text_of(row, "unit"));
        lab_table_cell(table, "%s", lab_text_of(row, "metric"));
    }
    print_table(out, "Hardware counters of one repetition", table);
}

void lab_explanation_print(FILE *out, const json_t *explanation, const json_t *experiment)
{
    const char *unit = lab_text_of(explanation, "unit"), *more = lab_optional_text_of(explanation, "more");
    const char *side = lab_optional_text_of(explanation, "side");
    const json_t *limit = json_object_get(explanation, "limit");
    char value[LAB_FORMAT_SIZE];
    char *axes = lab_axes_as_text(json_object_get(explanation, "axes"), experiment);
    size_t index;
    json_t *sentence;
    fprintf(out, "%s%s%s%s%s: %s\n\n%s\n\n", lab_text_of(explanation, "title"), side != NULL ? ", side " : "",
            side != NULL ? side : "", axes != NULL && axes[0] != '\0' ? ", " : "", axes != NULL ? axes : "",
            lab_format_quantity(lab_number_of(explanation, "value"), unit, value), lab_text_of(limit, "text"));
    free(axes);
    fprintf(out, "Samples: %s\n", lab_text_of(explanation, "samples"));
    json_array_foreach(json_object_get(explanation, "conditions"), index, sentence)
    {
        fprintf(out, "%s\n", json_string_value(sentence));
    }
    print_beside(out, json_object_get(explanation, "beside"), strcmp(lab_text_of(limit, "basis"), "neighbour") == 0);
    print_predictions(out, json_object_get(explanation, "predictions"));
    print_elsewhere(out, "Other devices", json_object_get(explanation, "devices"), "name", "run", unit);
    print_elsewhere(out, "Published", json_object_get(explanation, "references"), "system", "source", unit);
    print_counters(out, json_object_get(explanation, "counters"));
    if (more != NULL)
        fprintf(out, "\n%s\n", more);
}
