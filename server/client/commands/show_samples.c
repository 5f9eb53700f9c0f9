/* Finds the measurement that a point of the command line names, and prints its samples. */
#include "show_samples.h"

#include "named_point.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/axes.h"
#include "output/samples.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

/* --- the measurement ---------------------------------------------------------------------------------------------- */

/* The positions of measurements: one of each side. */
struct chosen {
    size_t count, positions[SIDES];
    const json_t *first; /* the measurement at the first position */
    struct lab_named_points points;
};

/* Whether a measurement with samples belongs to the one that was chosen first: the same metric on the other side. */
static bool is_other_side(const json_t *one, const json_t *other)
{
    const char *side = lab_text_of(one, "side");
    return side[0] != '\0' && strcmp(side, lab_text_of(other, "side")) != 0 &&
           strcmp(lab_text_of(one, "metric"), lab_text_of(other, "metric")) == 0;
}

/* Chooses the first measurement that is named, and that of the other side of a comparison. */
static void choose(struct chosen *chosen, const json_t *run, json_t *wanted)
{
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        if (json_integer_value(json_object_get(each, "n")) == 0 ||
            !json_is_string(json_object_get(each, "stop_reason")) || !lab_point_is_named(each, wanted))
            continue;
        lab_named_points_add(&chosen->points, each);
        if (chosen->count == 0 || (chosen->count == 1 && is_other_side(chosen->first, each))) {
            if (chosen->count == 0)
                chosen->first = each;
            chosen->positions[chosen->count++] = index;
        }
    }
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
    json_t *wanted = lab_named_point_read(point, "--samples", &errors);
    if (wanted == NULL)
        return lab_fail(LAB_EXIT_USAGE, &errors);
    struct chosen chosen = {0};
    lab_named_points_init(&chosen.points);
    choose(&chosen, run, wanted);
    json_decref(wanted);
    size_t points = json_object_size(chosen.points.texts);
    if (chosen.count == 0)
        lab_errors_add(&errors, LAB_ERROR_USAGE, "--samples",
                       "no measurement of the run that was sampled has these values");
    else if (points > chosen.count)
        lab_named_points_refuse(&chosen.points, "--samples", &errors);
    lab_named_points_release(&chosen.points);
    if (errors.count > 0)
        return lab_fail(LAB_EXIT_USAGE, &errors);
    json_t *measurements = read_samples(context->session.client, run, &chosen);
    if (measurements == NULL)
        return LAB_EXIT_ERROR;
    enum lab_exit_code code = print_samples(context, run, measurements);
    json_decref(measurements);
    return code;
}
