/* Prints the coordinates of points. */
#include "axes.h"

#include "lab/api_json.h"

#include "core/format.h"
#include "core/json_members.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lab_unit_of(const json_t *experiment, const char *list, const char *name)
{
    return lab_text_of(lab_list_find(json_object_get(experiment, list), name), "unit");
}

const char *lab_coordinate_text(const json_t *value, const char *unit, char text[LAB_FORMAT_SIZE])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    json_int_t integer = json_integer_value(value);
    if (json_is_integer(value) && integer >= 0 && strcmp(unit, "B") == 0)
        lab_text_size((uint64_t)integer, text, LAB_FORMAT_SIZE);
    else if (json_is_integer(value))
        snprintf(text, LAB_FORMAT_SIZE, "%" JSON_INTEGER_FORMAT, integer);
    else if (json_is_real(value))
        lab_format_digits(json_real_value(value), text);
    else
        return "-";
    return text;
}

void lab_axes_columns(struct lab_table *table, const struct lab_table_points *points, const json_t *experiment)
{
    for (size_t i = 0; i < points->axis_count; i++) {
        bool number = lab_unit_of(experiment, "axes", points->axes[i])[0] != '\0';
        lab_table_column(table, points->axes[i], number ? LAB_COLUMN_RIGHT : LAB_COLUMN_CUT);
    }
}

void lab_axes_cells(struct lab_table *table, const struct lab_table_points *points, const struct lab_table_point *point,
                    const json_t *experiment)
{
    char text[LAB_FORMAT_SIZE];
    for (size_t i = 0; i < points->axis_count; i++) {
        const char *axis = points->axes[i];
        const json_t *value = json_object_get(point->axes, axis);
        lab_table_cell(table, "%s",
                       value != NULL ? lab_coordinate_text(value, lab_unit_of(experiment, "axes", axis), text) : "-");
    }
}

char *lab_axes_as_text(const json_t *axes, const json_t *experiment)
{
    const char *name, *separator = "";
    json_t *value;
    char *text = NULL, number[LAB_FORMAT_SIZE];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    json_object_foreach((json_t *)axes, name, value)
    {
        fprintf(out, "%s%s %s", separator, name,
                lab_coordinate_text(value, lab_unit_of(experiment, "axes", name), number));
        separator = ", ";
    }
    fclose(out);
    return text;
}

void lab_axes_print_fixed(FILE *out, const struct lab_table_points *points, const json_t *experiment)
{
    char *text = lab_axes_as_text(points->fixed, experiment);
    if (text != NULL && text[0] != '\0')
        fprintf(out, "%s\n\n", text);
    free(text);
}
