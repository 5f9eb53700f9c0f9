/* What a handler reads from a request. */
#include "connection.h"
#include "server.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lab_request_reject(struct lab_request *request, int status, bool close, const char *code, const char *format, ...)
{
    char detail[LAB_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    request->rejection.status = status;
    request->rejection.close = close;
    return lab_error_set(&request->rejection.error, code, "", "%s", detail);
}

bool lab_request_is_read(const struct lab_request *request)
{
    return request->head || strcmp(request->method, "GET") == 0;
}

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
    bool valid = true;
    for (size_t i = 0; i < request->target.query_count; i++) {
        const char *name = queries[i].name;
        bool known = is_listed(allowed, name), repeated = false;
        for (size_t earlier = 0; earlier < i; earlier++)
            repeated = repeated || strcmp(queries[earlier].name, name) == 0;
        if (known && !repeated)
            continue;
        char pointer[LAB_POINTER_MAX] = "/query";
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        valid = lab_errors_add(
            errors, known ? "repeated-parameter" : "unknown-parameter", pointer,
            known ? "The query parameter '%s' must be given only once." : "Unknown query parameter '%s'.", name);
    }
    return valid;
}

const char *lab_request_header(const struct lab_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection->mhd, MHD_HEADER_KIND, name);
}

const char *lab_request_path(const struct lab_request *request)
{
    return request->target.path;
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

bool lab_request_has_etag(const struct lab_request *request, const char *tag)
{
    const char *list = request->headers[LAB_HEADER_IF_NONE_MATCH];
    size_t length = strlen(tag);
    if (list == NULL)
        return false;
    if (strcmp(list, "*") == 0)
        return true;
    for (const char *quote = strchr(list, '"'); quote != NULL; quote = strchr(quote, '"')) {
        const char *end = strchr(++quote, '"');
        if (end == NULL)
            return false;
        if ((size_t)(end - quote) == length && memcmp(quote, tag, length) == 0)
            return true;
        quote = end + 1;
    }
    return false;
}
