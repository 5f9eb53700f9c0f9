/* The body of a request as JSON. */
#include "json_text.h"
#include "request.h"

#include <microhttpd.h>
#include <stdio.h>

/* Responds with 400 and one error. */
static void respond_malformed(struct lab_response *response, const char *code, const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, code, pointer, "%s", detail);
    lab_respond_problem(response, MHD_HTTP_BAD_REQUEST, code,
                        "The body must be one JSON object without duplicate keys, nested at most 32 levels deep.",
                        &errors);
}

json_t *lab_request_json(const struct lab_request *request, struct lab_response *response, bool optional)
{
    size_t length;
    const char *text = lab_request_body(request, &length);
    if (length == 0 && optional)
        return json_object();
    char pointer[LAB_POINTER_MAX] = "";
    if (length == 0) {
        respond_malformed(response, "malformed-json", pointer, "The body is empty.");
        return NULL;
    }
    size_t deep_at;
    if (lab_json_is_too_deep(text, length, LAB_JSON_DEPTH_MAX, &deep_at)) {
        lab_json_pointer_at(text, length, deep_at, pointer, sizeof pointer);
        respond_malformed(response, "too-deep", pointer, "Arrays and objects must be nested at most 32 levels deep.");
        return NULL;
    }
    json_error_t error;
    json_t *body = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (body == NULL) {
        bool duplicate = json_error_code(&error) == json_error_duplicate_key;
        char detail[LAB_DETAIL_MAX];
        snprintf(detail, sizeof detail, "line %d, column %d: %s", error.line, error.column, error.text);
        lab_json_pointer_at(text, length, (size_t)error.position, pointer, sizeof pointer);
        respond_malformed(response, duplicate ? "duplicate-key" : "malformed-json", pointer, detail);
        return NULL;
    }
    if (json_is_object(body))
        return body;
    json_decref(body);
    struct lab_errors errors = {0};
    lab_errors_add(&errors, "wrong-type", "", "The body must be a JSON object.");
    lab_respond_problem(response, MHD_HTTP_UNPROCESSABLE_CONTENT, "wrong-type", NULL, &errors);
    return NULL;
}
