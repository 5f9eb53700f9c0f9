/* The check of a request against the fields of its route, before the route's handler is called. */
#include "json_text.h"
#include "request.h"

#include <microhttpd.h>
#include <stdio.h>

const struct lab_field lab_raw_body[] = {{0}};

/* --- the body as JSON --------------------------------------------------------------------------------------------- */

/* Responds with 400 and one error. Always returns NULL. */
static json_t *refuse(struct lab_response *response, const char *code, const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, code, pointer, "%s", detail);
    lab_respond_problem(
        response, MHD_HTTP_BAD_REQUEST, code,
        "The body must be one JSON object without duplicate keys, nested at most 32 levels deep; see errors.", &errors);
    return NULL;
}

/* The JSON value of the body, a new reference; NULL when it is malformed, and then the response is set. */
static json_t *parse(const char *text, size_t length, struct lab_response *response)
{
    char pointer[LAB_POINTER_MAX] = "", detail[LAB_DETAIL_MAX];
    size_t deep_at;
    json_error_t error;
    if (length == 0)
        return refuse(response, "malformed-json", pointer, "The body is empty.");
    if (lab_json_is_too_deep(text, length, LAB_JSON_DEPTH_MAX, &deep_at)) {
        lab_json_pointer_at(text, length, deep_at, pointer, sizeof pointer);
        return refuse(response, "too-deep", pointer, "Arrays and objects must be nested at most 32 levels deep.");
    }
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (value != NULL)
        return value;
    enum json_error_code code = json_error_code(&error);
    snprintf(detail, sizeof detail, "line %d, column %d: %s", error.line, error.column,
             code == json_error_numeric_overflow
                 ? "too large a number: integers must be below 2^63, others below 1.8e308"
                 : error.text);
    lab_json_pointer_at(text, length, (size_t)error.position, pointer, sizeof pointer);
    return refuse(response, code == json_error_duplicate_key ? "duplicate-key" : "malformed-json", pointer, detail);
}

/* The body as an object, a new reference. NULL when it is not one, and then the response is set. */
static json_t *parse_object(const struct lab_request *request, struct lab_response *response)
{
    size_t length;
    const char *text = lab_request_body(request, &length);
    if (length == 0 && !lab_fields_required(request->route->body))
        return json_object();
    json_t *body = parse(text, length, response);
    if (body == NULL || json_is_object(body))
        return body;
    json_decref(body);
    struct lab_errors errors = {0};
    lab_errors_add(&errors, "wrong-type", "", "The body must be a JSON object.");
    lab_respond_problem(response, MHD_HTTP_UNPROCESSABLE_CONTENT, "wrong-type", NULL, &errors);
    return NULL;
}

/* --- the fields --------------------------------------------------------------------------------------------------- */

static void check_headers(const struct lab_request *request, struct lab_errors *errors)
{
    for (const struct lab_field *field = request->route->headers; field != NULL && field->name != NULL; field++) {
        const char *value = lab_request_header(request, field->name);
        if (value != NULL)
            lab_field_check_header(field, value, errors);
    }
}

void lab_request_handle(struct lab_request *request, struct lab_response *response)
{
    const struct lab_route *route = request->route;
    struct lab_errors errors = {0};
    bool has_body = !lab_request_is_read(request) && route->body != lab_raw_body;
    if (has_body && (request->json = parse_object(request, response)) == NULL)
        return;
    lab_fields_check_query(route->query, request->target.queries, request->target.query_count, &errors);
    check_headers(request, &errors);
    if (has_body)
        lab_fields_check_body(route->body, request->json, &errors);
    if (errors.count == 0) {
        route->handle(request, response);
        return;
    }
    if (route->add_errors != NULL)
        route->add_errors(request, request->json, &errors);
    lab_respond_problem(response, MHD_HTTP_UNPROCESSABLE_CONTENT, "invalid-request",
                        "The request is not valid; see errors.", &errors);
}
