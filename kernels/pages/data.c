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
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(NUMBER, "value"), .above = true, .maximum = INFINITY},
    {LAB_GIVEN(STRING, "unit")},
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
    {.name = "axes", .type = LAB_TYPE_OBJECT},
    {LAB_GIVEN(OBJECT, "figures"), .count = LAB_LIST, .items_min = 1, .items_max = 1000, .members = figure_members},
    {0},
};
static const struct lab_schema document_members[] = {
    {LAB_GIVEN(OBJECT, "presets"), .members = presets_members, .open = true},
    {.name = "references", .type = LAB_TYPE_OBJECT, .count = LAB_LIST, .members = group_members},
    {0},
};
static const struct lab_schema document_row = {.type = LAB_TYPE_OBJECT, .members = document_members};

json_t *lab_data_axes(const json_t *group, const json_t *figure)
{
    json_t *axes = json_object();
    const json_t *parts[] = {json_object_get(group, "axes"), json_object_get(figure, "axes")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] != NULL && json_object_update(axes, (json_t *)(uintptr_t)parts[i]) != 0) {
            json_decref(axes);
            return NULL;
        }
    return axes;
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
    bool good = lab_schema_check_value(&document_row, data->document, "", &errors);
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
static bool write_axes(FILE *out, const json_t *group, const json_t *figure)
{
    json_t *axes = lab_data_axes(group, figure), *value;
    const char *name;
    void *next;
    json_object_foreach_safe(axes, next, name, value)
    {
        if (json_is_null(value))
            json_object_del(axes, name);
    }
    bool good = axes != NULL && write_json(out, axes);
    json_decref(axes);
    return good;
}

/* `baseline`: the figure over which this one is a speedup; NULL: none. */
static bool write_figure(FILE *out, const json_t *group, const json_t *figure, const json_t *baseline)
{
    fputs("    {.system = ", out);
    lab_write_string(out, lab_text_of(group, "system"));
    fputs(", .source = ", out);
    write_source(out, group);
    fputs(", .axes = ", out);
    bool good = write_axes(out, group, figure);
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
    const json_t *figure, *baseline = NULL;
    size_t index;
    bool good = true;
    json_array_foreach(json_object_get(group, "figures"), index, figure)
    {
        bool starts = json_object_get(figure, "baseline") != NULL;
        bool follows =
            !starts && baseline != NULL && strcmp(lab_text_of(figure, "metric"), lab_text_of(baseline, "metric")) == 0;
        good = write_figure(out, group, figure, follows ? baseline : NULL) && good;
        if (starts)
            baseline = figure;
    }
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
