/* PATCH and DELETE of a run. A change names the revision that it is based on, so that nobody's change is lost. */
#include "resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- If-Match ----------------------------------------------------------------------------------------------------- */

enum match { MATCH, NO_MATCH, MALFORMED };

/* Whether If-Match ("*", or a list of entity tags) has the revision. A weak tag (W/"3") never matches (RFC 9110,
 * 13.1.1). */
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

/* --- PATCH -------------------------------------------------------------------------------------------------------- */

/* Why a change is refused. */
enum refusal { NO_REFUSAL, NO_IF_MATCH, BAD_IF_MATCH, OTHER_REVISION, PIN_OF_LIVE };

/* What a change is based on, and the revision that the run has. */
struct condition {
    const char *if_match; /* NULL: the header is missing */
    bool pins;
    enum refusal refusal;
    int64_t revision;
};

static enum refusal check_if_match(const char *if_match, int64_t revision)
{
    if (if_match == NULL)
        return NO_IF_MATCH;
    enum match match = match_revision(if_match, revision);
    return match == MALFORMED ? BAD_IF_MATCH : match == NO_MATCH ? OTHER_REVISION : NO_REFUSAL;
}

static bool change_allows(void *context, int64_t revision, enum lab_status status)
{
    struct condition *condition = context;
    condition->revision = revision;
    condition->refusal = check_if_match(condition->if_match, revision);
    if (condition->refusal == NO_REFUSAL && condition->pins && lab_status_live(status))
        condition->refusal = PIN_OF_LIVE;
    return condition->refusal == NO_REFUSAL;
}

static void respond_refusal(struct lab_response *response, const struct condition *condition)
{
    char detail[LAB_DETAIL_MAX];
    struct lab_errors errors = {0};
    switch (condition->refusal) {
    case NO_IF_MATCH:
        lab_respond_problem(response, LAB_ERROR_PRECONDITION_REQUIRED,
                            "The header If-Match is missing; it must be the run's revision in quotes, or *.", NULL);
        return;
    case BAD_IF_MATCH:
        lab_errors_add(&errors, LAB_ERROR_WRONG_TYPE, "/headers/If-Match",
                       "'If-Match' must be the run's revision in quotes, such as \"3\", or *.");
        lab_reply_invalid(response, &errors);
        return;
    case PIN_OF_LIVE:
        lab_respond_problem(response, LAB_ERROR_RUN_IS_LIVE,
                            "The run is queued or running; it can be pinned when it has finished.", NULL);
        return;
    default:
        snprintf(detail, sizeof detail,
                 "The run was changed: its revision is %" PRId64 ", which If-Match does not have. Read it again.",
                 condition->revision);
        lab_respond_problem(response, LAB_ERROR_REVISION_MISMATCH, detail, NULL);
        return;
    }
}

void lab_api_change_run(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    const char *id = lab_request_part(request, "id");
    const json_t *body = lab_request_json(request), *tags = json_object_get(body, "tags"),
                 *pinned = json_object_get(body, "pinned"), *public = json_object_get(body, "public");
    bool pin = json_is_true(pinned), open = json_is_true(public);
    char *tags_text = tags != NULL ? json_dumps(tags, JSON_COMPACT) : NULL;
    struct condition condition = {.if_match = lab_request_header(request, "If-Match"), .pins = pin};
    const struct lab_run_patch patch = {.tags = tags_text,
                                        .note = json_string_value(json_object_get(body, "note")),
                                        .pinned = pinned != NULL ? &pin : NULL,
                                        .public = public != NULL ? &open : NULL,
                                        .allows = change_allows,
                                        .context = &condition};
    struct lab_run_row *written = NULL;
    enum lab_store_result result;
    if (lab_refuse_run_of_another(request, response, id)) {
        free(tags_text);
        return;
    }
    result = tags != NULL && tags_text == NULL ? lab_store_no_memory()
                                               : lab_store_patch_run(api->store, id, &patch, &written);
    if (result == LAB_STORE_OK) {
        lab_jobs_publish_run(api->jobs, written);
        lab_reply_run_row(request, response, 200, written);
    } else if (result == LAB_STORE_CONFLICT) {
        respond_refusal(response, &condition);
    } else {
        lab_reply_store_error(request, response, result);
    }
    free(written);
    free(tags_text);
}

/* --- DELETE ------------------------------------------------------------------------------------------------------- */

/* Why a run is not deleted. */
static void respond_kept(struct lab_response *response, bool pinned)
{
    if (pinned)
        lab_respond_problem(response, LAB_ERROR_RUN_IS_PINNED, "The run is pinned; unpin it before deleting it.", NULL);
    else
        lab_respond_problem(response, LAB_ERROR_RUN_IS_LIVE,
                            "The run is queued or running; cancel it before deleting it.", NULL);
}

void lab_api_delete_run(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_api *api = lab_api_of(request);
    const char *id = lab_request_part(request, "id");
    struct lab_run_row *kept = NULL;
    if (lab_refuse_run_of_another(request, response, id))
        return;
    enum lab_store_result result = lab_jobs_delete(api->jobs, id);
    if (result == LAB_STORE_CONFLICT && lab_store_get_run(api->store, id, &kept) == LAB_STORE_NOT_FOUND)
        result = LAB_STORE_NOT_FOUND; /* deleted by another request meanwhile */
    if (result == LAB_STORE_OK)
        lab_respond_empty(response, 204);
    else if (result == LAB_STORE_CONFLICT)
        respond_kept(response, kept != NULL && kept->pinned);
    else
        lab_reply_store_error(request, response, result);
    free(kept);
}
