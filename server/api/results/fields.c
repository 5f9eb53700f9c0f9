/* GET /api/v1/runs/{id}/fields: {"fields":[…]}. GET /api/v1/runs/{id}/fields/{name}: one of them as a file of NumPy. */
#include "openapi/schemas.h"
#include "resources.h"

#include "core/base64.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/numpy.h"
#include "descriptor/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- one field ---------------------------------------------------------------------------------------------------- */

struct search {
    const char *name;
    json_t *found; /* the first field of that name */
};

static void take_named(void *context, const char *content)
{
    struct search *search = context;
    json_t *field = search->found == NULL ? lab_json_stored(content) : NULL;
    if (field != NULL && strcmp(lab_text_of(field, "name"), search->name) == 0)
        search->found = json_incref(field);
    json_decref(field);
}

/* The field as a file, which the caller frees; NULL with *error set when the field is damaged, or when out of
 * memory. */
static unsigned char *file_of(const json_t *field, size_t *size, struct lab_error *error)
{
    const json_t *values = json_object_get(field, "values");
    const char *type = json_string_value(json_object_get(field, "element_type"));
    size_t rows = (size_t)lab_integer_of(field, "rows", 0), columns = (size_t)lab_integer_of(field, "columns", 0);
    unsigned char *elements = NULL, *file = NULL;
    size_t found = 0;
    if (lab_base64_decode(json_string_value(values), json_string_length(values), &elements, &found))
        file = lab_numpy_write(type, rows, columns, elements, found, size, error);
    else
        lab_error_set(error, LAB_ERROR_NO_ANSWER, "", "has values that are not Base64");
    free(elements);
    return file;
}

static void respond_damaged(struct lab_response *response, const char *name, const struct lab_error *error)
{
    char detail[LAB_DETAIL_MAX];
    snprintf(detail, sizeof detail, "The field '%.64s' %.220s.", name, error->detail);
    if (error->code == LAB_ERROR_OUT_OF_MEMORY)
        lab_respond_problem(response, error->code, NULL, NULL);
    else
        lab_respond_problem(response, LAB_ERROR_NO_ANSWER, detail, NULL);
}

void lab_api_get_field(const struct lab_request *request, struct lab_response *response)
{
    struct search search = {.name = lab_request_part(request, "name")};
    enum lab_store_result result = lab_store_list_fields(lab_api_of(request)->store, lab_request_part(request, "id"), 0,
                                                         SIZE_MAX, take_named, &search);
    size_t size = 0;
    struct lab_error error = {0};
    unsigned char *file = search.found != NULL ? file_of(search.found, &size, &error) : NULL;
    if (result != LAB_STORE_OK)
        lab_reply_store_error(request, response, result);
    else if (search.found == NULL)
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "The run has no field of this name.", NULL);
    else if (file == NULL)
        respond_damaged(response, search.name, &error);
    else
        lab_respond_text(response, 200, "application/octet-stream", (const char *)file, size);
    free(file);
    json_decref(search.found);
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
