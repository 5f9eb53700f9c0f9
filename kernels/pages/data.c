/* The members of NAME.json as rows, and the tables that are made of them. */
#include "pages/data.h"

#include "core/json_members.h"
#include "core/json_text.h"
#include "core/schema.h"
#include "pages/source_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- members ------------------------------------------------------------------------------------------------------ */

static const struct lab_schema presets_members[] = {
    {LAB_GIVEN(OBJECT, "quick")},
    {0},
};
static const struct lab_schema figure_members[] = {
    {.name = "axes", .type = LAB_TYPE_OBJECT},
    {.name = "metric"},
    {.name = "unit"},
    {.name = "value", .type = LAB_TYPE_NUMBER, .above = true, .maximum = INFINITY},
    {.name = "values", .type = LAB_TYPE_NUMBER, .count = LAB_LIST, .items_min = 1, .above = true, .maximum = INFINITY},
    {.name = "baseline", .minimum = 1, .maximum = 40},
    {.name = "remark", .minimum = 1, .maximum = 400},
    {0},
};
static const struct lab_schema group_members[] = {
    {LAB_GIVEN(STRING, "system"), .minimum = 1, .maximum = 200},
    {LAB_GIVEN(STRING, "source"), .minimum = 1, .maximum = 200},
    {.name = "driver"},
    {.name = "date"},
    {.name = "notes", .count = LAB_LIST},
    {.name = "parameters", .type = LAB_TYPE_OBJECT},
    {.name = "axes", .type = LAB_TYPE_OBJECT},
    {.name = "metric"},
    {.name = "unit"},
    {LAB_GIVEN(OBJECT, "figures"), .count = LAB_LIST, .items_min = 1, .items_max = 1000, .members = figure_members},
    {0},
};
static const struct lab_schema document_members[] = {
    {LAB_GIVEN(OBJECT, "presets"), .members = presets_members, .open = true},
    {.name = "references", .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .members = group_members},
    {0},
};
static const struct lab_schema document_row = {.type = LAB_TYPE_OBJECT, .members = document_members};

/* The length of the list that one axis of a row has; 0: none has a list, or several have. Sets *lists to their
 * number. */
static size_t count_points(const json_t *row, size_t *lists)
{
    const char *name;
    json_t *value;
    size_t count = 0;
    *lists = 0;
    json_object_foreach(json_object_get(row, "axes"), name, value)
    {
        if (json_is_array(value)) {
            *lists += 1;
            count = json_array_size(value);
        }
    }
    return *lists == 1 ? count : 0;
}

/* Checks what the members of a row say together. */
static void check_row(const json_t *group, const json_t *row, const char *pointer, struct lab_errors *errors)
{
    static const char *const names[] = {"metric", "unit"};
    const json_t *values = json_object_get(row, "values");
    size_t lists, count = count_points(row, &lists);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_object_get(row, names[i]) == NULL && json_object_get(group, names[i]) == NULL)
            lab_errors_add(errors, LAB_ERROR_MISSING, pointer, "'%s' is missing; the figure or its group must have it",
                           names[i]);
    if ((json_object_get(row, "value") != NULL) == (values != NULL))
        lab_errors_add(errors, LAB_ERROR_MISSING, pointer, "must have either 'value' or 'values'");
    else if (values == NULL && lists > 0)
        lab_errors_add(errors, LAB_ERROR_WRONG_TYPE, pointer, "no axis can have a list, because there is one 'value'");
    else if (values != NULL && count != json_array_size(values))
        lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                       "'values' has %zu items; one axis, and no other, must have a list of as many",
                       json_array_size(values));
    if (values != NULL && json_object_get(row, "baseline") != NULL)
        lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, pointer, "'baseline' is of one value, not of 'values'");
}

static bool check_rows(const json_t *references, struct lab_errors *errors)
{
    const json_t *group, *row;
    size_t g, r;
    json_array_foreach(references, g, group)
    {
        json_array_foreach(json_object_get(group, "figures"), r, row)
        {
            char pointer[LAB_POINTER_MAX];
            snprintf(pointer, sizeof pointer, "/references/%zu/figures/%zu", g, r);
            check_row(group, row, pointer, errors);
        }
    }
    return errors->count == 0;
}

