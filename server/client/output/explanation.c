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

/* A column of a table whose rows are JSON objects: the member that it shows, as a text or as a quantity. */
struct column {
    const char *title, *member;
    bool quantity;
    const char *unit; /* of a quantity; NULL: the row says it */
};

/* An empty cell for a quantity that is null. */
static void add_cell(struct lab_table *table, const json_t *row, const struct column *column)
{
    char text[LAB_FORMAT_SIZE];
    if (!column->quantity) {
        lab_table_cell(table, "%s", lab_text_of(row, column->member));
        return;
    }
    double value = lab_number_of(row, column->member);
    const char *unit = column->unit != NULL ? column->unit : lab_text_of(row, "unit");
    lab_table_cell(table, "%s", isfinite(value) ? lab_format_quantity(value, unit, text) : "");
}

/* Prints a table with a heading, or nothing if there are no rows. */
static void print_table(FILE *out, const char *title, const json_t *rows, const struct column *columns, size_t count)
{
    size_t index;
    json_t *row;
    if (json_array_size(rows) == 0)
        return;
    struct lab_table *table = lab_table_create();
    for (size_t i = 0; i < count; i++)
        lab_table_column(table, columns[i].title, columns[i].quantity ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
    json_array_foreach(rows, index, row)
    {
        for (size_t i = 0; i < count; i++)
            add_cell(table, row, &columns[i]);
    }
    fprintf(out, "\n%s\n", title);
    lab_table_fit(table, lab_terminal_width(out));
    lab_table_print(table, out);
    lab_table_free(table);
}

static void print_predictions(FILE *out, const json_t *rows)
{
    static const struct column columns[] = {{.title = "", .member = "title"},
                                            {"predicted", "predicted", .quantity = true},
                                            {"counted", "counted", .quantity = true},
                                            {"measured", "measured", .quantity = true},
                                            {.title = "", .member = "text"}};
    print_table(out, "Predicted and counted", rows, columns, sizeof columns / sizeof columns[0]);
}

/* `said`: the limit has its sentence already. */
static void print_beside(FILE *out, const json_t *beside, bool said)
{
    static const struct column columns[] = {
        {.title = "", .member = "title"}, {"here", "value", .quantity = true}, {"there", "other", .quantity = true}};
    if (json_is_object(beside) && !said)
        fprintf(out, "\n%s\n", lab_text_of(beside, "text"));
    print_table(out, "What differs there", json_object_get(beside, "differences"), columns,
                sizeof columns / sizeof columns[0]);
}

/* Values elsewhere: on devices, or of publications. */
static void print_elsewhere(FILE *out, const char *title, const json_t *rows, const char *name, const char *source,
                            const char *unit)
{
    const struct column columns[] = {{.title = "", .member = name},
                                     {"value", "value", .quantity = true, .unit = unit},
                                     {"here / there", "ratio", .quantity = true, .unit = "1"},
                                     {.title = source, .member = source}};
    print_table(out, title, rows, columns, sizeof columns / sizeof columns[0]);
}

static void print_counters(FILE *out, const json_t *rows)
{
    static const struct column columns[] = {{.title = "", .member = "title"},
                                            {"value", "value", .quantity = true},
                                            {.title = "metric of the device", .member = "metric"}};
    print_table(out, "Hardware counters of one repetition", rows, columns, sizeof columns / sizeof columns[0]);
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
