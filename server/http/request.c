/* What a handler may ask of a request. */
#include "internal.h"

#include "core/text.h"

#include <string.h>

const char *lab_request_part(const struct lab_request *request, const char *name)
{
    for (size_t i = 0; i < request->part_count; i++) {
        const struct lab_part *part = &request->parts[i];
        if (strlen(name) == part->name_length && memcmp(name, part->name, part->name_length) == 0)
            return part->value;
    }
    return NULL;
}

const char *lab_request_query(const struct lab_request *request, const char *name)
{
    for (size_t i = 0; i < request->target.query_count; i++)
        if (strcmp(request->target.queries[i].name, name) == 0)
            return request->target.queries[i].value;
    return NULL;
}

static bool is_listed(const char *const *list, const char *name)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

bool lab_request_check_query(const struct lab_request *request, const char *const *allowed, struct lab_errors *errors)
{
    const struct lab_query *queries = request->target.queries;
    bool right = true;
    for (size_t i = 0; i < request->target.query_count; i++) {
        const char *name = queries[i].name;
        bool known = is_listed(allowed, name), repeated = false;
        for (size_t earlier = 0; earlier < i; earlier++)
            repeated = repeated || strcmp(queries[earlier].name, name) == 0;
        if (known && !repeated)
            continue;
        char pointer[LAB_POINTER_MAX] = "/query";
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        right =
            lab_errors_add(errors, known ? "repeated-parameter" : "unknown-parameter", pointer,
                           known ? "'%s' is given more than once." : "There is no query parameter '%s' here.", name);
    }
    return right;
}

const char *lab_request_header(const struct lab_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection->mhd, MHD_HEADER_KIND, name);
}

const char *lab_request_path(const struct lab_request *request)
{
    return request->target.path;
}

const char *lab_request_method(const struct lab_request *request)
{
    return request->method;
}

const char *lab_request_body(const struct lab_request *request, size_t *length)
{
    *length = request->body_length;
    return request->body != NULL ? request->body : "";
}

void *lab_request_context(const struct lab_request *request)
{
    return request->connection->http->context;
}

/* 400 with where and why. */
static void refuse_json(struct lab_response *response, const char *code, const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, code, pointer, "%s", detail);
    lab_respond_problem(response, MHD_HTTP_BAD_REQUEST, code, "The body is not JSON that the lab takes.", &errors);
}

json_t *lab_request_json(const struct lab_request *request, struct lab_response *response, bool optional)
{
    size_t length;
    const char *text = lab_request_body(request, &length);
    if (length == 0 && optional)
        return json_object();
    char pointer[LAB_POINTER_MAX] = "";
    size_t deep_at;
    if (lab_json_is_too_deep(text, length, LAB_JSON_DEPTH_MAX, &deep_at)) {
        lab_json_pointer_at(text, length, deep_at, pointer, sizeof pointer);
        refuse_json(response, "too-deep", pointer, "Arrays and objects may be nested 32 deep.");
        return NULL;
    }
    json_error_t error;
    json_t *body = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (body == NULL) {
        bool duplicate = json_error_code(&error) == json_error_duplicate_key;
        char detail[LAB_DETAIL_MAX];
        snprintf(detail, sizeof detail, "line %d, column %d: %s", error.line, error.column, error.text);
        lab_json_pointer_at(text, length, (size_t)error.position, pointer, sizeof pointer);
        refuse_json(response, duplicate ? "duplicate-key" : "malformed-json", pointer, detail);
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
