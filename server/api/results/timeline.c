/* GET /api/v1/runs/{id}/timeline: {"spans":[…]}, or only one of them. timeline.trace.json: the same in the Trace Event
 * format, for Perfetto and chrome://tracing. */
#include "openapi/schemas.h"
#include "resources.h"
#include "timeline_trace.h"

#include "core/json_text.h"
#include "core/result_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "descriptor/results.h"

static void add_span(void *context, const struct lab_span_row *row)
{
    json_t **list = context;
    json_t *span = lab_row_to_json(lab_span_row_members, row, NULL);
    json_object_del(span, "axes"); /* they are the last member, and never null */
    json_object_set_new(span, "axes", lab_json_stored_object(row->axes));
    if (json_array_append_new(*list, span) != 0) { /* *list is NULL if memory ran out before */
        json_decref(*list);
        *list = NULL;
    }
}

/* At most `limit` spans of the request's run from number `from` on, in the order of the store; NULL on an error, and
 * then the response is set. */
static json_t *read_spans(const struct lab_request *request, struct lab_response *response, int64_t from, size_t limit)
{
    json_t *list = json_array();
    enum lab_store_result result =
        lab_store_list_spans(lab_api_of(request)->store, lab_request_part(request, "id"), from, limit, add_span, &list);
    if (result == LAB_STORE_OK && list == NULL)
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
    if (result == LAB_STORE_OK)
        return list;
    lab_reply_store_error(request, response, result);
    json_decref(list);
    return NULL;
}

void lab_api_get_timeline(const struct lab_request *request, struct lab_response *response)
{
    const char *position = lab_request_query(request, "position");
    json_t *spans = position != NULL ? read_spans(request, response, strtoll(position, NULL, 10), 1)
                                     : read_spans(request, response, 0, SIZE_MAX);
    if (spans != NULL)
        lab_respond_json(response, 200, json_pack("{s:o}", "spans", spans));
}

void lab_api_get_timeline_trace(const struct lab_request *request, struct lab_response *response)
{
    char disposition[128];
    json_t *spans = read_spans(request, response, 0, SIZE_MAX);
    if (spans == NULL)
        return;
    snprintf(disposition, sizeof disposition, "attachment; filename=\"gpulab-%s.trace.json\"",
             lab_request_part(request, "id")); /* the id of an existing run has no character that needs escaping */
    lab_respond_header(response, "Content-Disposition", disposition);
    lab_respond_json(response, 200, lab_timeline_trace(spans));
    json_decref(spans);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema timeline_members[] = {
    {LAB_GIVEN(OBJECT, "spans"), .count = LAB_LIST, .component = "Span"},
    {0},
};

const struct lab_schema lab_timeline_documents[] = {
    {.name = "Span", .type = LAB_TYPE_OBJECT, .members = lab_span_members},
    {.name = "Timeline", .type = LAB_TYPE_OBJECT, .members = timeline_members},
    {0},
};
