#include "visibility.h"

#include "openapi/schemas.h"
#include "resources.h"

#include "core/clock.h"
#include "core/json_text.h"
#include "descriptor/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Whether a side of a comparison is a person's own code. */
static bool compares_own_code(const char *compare_with)
{
    json_t *base = compare_with != NULL ? lab_json_stored(compare_with) : NULL;
    bool is_own = json_is_object(json_object_get(base, "kernel")) || json_is_object(json_object_get(base, "program"));
    json_decref(base);
    return is_own;
}

const char *lab_sees_only(const struct lab_identity *viewer)
{
    return viewer->role == LAB_ROLE_PARTICIPANT ? viewer->name : NULL;
}

const char *lab_sees_secrets_of(const struct lab_identity *viewer)
{
    return viewer->role < LAB_ROLE_ADMIN ? viewer->name : NULL;
}

bool lab_may_see(const struct lab_identity *viewer, const struct lab_run_row *run)
{
    bool is_own = run->requested_by != NULL && strcmp(run->requested_by, viewer->name) == 0;
    if (is_own && viewer->role != LAB_ROLE_ANONYMOUS)
        return true;
    if (lab_sees_secrets_of(viewer) != NULL && lab_run_is_secret(run, lab_time_now()))
        return false;
    if (lab_sees_only(viewer) != NULL)
        return run->challenge != NULL;
    if (!lab_role_is_restricted(viewer->role) || run->public)
        return true;
    return run->kernel == NULL && run->program == NULL && !compares_own_code(run->compare_with);
}

bool lab_may_see_challenge(const struct lab_identity *viewer, const struct lab_challenge_row *challenge)
{
    return viewer->role >= LAB_ROLE_ADMIN || challenge->opens_at <= lab_time_now(); /* LAB_NO_TIME is the least */
}

/* --- the queue ---------------------------------------------------------------------------------------------------- */

void lab_queue_seen(const struct lab_request *request, struct lab_queue_state *state)
{
    const struct lab_identity *viewer = lab_request_identity(request);
    lab_jobs_queue(lab_api_of(request)->jobs, state);
    if (lab_sees_only(viewer) != NULL)
        state->running = 0; /* whose the runs are is not in memory */
    if (viewer->role < LAB_ROLE_VIEWER && state->held[0] != '\0')
        snprintf(state->held, sizeof state->held, "No run can be started now; whoever runs this lab can see why.");
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* Parameters that find runs by what people wrote, so that their answers would tell it. */
static const char *const telling[] = {"tag", "q", NULL};

static bool respond_missing(struct lab_response *response, const char *detail)
{
    lab_respond_header(response, "WWW-Authenticate", "Bearer realm=\"gpulab\"");
    lab_respond_problem(response, LAB_ERROR_MISSING_TOKEN, detail, NULL);
    return true;
}

static bool is_of_runs(const struct lab_request *request)
{
    static const char runs[] = "/api/v1/runs";
    return strncmp(lab_request_route(request)->pattern, runs, sizeof runs - 1) == 0;
}

/* Whether an experiment measures people's own code, so that its points have names that people gave. */
static bool measures_own_code(const char *experiment)
{
    return strcmp(experiment, lab_kernel.name) == 0 || strcmp(experiment, lab_program.name) == 0;
}

/* Refuses a request of an anonymous client whose answer would depend on texts or code of people. Returns true if it
 * has responded. */
static bool refuse_telling(const struct lab_request *request, struct lab_response *response)
{
    const char *experiment = lab_request_query(request, "experiment");
    for (const char *const *each = telling; is_of_runs(request) && *each != NULL; each++)
        if (lab_request_query(request, *each) != NULL)
            return respond_missing(response, "A token is needed to search runs by text or tag.");
    if (experiment != NULL && !is_of_runs(request) && measures_own_code(experiment))
        return respond_missing(response, "A token is needed for results of people's own code.");
    return false;
}

/* A run that may not be seen is answered like one that does not exist. */
static bool admits(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_identity *viewer = lab_request_identity(request);
    const char *id = lab_request_part(request, "id");
    if (viewer->role == LAB_ROLE_ANONYMOUS && refuse_telling(request, response))
        return false;
    if (id == NULL || !is_of_runs(request))
        return true;
    struct lab_run_row *run = NULL;
    enum lab_store_result result = lab_store_get_run(lab_api_of(request)->store, id, &run);
    if (result == LAB_STORE_OK && !lab_may_see(viewer, run))
        result = LAB_STORE_NOT_FOUND;
    free(run);
    if (result != LAB_STORE_OK)
        lab_reply_store_error(request, response, result);
    return result == LAB_STORE_OK;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void withhold_in(const struct lab_schema *row, json_t *value);

/* Gives a member that is withheld its empty value, or removes it. */
static void empty(const struct lab_schema *row, json_t *object)
{
    if (!row->required && !row->nullable)
        json_object_del(object, row->name);
    else if (row->nullable)
        json_object_set_new(object, row->name, json_null());
    else if (row->count != LAB_ONE)
        json_object_set_new(object, row->name, json_array());
    else if (row->type == LAB_TYPE_OBJECT)
        json_object_set_new(object, row->name, json_object());
    else
        json_object_set_new(object, row->name, json_string(""));
}

static void withhold_members(const struct lab_schema *rows, json_t *object)
{
    if (json_is_true(json_object_get(object, "public")) && lab_schema_find(rows, "public") != NULL)
        return;
    for (const struct lab_schema *row = rows; row != NULL && row->name != NULL; row++) {
        json_t *value = json_object_get(object, row->name);
        if (value != NULL && row->withheld)
            empty(row, object);
        else if (value != NULL)
            withhold_in(row, value);
    }
}

static void withhold_in(const struct lab_schema *row, json_t *value)
{
    size_t i;
    json_t *item;
    const char *name;
    const struct lab_schema *component = row->component != NULL ? lab_document_find(row->component) : NULL;
    if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            withhold_in(row, item);
        }
        return;
    }
    if (component != NULL && component != row)
        withhold_in(component, value);
    withhold_members(row->members, value);
    if (row->each != NULL)
        json_object_foreach(value, name, item)
        {
            withhold_in(row->each, item);
        }
}

/* Of what participants may see, nothing is withheld. */
static void withhold(const struct lab_request *request, json_t *body)
{
    if (lab_request_identity(request)->role != LAB_ROLE_ANONYMOUS)
        return;
    const char *schema = lab_request_route(request)->answers[0].schema;
    const struct lab_schema *document = schema != NULL ? lab_document_find(schema) : NULL;
    if (document != NULL)
        withhold_in(document, body);
}

const struct lab_http_guard lab_api_guard = {admits, withhold};
