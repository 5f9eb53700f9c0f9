/* Prints an experiment's description. */
#include "explain.h"

#include "cli/options.h"
#include "core/format.h"
#include "core/json_members.h"
#include "core/number.h"
#include "prose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 6, WIDTH = 100 };

/* A copy of a text without the backticks around names, which the page shows as code. The caller frees it. */
static char *without_backticks(const char *text)
{
    char *copy = strdup(text), *to = copy;
    for (const char *from = copy; copy != NULL && *from != '\0'; from++)
        if (*from != '`')
            *to++ = *from;
    if (to != NULL)
        *to = '\0';
    return copy;
}

static void print_indented(FILE *out, const char *text)
{
    char *copy = without_backticks(text);
    fprintf(out, "%*s", INDENT, "");
    lab_print_wrapped(out, copy, INDENT, WIDTH);
    free(copy);
}

/* Prints a bound, a default or a list of choices in the notation of --set. */
static void print_value(FILE *out, const json_t *value, const char *unit)
{
    char text[LAB_FORMAT_SIZE];
    size_t index;
    json_t *each;
    double number = json_number_value(value);
    if (json_is_array(value)) {
        json_array_foreach(value, index, each)
        {
            fputs(index > 0 ? "," : "", out);
            print_value(out, each, unit);
        }
    } else if (json_is_string(value)) {
        fputs(json_string_value(value), out);
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "true" : "false", out);
    } else if (strcmp(unit, "B") == 0 && number >= 1024 && fmod(number, 1024) == 0) {
        const char *shown = lab_format_bytes(number, text);
        for (; *shown != '\0'; shown++) /* "64KiB" instead of "64 KiB" */
            if (*shown != ' ')
                fputc(*shown, out);
    } else if (json_is_integer(value)) {
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        fprintf(out, "%.15g", number);
    }
}

static void print_parameter(FILE *out, const char *name, const json_t *schema)
{
    const json_t *choices = json_object_get(schema, "anyOf");
    const json_t *item = choices != NULL ? json_array_get(choices, 0) : schema;
    const char *unit = lab_text_of(schema, "x-unit");
    const json_t *allowed = json_object_get(item, "enum"), *minimum = json_object_get(item, "minimum");
    fprintf(out, "  %s=", name);
    print_value(out, json_object_get(schema, "default"), unit);
    fprintf(out, "\n%*s%s", INDENT, "", lab_text_of(schema, "title"));
    if (allowed != NULL) {
        fputs(": ", out);
        print_value(out, allowed, "");
    } else {
        const json_t *type =
            json_object_get(item, "type"); /* of an integer, a list with "string", as which sizes are taken */
        fprintf(out, ": %s",
                json_is_array(type) ? json_string_value(json_array_get(type, 0)) : lab_text_of(item, "type"));
    }
    if (minimum != NULL) {
        fputs(" from ", out);
        print_value(out, minimum, unit);
        fputs(" to ", out);
        print_value(out, json_object_get(item, "maximum"), unit);
    }
    if (unit[0] != '\0' && strcmp(unit, "1") != 0)
        fprintf(out, ", in %s", unit);
    fputs(choices != NULL ? "; one value or a list\n" : "\n", out);
    print_indented(out, lab_text_of(schema, "description"));
}

void lab_explain_parameters(FILE *out, const json_t *experiment)
{
    const char *name;
    json_t *schema;
    fputs("Parameters and their defaults, in the notation of --set (integers also as sizes: " LAB_SIZE_EXAMPLES
          "; lists separated by commas)\n",
          out);
    json_object_foreach(json_object_get(json_object_get(experiment, "parameters"), "properties"), name, schema)
    {
        print_parameter(out, name, schema);
    }
    json_object_foreach(json_object_get(experiment, "presets"), name, schema)
    {
        char *parameters = json_dumps(schema, JSON_COMPACT);
        fprintf(out, "\n--preset %s sets %s\n", name, parameters != NULL ? parameters : "");
        free(parameters);
    }
}

static void print_entries(FILE *out, const char *title, const json_t *entries, const char *detail)
{
    size_t index;
    json_t *each;
    fprintf(out, "\n%s\n", title);
    json_array_foreach(entries, index, each)
    {
        const char *unit = lab_text_of(each, "unit");
        bool shown = unit[0] != '\0' && strcmp(unit, "1") != 0;
        fprintf(out, "  %s%s%s%s\n", lab_text_of(each, "name"), shown ? " (" : "", shown ? unit : "", shown ? ")" : "");
        print_indented(out, lab_text_of(each, detail));
    }
}

void lab_explain_experiment(FILE *out, const json_t *experiment)
{
    fprintf(out, "%s: %s\n\n", lab_text_of(experiment, "name"), lab_text_of(experiment, "title"));
    lab_print_wrapped(out, lab_text_of(experiment, "summary"), 0, WIDTH);
    fputc('\n', out);
    lab_print_prose(out, lab_text_of(experiment, "explanation"), WIDTH);
    lab_explain_parameters(out, experiment);
    print_entries(out, "Axes", json_object_get(experiment, "axes"), "title");
    print_entries(out, "Metrics", json_object_get(experiment, "metrics"), "formula");
}
