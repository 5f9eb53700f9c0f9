/* Prints the environment of a run. */
#include "lab/api_json.h"
#include "report.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

static void add_value(struct lab_table *table, const char *path, const json_t *value);

static void add_members(struct lab_table *table, const char *path, const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        char *longer;
        if (asprintf(&longer, "%s%s%s", path, path[0] != '\0' ? "." : "", name) < 0)
            return;
        add_value(table, longer, value);
        free(longer);
    }
}

static void add_elements(struct lab_table *table, const char *path, const json_t *array)
{
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value)
    {
        char *longer;
        if (asprintf(&longer, "%s[%zu]", path, index) < 0)
            return;
        add_value(table, longer, value);
        free(longer);
    }
}

static void add_value(struct lab_table *table, const char *path, const json_t *value)
{
    if (json_is_object(value)) {
        add_members(table, path, value);
    } else if (json_is_array(value)) {
        add_elements(table, path, value);
    } else if (!json_is_null(value)) {
        char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        lab_table_cell(table, "%s", path);
        lab_table_cell(table, "%s", text != NULL ? text : json_string_value(value));
        free(text);
    }
}

void lab_report_environment(FILE *out, const json_t *run)
{
    const json_t *environment = json_object_get(run, "environment");
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "environment", LAB_COLUMN_LEFT);
    lab_table_column(table, "value", LAB_COLUMN_LEFT);
    add_value(table, "", environment);
    fputc('\n', out);
    if (json_is_object(environment))
        lab_table_print(table, out);
    else
        fputs("The run has no environment: its worker has not reported it.\n", out);
    lab_table_free(table);
}
