/* What a handler reads from a request. */
#include "connection.h"

#include "core/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lab_request_reject(struct lab_request *request, bool close, enum lab_error_code code, const char *format, ...)
{
    char detail[LAB_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    request->rejection.close = close;
    request->rejection.challenge = NULL;
    request->rejection.retry_after_s = lab_error_status(code) == MHD_HTTP_SERVICE_UNAVAILABLE ? 1 : 0;
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
    const struct lab_schema *field =
        request->route != NULL ? lab_schema_find(request->route->query, name) : NULL; /* a page has no fallbacks */
    return field != NULL ? field->fallback : NULL;
}

int64_t lab_request_integer(const struct lab_request *request, const char *name)
{
    return strtoll(lab_request_query(request, name), NULL, 10);
}

double lab_request_number(const struct lab_request *request, const char *name)
{
    return strtod(lab_request_query(request, name), NULL);
}

bool lab_request_flag(const struct lab_request *request, const char *name)
{
    const char *text = lab_request_query(request, name);
    return text != NULL && strcmp(text, "true") == 0;
}

bool lab_request_time(const struct lab_request *request, const char *name, int64_t *at)
{
    const char *text = lab_request_query(request, name);
    return text != NULL && lab_time_parse(text, at);
}

const char *lab_request_header(const struct lab_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection->mhd, MHD_HEADER_KIND, name);
}

const char *lab_request_cookie(const struct lab_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection->mhd, MHD_COOKIE_KIND, name);
}

const char *lab_request_path(const struct lab_request *request)
{
    return request->target.path;
}

const char *lab_request_body(const struct lab_request *request, size_t *length)
{
    *length = request->body.length;
    return request->body.bytes != NULL ? request->body.bytes : "";
}

const json_t *lab_request_json(const struct lab_request *request)
{
    return request->json;
}

const struct lab_http_guard *lab_request_guard(const struct lab_request *request)
{
    return request->identity.role < LAB_ROLE_ADMIN ? request->connection->http->guard : NULL;
}

const char *lab_request_base_path(const struct lab_request *request)
{
    return request->connection->http->base_path;
}

const struct lab_route *lab_request_route(const struct lab_request *request)
{
    return request->route;
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

const struct lab_identity *lab_request_identity(const struct lab_request *request)
{
    return &request->identity;
}

void lab_respond_signed_in(struct lab_response *response, const struct lab_identity *identity)
{
    response->request->identity = *identity;
}

const char *lab_request_address(const struct lab_request *request)
{
    return request->connection->peer.address;
}

/* A proxy that terminates TLS passes the page's origin on. */
bool lab_request_is_encrypted(const struct lab_request *request)
{
    const char *origin = request->headers[LAB_HEADER_ORIGIN];
    return lab_connection_tls(request->connection) != NULL || (origin != NULL && strncmp(origin, "https://", 8) == 0);
}

bool lab_request_is_spooled(const struct lab_request *request)
{
    return request->route != NULL && request->route->body_max > 0;
}

bool lab_request_waits(const struct lab_request *request)
{
    const char *wait = lab_request_query(request, "wait");
    return wait != NULL && strcmp(wait, "0") != 0;
}
