/* GET /api/v1/runs/{id}/fields: {"fields":[…]}. */
#include "openapi/schemas.h"
#include "resources.h"

#include "core/json_text.h"

#include "descriptor/results.h"

static void add_field(void *context, const char *content)
{
    json_t *list = context, *field = lab_json_stored(content);
    if (field != NULL)
        json_array_append_new(list, field);
}

void lab_api_get_fields(const struct lab_request *request, struct lab_response *response)
{
    json_t *list = json_array();
    enum lab_store_result result = lab_store_list_fields(lab_api_of(request)->store, lab_request_part(request, "id"), 0,
                                                         SIZE_MAX, add_field, list);
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200, json_pack("{s:O}", "fields", list));
    else
        lab_reply_store_error(request, response, result);
    json_decref(list);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema fields_members[] = {
    {LAB_GIVEN(OBJECT, "fields"), .count = LAB_LIST, .component = "Field"},
    {0},
};

const struct lab_schema lab_fields_documents[] = {
    {.name = "Field",
     .type = LAB_TYPE_OBJECT,
     .members = lab_field_members,
     .text = "Values on a rectangle, such as the solution of an equation."},
    {.name = "Fields", .type = LAB_TYPE_OBJECT, .members = fields_members},
    {0},
};
