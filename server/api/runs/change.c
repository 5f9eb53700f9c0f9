/* PATCH and DELETE of a run. A change names the revision that it is based on, so that nobody's change is lost. */
#include "resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run must be like for the change; read before it. */
struct current {
    int64_t revision;
    enum lab_status status;
    bool pinned;
};

static void read_current(void *context, const struct lab_run_row *row)
{
    *(struct current *)context = (struct current){row->revision, row->status, row->pinned};
}

/* --- If-Match ----------------------------------------------------------------------------------------------------- */

enum match { MATCH, NO_MATCH, MALFORMED };

/* Whether If-Match ("*", or a list of entity tags) has the revision. A weak tag (W/"3") never matches (RFC 9110, 13.1.1). */
static enum match match_revision(const char *text, int64_t revision)
{
    char wanted[24];
    enum match result = NO_MATCH;
    int wanted_length = snprintf(wanted, sizeof wanted, "%" PRId64, revision);
    if (strcmp(text, "*") == 0)
        return MATCH;
    for (;;) {
        text += strspn(text, " \t");
        bool weak = strncmp(text, "W/", 2) == 0;
        text += weak ? 2 : 0;
        if (*text++ != '"')
            return MALFORMED;
        size_t length = strcspn(text, "\"");
        if (text[length] == '\0')
            return MALFORMED;
        if (!weak && length == (size_t)wanted_length && memcmp(text, wanted, length) == 0)
            result = MATCH;
        text += length + 1;
        text += strspn(text, " \t");
        if (*text == '\0')
            return result;
        if (*text++ != ',')
            return MALFORMED;
    }
}

static void respond_mismatch(struct lab_response *response, int64_t revision)
{
    char detail[LAB_DETAIL_MAX];
    snprintf(detail, sizeof detail,
             "The run was changed: its revision is %" PRId64 ", which If-Match does not have. Read it again.",
             revision);
    lab_respond_problem(response, LAB_ERROR_REVISION_MISMATCH, detail, NULL);
}

static void respond_malformed(struct lab_response *response)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, LAB_ERROR_WRONG_TYPE, "/headers/If-Match",
                   "'If-Match' must be the run's revision in quotes, such as \"3\", or *.");
    lab_reply_invalid(response, &errors);
}

/* Checks If-Match against the run's revision. False when the change is refused; the response is then set. */
static bool check_revision(const struct lab_request *request, struct lab_response *response, int64_t revision)
{
    const char *text = lab_request_header(request, "If-Match");
    if (text == NULL) {
        lab_respond_problem(response, LAB_ERROR_PRECONDITION_REQUIRED,
                            "The header If-Match is missing; it must be the run's revision in quotes, or *.", NULL);
        return false;
    }
    enum match match = match_revision(text, revision);
    if (match == NO_MATCH)
        respond_mismatch(response, revision);
    else if (match == MALFORMED)
        respond_malformed(response);
    return match == MATCH;
}

/* --- PATCH -------------------------------------------------------------------------------------------------------- */

static enum lab_store_result change(const struct lab_request *request, int64_t revision)
{
    const struct lab_api *api = lab_api_of(request);
    const json_t *body = lab_request_json(request), *tags = json_object_get(body, "tags"),
                 *pinned = json_object_get(body, "pinned");
    const char *id = lab_request_part(request, "id");
    bool pin = json_is_true(pinned), any = strcmp(lab_request_header(request, "If-Match"), "*") == 0;
    char *tags_text = tags != NULL ? json_dumps(tags, JSON_COMPACT) : NULL;
    if (tags != NULL && tags_text == NULL)
        return LAB_STORE_FAILED;
    const struct lab_run_patch patch = {.tags = tags_text,
                                        .note = json_string_value(json_object_get(body, "note")),
                                        .pinned = pinned != NULL ? &pin : NULL,
                                        .revision = any ? 0 : revision};
    enum lab_store_result result = lab_store_patch_run(api->store, id, &patch);
    free(tags_text);
    if (result == LAB_STORE_OK)
        lab_jobs_publish_run(api->jobs, id);
    return result;
}

void lab_api_change_run(const struct lab_request *request, struct lab_response *response)
{
    const char *id = lab_request_part(request, "id");
    struct current current;
    enum lab_store_result result = lab_store_get_run(lab_api_of(request)->store, id, read_current, &current);
    if (result != LAB_STORE_OK) {
        lab_reply_store_error(request, response, result);
        return;
    }
    if (!check_revision(request, response, current.revision))
        return;
    if (json_is_true(json_object_get(lab_request_json(request), "pinned")) && lab_status_live(current.status)) {
        lab_respond_problem(response, LAB_ERROR_RUN_IS_LIVE,
                            "The run is queued or running; it can be pinned when it has finished.", NULL);
        return;
    }
    result = change(request, current.revision);
    if (result == LAB_STORE_OK)
        lab_reply_run(request, response, 200, id);
    else if (result == LAB_STORE_CONFLICT) /* it was changed after it was read */
        lab_respond_problem(response, LAB_ERROR_REVISION_MISMATCH, "The run was changed meanwhile. Read it again.",
                            NULL);
    else
        lab_reply_store_error(request, response, result);
}

/* --- DELETE ------------------------------------------------------------------------------------------------------- */

struct ownership {
    const char *person; /* may be NULL */
    bool own;           /* the run was requested by this person */
};

static void compare_person(void *context, const struct lab_run_row *row)
{
    struct ownership *ownership = context;
    ownership->own =
        ownership->person != NULL && row->requested_by != NULL && strcmp(ownership->person, row->requested_by) == 0;
}

/* Runs of others are for admins. A run that cannot be read is left to the deletion, which says why. */
static bool may_delete(const struct lab_request *request, const char *id)
{
    struct ownership ownership = {.person = lab_requested_by(request)};
    return lab_request_identity(request)->role >= LAB_ROLE_ADMIN ||
           lab_store_get_run(lab_api_of(request)->store, id, compare_person, &ownership) != LAB_STORE_OK ||
           ownership.own;
}

void lab_api_delete_run(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    const char *id = lab_request_part(request, "id");
    struct current current = {0};
    if (!may_delete(request, id)) {
        lab_respond_problem(response, LAB_ERROR_RUN_OF_ANOTHER, "Only an admin deletes runs that others requested.",
                            NULL);
        return;
    }
    enum lab_store_result result = lab_jobs_delete(api->jobs, id);
    if (result == LAB_STORE_OK)
        lab_respond_empty(response, 204);
    else if (result != LAB_STORE_CONFLICT)
        lab_reply_store_error(request, response, result);
    else if (lab_store_get_run(api->store, id, read_current, &current) == LAB_STORE_OK && current.pinned)
        lab_respond_problem(response, LAB_ERROR_RUN_IS_PINNED, "The run is pinned; unpin it before deleting it.", NULL);
    else
        lab_respond_problem(response, LAB_ERROR_RUN_IS_LIVE,
                            "The run is queued or running; cancel it before deleting it.", NULL);
}
