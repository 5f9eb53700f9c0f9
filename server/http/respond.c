/* Sets the body of a response (JSON, text, from the cache), and gives the response to libmicrohttpd. */
#include "cache.h"
#include "connection.h"
#include "response.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- bodies ------------------------------------------------------------------------------------------------------- */

void lab_respond_json(struct lab_response *response, int status, json_t *body)
{
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(body);
    if (text != NULL)
        lab_response_set(response, status, "application/json", text, strlen(text));
    else
        lab_respond_problem(response, MHD_HTTP_INTERNAL_SERVER_ERROR, "out-of-memory", NULL, NULL);
}

void lab_respond_text(struct lab_response *response, int status, const char *content_type, const char *text,
                      size_t length)
{
    char *copy = malloc(length > 0 ? length : 1);
    if (copy == NULL) {
        lab_respond_problem(response, MHD_HTTP_INTERNAL_SERVER_ERROR, "out-of-memory", NULL, NULL);
        return;
    }
    memcpy(copy, text, length);
    lab_response_set(response, status, content_type, copy, length);
}

bool lab_respond_from_cache(const struct lab_request *request, struct lab_response *response, const char *tag)
{
    bool matches = lab_request_has_etag(request, tag);
    response->cached = lab_cache_get(request->connection->http->cache, request->target.text, tag);
    if (response->cached == NULL && !matches)
        return false;
    if (response->cached == NULL)
        lab_respond_etag(response, tag);
    response->status = matches ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK;
    return true;
}

void lab_respond_cached(struct lab_response *response, const char *tag, json_t *body)
{
    lab_respond_json(response, MHD_HTTP_OK, body);
    if (response->status != MHD_HTTP_OK)
        return;
    snprintf(response->tag, sizeof response->tag, "%s", tag);
    lab_respond_etag(response, tag);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* Turns a 200 whose ETag the client already has into a 304. */
static void check_etag(const struct lab_request *request, struct lab_response *response)
{
    const char *etag = lab_response_header(response, MHD_HTTP_HEADER_ETAG);
    if (etag == NULL || !lab_request_is_read(request) || response->status != MHD_HTTP_OK || etag[0] != '"')
        return;
    char tag[128];
    snprintf(tag, sizeof tag, "%.*s", (int)strcspn(etag + 1, "\""), etag + 1);
    if (lab_request_has_etag(request, tag))
        response->status = MHD_HTTP_NOT_MODIFIED;
}

/* Makes libmicrohttpd's response, which takes over the body. NULL when out of memory. */
static struct MHD_Response *make(struct lab_response *response)
{
    struct MHD_Response *made =
        response->body != NULL
            ? MHD_create_response_from_buffer(response->length, response->body, MHD_RESPMEM_MUST_FREE)
            : MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    if (made == NULL)
        return NULL;
    response->body = NULL;
    if (response->content_type != NULL)
        MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE, response->content_type);
    if (lab_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL) == NULL)
        MHD_add_response_header(made, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    MHD_add_response_header(made, "X-Content-Type-Options", "nosniff");
    for (size_t i = 0; i < response->header_count; i++)
        MHD_add_response_header(made, response->headers[i].name, response->headers[i].value);
    return made;
}

static enum MHD_Result queue(struct lab_request *request, const struct lab_response *response,
                             struct MHD_Response *made, size_t length)
{
    struct lab_http *http = request->connection->http;
    if (!request->head && response->status != MHD_HTTP_NOT_MODIFIED)
        atomic_fetch_add_explicit(&http->bytes_sent, length, memory_order_relaxed);
    return MHD_queue_response(request->connection->mhd, (unsigned)response->status, made);
}

enum MHD_Result lab_response_send(struct lab_request *request, struct lab_response *response)
{
    if (response->status == 0)
        lab_respond_problem(response, MHD_HTTP_INTERNAL_SERVER_ERROR, "no-answer", NULL, NULL);
    if (response->cached != NULL)
        return queue(request, response, lab_cached_response(response->cached), lab_cached_size(response->cached));
    if (response->shared != NULL)
        return queue(request, response, response->shared, response->length);
    if (response->stream != NULL)
        return queue(request, response, response->stream, 0);
    check_etag(request, response);
    size_t length = response->length;
    struct MHD_Response *made = make(response);
    if (made == NULL)
        return MHD_NO;
    if (response->tag[0] != '\0') {
        response->cached =
            lab_cache_put(request->connection->http->cache, request->target.text, response->tag, made, length);
        return response->cached != NULL ? queue(request, response, made, length) : MHD_NO;
    }
    enum MHD_Result result = queue(request, response, made, length);
    MHD_destroy_response(made);
    return result;
}
