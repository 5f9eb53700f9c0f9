/* Reads a point of the command line, and tells which measurements it names. */
#include "named_point.h"

#include "core/json_members.h"
#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a value of a measurement equals the value that the user wrote: a text, true or false, or a number, which may
 * be a size. */
static bool is_value(const json_t *value, const char *text)
{
    double number;
    if (json_is_string(value))
        return strcmp(json_string_value(value), text) == 0;
    if (json_is_boolean(value))
        return strcmp(text, json_is_true(value) ? "true" : "false") == 0;
    return json_is_number(value) && lab_size_parse(text, &number) && number == json_number_value(value);
}

static const json_t *named_value(const json_t *measurement, const char *name)
{
    bool is_member = strcmp(name, "metric") == 0 || strcmp(name, "side") == 0;
    return json_object_get(is_member ? measurement : json_object_get(measurement, "axes"), name);
}

bool lab_point_is_named(const json_t *measurement, json_t *wanted)
{
    const char *name;
    json_t *value;
    json_object_foreach(wanted, name, value)
    {
        if (!is_value(named_value(measurement, name), json_string_value(value)))
            return false;
    }
    return true;
}

json_t *lab_named_point_read(const char *point, const char *option, struct lab_errors *errors)
{
    json_t *wanted = json_object();
    char *copy = strdup(point), *state = NULL;
    for (char *word = strtok_r(copy, ",", &state); word != NULL; word = strtok_r(NULL, ",", &state)) {
        char *equals = strchr(word, '=');
        if (equals == NULL || equals == word) {
            lab_errors_add(errors, LAB_ERROR_USAGE, option, "must be AXIS=VALUE, several separated by commas, not '%s'",
                           word);
            json_decref(wanted);
            wanted = NULL;
            break;
        }
        *equals = '\0';
        json_object_set_new(wanted, word, json_string(equals + 1));
    }
    free(copy);
    return wanted;
}

void lab_named_points_init(struct lab_named_points *points)
{
    *points = (struct lab_named_points){json_object(), json_object()};
}

void lab_named_points_release(struct lab_named_points *points)
{
    json_decref(points->texts);
    json_decref(points->varying);
    *points = (struct lab_named_points){0};
}

void lab_named_points_add(struct lab_named_points *points, const json_t *measurement)
{
    const char *axis;
    json_t *value, *axes = json_object_get(measurement, "axes");
    json_t *point = json_pack("[s, O]", lab_text_of(measurement, "side"), axes);
    char *text = json_dumps(point, JSON_COMPACT);
    if (text != NULL)
        json_object_set_new(points->texts, text, json_null());
    free(text);
    json_decref(point);
    json_object_foreach(axes, axis, value)
    {
        json_t *first = json_object_get(points->varying, axis);
        if (first == NULL)
            json_object_set(points->varying, axis, value);
        else if (!json_equal(first, value))
            json_object_set_new(points->varying, axis, json_null());
    }
}

void lab_named_points_refuse(const struct lab_named_points *points, const char *option, struct lab_errors *errors)
{
    char axes[160] = "";
    const char *axis;
    json_t *value;
    json_object_foreach(points->varying, axis, value)
    {
        size_t used = strlen(axes);
        if (json_is_null(value))
            snprintf(axes + used, sizeof axes - used, "%s%s", used > 0 ? ", " : "", axis);
    }
    lab_errors_add(errors, LAB_ERROR_USAGE, option, "names %zu points; add values of the axes that differ: %s",
                   json_object_size(points->texts), axes);
}
