/* The check of a request against the fields of its route, before the route's handler is called. */
#include "field.h"
#include "work.h"

#include "core/json_text.h"

#include <microhttpd.h>
#include <stdio.h>

const struct lab_schema lab_raw_body[] = {{0}};

/* --- the body as JSON --------------------------------------------------------------------------------------------- */

/* Responds with 400 and one error. Always returns NULL. */
static json_t *refuse(struct lab_response *response, enum lab_error_code code, const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, code, pointer, "%s", detail);
    lab_respond_problem(
        response, code,
        "The body must be one JSON object without duplicate keys, nested at most 32 levels deep; see errors.", &errors);
    return NULL;
}

/* The JSON value of the body, a new reference; NULL when it is malformed, and then the response is set. */
static json_t *parse(const char *text, size_t length, struct lab_response *response)
{
    char pointer[LAB_POINTER_MAX] = "", detail[LAB_DETAIL_MAX];
    struct lab_json_fault fault;
    if (length == 0)
        return refuse(response, LAB_ERROR_MALFORMED_JSON, pointer, "The body is empty.");
    json_t *value = lab_json_parse(text, length, &fault);
    if (value != NULL)
        return value;
    snprintf(detail, sizeof detail, "line %d, column %d: %s", fault.line, fault.column, fault.text);
    lab_json_pointer_at(text, length, fault.offset, pointer, sizeof pointer);
    return refuse(response, fault.code, pointer, detail);
}

/* The body as an object, a new reference. NULL when it is not one, and then the response is set. */
static json_t *parse_object(const struct lab_request *request, struct lab_response *response)
{
    size_t length;
    const char *text = lab_request_body(request, &length);
    if (length == 0 && !lab_schema_has_required(request->route->body))
        return json_object();
    json_t *body = parse(text, length, response);
    if (body == NULL || json_is_object(body))
        return body;
    json_decref(body);
    struct lab_errors errors = {0};
    lab_errors_add(&errors, LAB_ERROR_WRONG_TYPE, "", "The body must be a JSON object.");
    lab_respond_problem(response, LAB_ERROR_WRONG_TYPE, NULL, &errors);
    return NULL;
}

/* --- the fields --------------------------------------------------------------------------------------------------- */

static void check_headers(const struct lab_request *request, struct lab_errors *errors)
{
    for (const struct lab_schema *field = request->route->headers; field != NULL && field->name != NULL; field++) {
        const char *value = lab_request_header(request, field->name);
        if (value != NULL)
            lab_header_check(field, value, errors);
    }
}

bool lab_request_check(struct lab_request *request, struct lab_response *response)
{
    const struct lab_route *route = request->route;
    struct lab_errors errors = {0};
    bool has_body = !lab_request_is_read(request) && route->body != lab_raw_body;
    if (has_body && (request->json = parse_object(request, response)) == NULL)
        return false;
    lab_query_check(route->query, request->target.queries, request->target.query_count, &errors);
    check_headers(request, &errors);
    if (has_body)
        lab_schema_check_members(route->body, request->json, "", &errors);
    if (errors.count == 0)
        return true;
    if (route->add_errors != NULL)
        route->add_errors(request, request->json, &errors);
    lab_respond_problem(response, LAB_ERROR_INVALID_REQUEST, "The request is not valid; see errors.", &errors);
    return false;
}
