/* Finds the measurement that a point of the command line names, and prints its samples. */
#include "show_samples.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/axes.h"
#include "output/samples.h"

#include "core/json_members.h"
#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

/* --- the point ---------------------------------------------------------------------------------------------------- */

/* Whether a value of a measurement is the one that was written: a text, true or false, or a number, which may be a size. */
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

/* Whether the measurement has all values of {NAME: VALUE}. */
static bool is_named(const json_t *measurement, json_t *wanted)
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

/* Reads NAME=VALUE,... as {NAME: VALUE}, a new reference; NULL with an error. */
static json_t *read_point(const char *point, struct lab_errors *errors)
{
    json_t *wanted = json_object();
    char *copy = strdup(point), *state = NULL;
    for (char *word = strtok_r(copy, ",", &state); word != NULL; word = strtok_r(NULL, ",", &state)) {
        char *equals = strchr(word, '=');
        if (equals == NULL || equals == word) {
            lab_errors_add(errors, LAB_ERROR_USAGE, "--samples",
                           "must be AXIS=VALUE, several separated by commas, not '%s'", word);
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

/* --- the measurement ---------------------------------------------------------------------------------------------- */

/* The positions of measurements: one of each side. */
struct chosen {
    size_t count, positions[SIDES];
    const json_t *first; /* the measurement at the first position */
    json_t *points;      /* texts of the points that were named, as members of an object */
    json_t *varying;     /* {AXIS: its value at the first of them}; null where others have another one */
};

/* Whether a measurement with samples belongs to the one that was chosen first: the same metric on the other side. */
static bool is_other_side(const json_t *one, const json_t *other)
{
    const char *side = lab_text_of(one, "side");
    return side[0] != '\0' && strcmp(side, lab_text_of(other, "side")) != 0 &&
           strcmp(lab_text_of(one, "metric"), lab_text_of(other, "metric")) == 0;
}

/* Adds a point that was named. */
static void add_point(struct chosen *chosen, const json_t *measurement)
{
    const char *axis;
    json_t *value, *axes = json_object_get(measurement, "axes");
    json_t *point = json_pack("[s, O]", lab_text_of(measurement, "side"), axes);
    char *text = json_dumps(point, JSON_COMPACT);
    if (text != NULL)
        json_object_set_new(chosen->points, text, json_null());
    free(text);
    json_decref(point);
    json_object_foreach(axes, axis, value)
    {
        json_t *first = json_object_get(chosen->varying, axis);
        if (first == NULL)
            json_object_set(chosen->varying, axis, value);
        else if (!json_equal(first, value))
            json_object_set_new(chosen->varying, axis, json_null());
    }
}

/* Chooses the first measurement that is named, and that of the other side of a comparison. */
static void choose(struct chosen *chosen, const json_t *run, json_t *wanted)
{
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        if (json_integer_value(json_object_get(each, "n")) == 0 ||
            !json_is_string(json_object_get(each, "stop_reason")) || !is_named(each, wanted))
            continue;
        add_point(chosen, each);
        if (chosen->count == 0 || (chosen->count == 1 && is_other_side(chosen->first, each))) {
            if (chosen->count == 0)
                chosen->first = each;
            chosen->positions[chosen->count++] = index;
        }
    }
}

/* Sets the error that several points were named. */
static void refuse_several(const struct chosen *chosen, struct lab_errors *errors)
{
    char axes[160] = "";
    const char *axis;
    json_t *value;
    json_object_foreach(chosen->varying, axis, value)
    {
        size_t used = strlen(axes);
        if (json_is_null(value))
            snprintf(axes + used, sizeof axes - used, "%s%s", used > 0 ? ", " : "", axis);
    }
    lab_errors_add(errors, LAB_ERROR_USAGE, "--samples", "names %zu points; add values of the axes that differ: %s",
                   json_object_size(chosen->points), axes);
}

/* Reads the chosen measurements with their samples, a list; NULL with the error printed. */
static json_t *read_samples(struct lab_client *client, const json_t *run, const struct chosen *chosen)
{
    json_t *list = json_array();
    for (size_t i = 0; i < chosen->count; i++) {
        struct lab_error error;
        char path[160];
        snprintf(path, sizeof path, "/api/v1/runs/%s/measurements?samples=true&position=%zu", lab_text_of(run, "id"),
                 chosen->positions[i]);
        json_t *answer = lab_get(client, path, &error);
        if (answer == NULL) {
            lab_print_error(&error);
            json_decref(list);
            return NULL;
        }
        json_array_extend(list, json_object_get(answer, "measurements"));
        json_decref(answer);
    }
    return list;
}

static enum lab_exit_code print_samples(struct lab_context *context, const json_t *run, json_t *measurements)
{
    struct lab_error error;
    if (context->json) {
        json_t *document = json_pack("{s:O}", "measurements", measurements);
        lab_print_json(document);
        json_decref(document);
        return LAB_EXIT_OK;
    }
    size_t index;
    json_t *each;
    json_array_foreach(measurements, index, each)
    {
        if (json_array_size(json_object_get(each, "samples")) > 0)
            continue;
        lab_error_set(&error, LAB_ERROR_NOT_FOUND, "",
                      "The samples of this point are not stored: they were removed, or left out of an export.");
        lab_print_error(&error);
        return LAB_EXIT_FAILED;
    }
    json_t *experiment = lab_experiment_get(context->session.client, lab_text_of(run, "experiment"), &error);
    lab_samples_print(stdout, measurements, experiment);
    json_decref(experiment);
    return LAB_EXIT_OK;
}

enum lab_exit_code lab_show_samples(struct lab_context *context, const json_t *run, const char *point)
{
    struct lab_errors errors = {0};
    json_t *wanted = read_point(point, &errors);
    if (wanted == NULL)
        return lab_fail(LAB_EXIT_USAGE, &errors);
    struct chosen chosen = {.points = json_object(), .varying = json_object()};
    choose(&chosen, run, wanted);
    json_decref(wanted);
    size_t points = json_object_size(chosen.points);
    if (chosen.count == 0)
        lab_errors_add(&errors, LAB_ERROR_USAGE, "--samples",
                       "no measurement of the run that was sampled has these values");
    else if (points > chosen.count)
        refuse_several(&chosen, &errors);
    json_decref(chosen.points);
    json_decref(chosen.varying);
    if (errors.count > 0)
        return lab_fail(LAB_EXIT_USAGE, &errors);
    json_t *measurements = read_samples(context->session.client, run, &chosen);
    if (measurements == NULL)
        return LAB_EXIT_ERROR;
    enum lab_exit_code code = print_samples(context, run, measurements);
    json_decref(measurements);
    return code;
}
