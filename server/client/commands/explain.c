/* gpulab explain RUN POINT: says what limits a point of a run. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "named_point.h"
#include "output/explanation.h"

#include "core/json_members.h"
#include "core/number.h"

#include <stdint.h>
#include <stdio.h>

static const char usage[] =
    "Usage: gpulab explain RUN POINT [OPTIONS]\n\n"
    "Says what limits a point of a run, in one sentence, and what is known of it: samples, conditions, predictions, hardware\n"
    "counters, the best point beside it, other devices and published results. RUN is the id of a run, 8 or more characters\n"
    "at its beginning, or 'latest'. Values of axes name the POINT, as in direction=h2d,bytes=16MiB; metric=NAME chooses a\n"
    "metric, side=base a side. A number is the position of a measurement in the run, from 0.\n";

static const char where[] = "POINT";

/* The position of the first measurement that is named; SIZE_MAX with an error unless exactly one point is. */
static size_t find_named(const json_t *run, const char *point, struct lab_errors *errors)
{
    json_t *wanted = lab_named_point_read(point, where, errors), *each;
    size_t index, found = SIZE_MAX;
    struct lab_named_points points;
    if (wanted == NULL)
        return SIZE_MAX;
    lab_named_points_init(&points);
    json_array_foreach(json_object_get(run, "measurements"), index, each)
    {
        if (!lab_point_is_named(each, wanted))
            continue;
        lab_named_points_add(&points, each);
        found = found == SIZE_MAX ? index : found;
    }
    if (found == SIZE_MAX)
        lab_errors_add(errors, LAB_ERROR_USAGE, where, "no measurement of the run has these values");
    else if (json_object_size(points.texts) > 1)
        lab_named_points_refuse(&points, where, errors);
    lab_named_points_release(&points);
    json_decref(wanted);
    return errors->count > 0 ? SIZE_MAX : found;
}

/* Sets *position of what the command line names. */
static bool find_position(struct lab_client *client, const char *id, const char *point, size_t *position,
                          struct lab_errors *errors)
{
    double number;
    struct lab_error error;
    if (lab_size_parse(point, &number) && number >= 0) {
        *position = (size_t)number;
        return true;
    }
    json_t *run = lab_run_get(client, id, &error);
    if (run == NULL) {
        lab_errors_add(errors, error.code, error.pointer, "%s", error.detail);
        return false;
    }
    *position = find_named(run, point, errors);
    json_decref(run);
    return *position != SIZE_MAX;
}

static enum lab_exit_code print_explanation(struct lab_context *context, const char *id, size_t position)
{
    struct lab_client *client = context->session.client;
    struct lab_errors errors = {0};
    struct lab_error error;
    char path[160];
    json_t *explanation;
    snprintf(path, sizeof path, "/api/v1/runs/%s/points/%zu/explanation", id, position);
    const struct lab_call call = {.method = "GET", .path = path};
    enum lab_exit_code code = lab_api_call(client, &call, &explanation, NULL, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (context->json) {
        lab_print_json(explanation);
    } else {
        json_t *experiment = lab_experiment_get(client, lab_text_of(explanation, "experiment"), &error);
        lab_explanation_print(stdout, explanation, experiment);
        json_decref(experiment);
    }
    json_decref(explanation);
    return LAB_EXIT_OK;
}

static enum lab_exit_code explain(struct lab_context *context, void *values)
{
    const char *const *words = context->arguments.words.items;
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    size_t position = 0;
    (void)values;
    enum lab_exit_code code = lab_run_search(context->session.client, words[0], id, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (!find_position(context->session.client, id, words[1], &position, &errors))
        return lab_fail(LAB_EXIT_USAGE, &errors);
    return print_explanation(context, id, position);
}

int lab_command_explain(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 2, .words_max = 2, .history = true, .work = explain};
    return lab_client_command_main(&command, NULL, NULL, invocation);
}