/* Adds the axes of an object to those of figure `index` of its row. */
static bool add_axes(json_t *axes, const json_t *object, size_t index)
{
    const char *name;
    json_t *value;
    bool good = true;
    json_object_foreach(json_object_get(object, "axes"), name, value)
    {
        good = json_object_set(axes, name, json_is_array(value) ? json_array_get(value, index) : value) == 0 && good;
    }
    return good;
}

/* Figure `index` of a row; NULL when out of memory. */
static json_t *make_figure(const json_t *group, const json_t *row, size_t index)
{
    static const char *const names[] = {"metric", "unit"};
    json_t *figure = json_copy((json_t *)(uintptr_t)row), *axes = json_object();
    const json_t *values = json_object_get(row, "values");
    bool good = add_axes(axes, group, index) && add_axes(axes, row, index);
    good = json_object_set_new(figure, "axes", axes) == 0 && good;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_object_get(figure, names[i]) == NULL)
            good = json_object_set(figure, names[i], json_object_get(group, names[i])) == 0 && good;
    if (values != NULL)
        good = json_object_set(figure, "value", json_array_get(values, index)) == 0 && good;
    json_object_del(figure, "values");
    if (!good)
        json_decref(figure);
    return good ? figure : NULL;
}

bool lab_data_add_figures(json_t *figures, const json_t *group, const json_t *row)
{
    const json_t *values = json_object_get(row, "values");
    bool good = true;
    for (size_t i = 0; i < (values != NULL ? json_array_size(values) : 1); i++)
        good = json_array_append_new(figures, make_figure(group, row, i)) == 0 && good;
    return good;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The line of the value that a JSON pointer leads to, or of the innermost value on the way that exists. */
static int find_line(const char *text, const char *pointer)
{
    char wanted[LAB_POINTER_MAX], found[LAB_POINTER_MAX];
    size_t length = strlen(text);
    snprintf(wanted, sizeof wanted, "%s", pointer);
    for (char *end; (end = strrchr(wanted, '/')) != NULL; *end = '\0') {
        int line = 1;
        for (size_t at = 0; at < length; line += text[at++] == '\n') {
            if (strchr(" \n", text[at]) != NULL) /* behind a comma, on whose line the next value need not be */
                continue;
            lab_json_pointer_at(text, length, at, found, sizeof found);
            if (strcmp(found, wanted) == 0)
                return line;
        }
    }
    return 1;
}

void lab_data_print(const struct lab_data *data, const struct lab_errors *errors, FILE *messages)
{
    for (const struct lab_error *e = errors->items; e < errors->items + errors->count; e++)
        fprintf(messages, "%s:%d: %s%s%s\n", data->path, find_line(data->text, e->pointer), e->pointer,
                e->pointer[0] != '\0' ? ": " : "", e->detail);
    if (errors->dropped > 0)
        fprintf(messages, "%s:1: %zu more errors\n", data->path, errors->dropped);
}

static bool read_text(struct lab_data *data, FILE *messages)
{
    size_t size = 0;
    FILE *file = fopen(data->path, "r");
    bool good = file != NULL && getdelim(&data->text, &size, '\0', file) >= 0;
    if (!good)
        fprintf(messages, "%s:1: cannot be read: %s; every experiment has this file, with the preset \"quick\"\n",
                data->path, file == NULL || ferror(file) ? strerror(errno) : "it is empty");
    if (file != NULL)
        fclose(file);
    return good;
}

bool lab_data_read(struct lab_data *data, const char *folder, FILE *messages)
{
    const char *slash = strrchr(folder, '/');
    struct lab_json_fault fault;
    struct lab_errors errors = {0};
    snprintf(data->path, sizeof data->path, "%s/%s.json", folder, slash != NULL ? slash + 1 : folder);
    if (!read_text(data, messages))
        return false;
    data->document = lab_json_parse(data->text, strlen(data->text), &fault);
    if (data->document == NULL) {
        fprintf(messages, "%s:%d: %s; the file must be JSON\n", data->path, fault.line, fault.text);
        return false;
    }
    bool good = lab_schema_check_value(&document_row, data->document, "", &errors) &&
                check_rows(json_object_get(data->document, "references"), &errors);
    lab_data_print(data, &errors, messages);
    return good;
}

void lab_data_release(struct lab_data *data)
{
    json_decref(data->document);
    free(data->text);
    *data = (struct lab_data){0};
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static bool write_json(FILE *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    lab_write_string(out, text);
    free(text);
    return text != NULL;
}

/* "gpulab on H200 SXM, driver 580.159.04, 2026-11" */
static void write_source(FILE *out, const json_t *group)
{
    const char *driver = lab_optional_text_of(group, "driver"), *date = lab_optional_text_of(group, "date");
    lab_write_string(out, lab_text_of(group, "source"));
    if (driver != NULL) {
        fputs(" \", driver \" ", out);
        lab_write_string(out, driver);
    }
    if (date != NULL) {
        fputs(" \", \" ", out);
        lab_write_string(out, date);
    }
}

/* Axes that may have any value are left out. */
static bool write_axes(FILE *out, json_t *axes)
{
    json_t *value;
    const char *name;
    void *next;
    json_object_foreach_safe(axes, next, name, value)
    {
        if (json_is_null(value))
            json_object_del(axes, name);
    }
    return write_json(out, axes);
}

/* `baseline`: the figure over which this one is a speedup; NULL: none. */
static bool write_figure(FILE *out, const json_t *group, const json_t *figure, const json_t *baseline)
{
    fputs("    {.system = ", out);
    lab_write_string(out, lab_text_of(group, "system"));
    fputs(", .source = ", out);
    write_source(out, group);
    fputs(", .axes = ", out);
    bool good = write_axes(out, json_object_get(figure, "axes"));
    if (json_object_get(group, "parameters") != NULL) {
        fputs(", .parameters = ", out);
        good = write_json(out, json_object_get(group, "parameters")) && good;
    }
    fputs(", .metric = ", out);
    lab_write_string(out, lab_text_of(figure, "metric"));
    fprintf(out, ", .value = %.17g, .unit = ", lab_number_of(figure, "value"));
    lab_write_string(out, lab_text_of(figure, "unit"));
    fputs(", .remark = ", out);
    lab_write_string(out, lab_optional_text_of(figure, "remark"));
    if (baseline != NULL) {
        fputs(", .baseline = ", out);
        lab_write_string(out, lab_text_of(baseline, "baseline"));
        fprintf(out, ", .baseline_value = %.17g", lab_number_of(baseline, "value"));
    }
    fputs("},\n", out);
    return good;
}

static bool write_group(FILE *out, const json_t *group)
{
    json_t *figure, *row, *all = json_array(), *baseline = NULL;
    size_t index;
    bool good = true;
    json_array_foreach(json_object_get(group, "figures"), index, row)
    {
        good = lab_data_add_figures(all, group, row) && good;
    }
    json_array_foreach(all, index, figure)
    {
        bool starts = json_object_get(figure, "baseline") != NULL;
        bool follows =
            !starts && baseline != NULL && strcmp(lab_text_of(figure, "metric"), lab_text_of(baseline, "metric")) == 0;
        good = write_figure(out, group, figure, follows ? baseline : NULL) && good;
        if (starts)
            baseline = figure;
    }
    json_decref(all);
    return good;
}

bool lab_data_write(const struct lab_data *data, const char *name, FILE *out)
{
    const char *preset;
    json_t *parameters;
    const json_t *group;
    size_t index;
    bool good = true;
    fprintf(out, "\nconst struct lab_preset lab_%s_presets[] = {\n", name);
    json_object_foreach(json_object_get(data->document, "presets"), preset, parameters)
    {
        fputs("    {", out);
        lab_write_string(out, preset);
        fputs(", ", out);
        good = write_json(out, parameters) && good;
        fputs("},\n", out);
    }
    fprintf(out, "    {0},\n};\nconst struct lab_reference lab_%s_references[] = {\n", name);
    json_array_foreach(json_object_get(data->document, "references"), index, group)
    {
        good = write_group(out, group) && good;
    }
    fputs("    {0},\n};\n", out);
    return good;
}
