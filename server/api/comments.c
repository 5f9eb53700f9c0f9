/* Comments on runs and marks in time: GET, POST, and DELETE of one. Both are texts with an author, a mark also with a
 * time and a machine. Their own author may delete them, and admins. */
#include "openapi/schemas.h"
#include "resources.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "jobs/run_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The run that the comments of the request are about; NULL: they are marks. */
static const char *run_of(const struct lab_request *request)
{
    return strstr(lab_request_path(request), "/marks") == NULL ? lab_request_part(request, "id") : NULL;
}

static json_t *comment_json(const struct lab_comment_row *row)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRId64, row->id);
    json_t *comment = json_pack("{s:s, s:o, s:s?, s:s}", "id", id, "created_at", lab_json_time_or_null(row->created_at),
                                "author", row->author, "text", row->text);
    if (row->run == NULL)
        json_object_update_new(comment,
                               json_pack("{s:o, s:s?}", "at", lab_json_time_or_null(row->at), "node", row->node));
    return comment;
}

/* --- listing ------------------------------------------------------------------------------------------------------ */

static void list_add(void *context, const struct lab_comment_row *row)
{
    json_array_append_new(context, comment_json(row));
}

static void list(const struct lab_request *request, struct lab_response *response, const char *name, int64_t since,
                 int64_t until)
{
    json_t *comments = json_array();
    lab_reply_list(
        request, response, name,
        lab_store_list_comments(lab_api_of(request)->store, run_of(request), since, until, list_add, comments),
        comments);
}

void lab_api_list_comments(const struct lab_request *request, struct lab_response *response)
{
    list(request, response, "comments", LAB_NO_TIME, LAB_NO_TIME);
}

void lab_api_list_marks(const struct lab_request *request, struct lab_response *response)
{
    int64_t since = LAB_NO_TIME, until = LAB_NO_TIME;
    lab_request_time(request, "since", &since);
    lab_request_time(request, "until", &until);
    list(request, response, "marks", since, until);
}

/* --- adding ------------------------------------------------------------------------------------------------------- */

/* Whether text and time can be those of a comment. */
static bool check(struct lab_response *response, const struct lab_comment_row *row)
{
    static const int64_t day_us = 24 * 3600 * INT64_C(1000000);
    struct lab_errors errors = {0};
    if (row->text[strspn(row->text, " \t\r\n")] == '\0')
        lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, "/text", "'text' must have more than blanks.");
    if (row->at > row->created_at + day_us)
        lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, "/at", "'at' must not be more than a day in the future.");
    if (errors.count > 0)
        lab_reply_invalid(response, &errors);
    return errors.count == 0;
}

void lab_api_add_comment(const struct lab_request *request, struct lab_response *response)
{
    const json_t *body = lab_request_json(request);
    const char *at = json_string_value(json_object_get(body, "at"));
    struct lab_comment_row row = {.run = run_of(request),
                                  .node = json_string_value(json_object_get(body, "node")),
                                  .created_at = lab_time_now(),
                                  .author = lab_requested_by(request),
                                  .text = lab_text_of(body, "text")};
    if (at == NULL || !lab_time_parse(at, &row.at))
        row.at = row.created_at;
    if (!check(response, &row))
        return;
    enum lab_store_result result = lab_store_add_comment(lab_api_of(request)->store, &row, &row.id);
    if (result == LAB_STORE_OK)
        lab_reply_created(request, response, row.id, comment_json(&row));
    else if (result == LAB_STORE_CONFLICT)
        lab_respond_problem(response, LAB_ERROR_TOO_MANY_COMMENTS, "There are 1000 already; delete some first.", NULL);
    else
        lab_reply_store_error(request, response, result);
}

/* --- deleting ----------------------------------------------------------------------------------------------------- */

void lab_api_delete_comment(const struct lab_request *request, struct lab_response *response)
{
    const char *run = run_of(request);
    lab_reply_deleted(request, response, run != NULL ? "Comment" : "Mark",
                      lab_store_delete_comment(lab_api_of(request)->store, run,
                                               lab_number_of_part(request, run != NULL ? "comment" : "mark"),
                                               lab_only_author(request)));
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

#define COMMENT                                                                                                        \
    {LAB_GIVEN(STRING, "id")}, {LAB_GIVEN(TIME, "created_at"), .component = "Time"},                                   \
        {LAB_GIVEN(STRING, "author"), .nullable = true, .text = "Who wrote it; null: unknown."},                       \
    {                                                                                                                  \
        LAB_GIVEN(STRING, "text")                                                                                      \
    }

static const struct lab_schema comment_members[] = {COMMENT, {0}};
static const struct lab_schema mark_members[] = {
    COMMENT,
    {LAB_GIVEN(TIME, "at"), .component = "Time", .text = "When it happened."},
    {LAB_GIVEN(STRING, "node"), .nullable = true, .text = "The machine that it is about; null: all."},
    {0},
};
static const struct lab_schema comments_members[] = {
    {LAB_GIVEN(OBJECT, "comments"), .count = LAB_LIST, .component = "Comment", .text = "Oldest first."},
    {0},
};
static const struct lab_schema marks_members[] = {
    {LAB_GIVEN(OBJECT, "marks"), .count = LAB_LIST, .component = "Mark", .text = "By the time when it happened."},
    {0},
};

const struct lab_schema lab_comments_documents[] = {
    {.name = "Comments", .type = LAB_TYPE_OBJECT, .members = comments_members},
    {.name = "Comment", .type = LAB_TYPE_OBJECT, .members = comment_members},
    {.name = "Marks", .type = LAB_TYPE_OBJECT, .members = marks_members},
    {.name = "Mark", .type = LAB_TYPE_OBJECT, .members = mark_members},
    {0},
};
