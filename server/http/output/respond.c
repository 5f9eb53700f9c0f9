/* Sets the body of a response (JSON, text); compresses it; makes libmicrohttpd's response, with the entity tag, and
 * sends it. */
#include "output.h"

#include "body_stream.h"
#include "cache.h"
#include "compress.h"

#include "http/connection/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- bodies ------------------------------------------------------------------------------------------------------- */

void lab_respond_json(struct lab_response *response, int status, json_t *body)
{
    const struct lab_http_guard *guard = lab_request_guard(response->request);
    if (guard != NULL && status == MHD_HTTP_OK)
        guard->withhold(response->request, body);
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(body);
    if (text != NULL)
        lab_response_set(response, status, "application/json", text, strlen(text));
    else
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
}

void lab_respond_text(struct lab_response *response, int status, const char *content_type, const char *text,
                      size_t length)
{
    char *copy = malloc(length > 0 ? length : 1);
    if (copy == NULL) {
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
        return;
    }
    memcpy(copy, text, length);
    lab_response_set(response, status, content_type, copy, length);
}

/* --- compressing -------------------------------------------------------------------------------------------------- */

enum { COMPRESSED_MIN = 1024 }; /* bytes of a body; a smaller one fits into one packet */

static bool accepts_gzip(const struct lab_request *request)
{
    return lab_accepts_gzip(request->headers[LAB_HEADER_ACCEPT_ENCODING]);
}

/* Whether clients get the body of a GET compressed if they accept that: JSON and text that is in memory. A body that is
 * produced while it is sent stays as it is, because a compressor takes more memory than the pieces of the body, and
 * time of the threads that read for all clients. */
static bool is_compressible(const struct lab_response *response)
{
    const char *type = response->content_type;
    return response->body != NULL && type != NULL &&
           (strcmp(type, "application/json") == 0 || strncmp(type, "text/", 5) == 0);
}

/* Compresses the body if that is allowed and makes it smaller. The entity tag of this form is another one. */
static void compress_body(struct lab_response *response)
{
    size_t length;
    lab_respond_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    if (response->length < COMPRESSED_MIN || !accepts_gzip(response->request))
        return;
    char *compressed = lab_gzip(response->body, response->length, &length);
    if (compressed == NULL)
        return;
    lab_response_set(response, response->status, response->content_type, compressed, length);
    lab_respond_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    strncat(response->etag, "-gzip", sizeof response->etag - strlen(response->etag) - 1);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static bool is_found(const struct lab_response *response)
{
    return response->status == MHD_HTTP_OK && lab_request_is_read(response->request);
}

/* libmicrohttpd's response with the body, which it takes over. HEAD gets no stream, because libmicrohttpd would send a
 * chunk, which the client would read as the next response. */
static struct MHD_Response *make_body(struct lab_response *response)
{
    const struct lab_request *request = response->request;
    struct MHD_Response *made;
    if (response->producer.produce != NULL && !request->head) {
        made = lab_body_stream_create(request->connection, &response->producer);
        if (made != NULL)
            response->producer = (struct lab_producer){0};
    } else if (response->body != NULL) {
        made = MHD_create_response_from_buffer(response->length, response->body, MHD_RESPMEM_MUST_FREE);
        if (made != NULL)
            response->body = NULL;
    } else {
        made = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    }
    return made;
}

/* Adds a header. An address of this server, the value of Location and in Link, gets the base path. */
static void add_header(struct MHD_Response *made, const char *base, const char *name, const char *value)
{
    char text[4096];
    bool in_link = strcmp(name, "Link") == 0 && value[0] == '<';
    if (base[0] != '\0' && value[in_link] == '/' && (in_link || strcmp(name, MHD_HTTP_HEADER_LOCATION) == 0) &&
        snprintf(text, sizeof text, "%s%s%s", in_link ? "<" : "", base, value + in_link) < (int)sizeof text)
        value = text;
    MHD_add_response_header(made, name, value);
}

/* What lets scripts of other sites read the answer (CORS). */
static void add_cors(struct MHD_Response *made, const struct lab_request *request)
{
    const char *origin = request->shared_origin;
    if (origin != NULL)
        MHD_add_response_header(made, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if (request->connection->http->cors_origins != NULL)
        MHD_add_response_header(made, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ORIGIN);
}

/* libmicrohttpd's response, with its headers. NULL when out of memory. */
static struct MHD_Response *make(struct lab_response *response)
{
    struct MHD_Response *made = make_body(response);
    if (made == NULL)
        return NULL;
    if (response->content_type != NULL)
        MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE, response->content_type);
    if (response->etag[0] != '\0') {
        char quoted[sizeof response->etag + 2];
        snprintf(quoted, sizeof quoted, "\"%s\"", response->etag);
        MHD_add_response_header(made, MHD_HTTP_HEADER_ETAG, quoted);
    }
    if (lab_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL) == NULL)
        MHD_add_response_header(made, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    MHD_add_response_header(made, "X-Content-Type-Options", "nosniff");
    const struct lab_request *request = response->request;
    for (size_t i = 0; i < response->header_count; i++)
        add_header(made, request->connection->http->base_path, response->headers[i].name, response->headers[i].value);
    add_cors(made, request);
    return made;
}

/* Admins see the same; of the others, each what is visible to that person. */
static struct lab_cache_key key_of(const struct lab_request *request)
{
    const struct lab_identity *identity = &request->identity;
    return (struct lab_cache_key){.target = request->target.text,
                                  .gzip = accepts_gzip(request),
                                  .role = identity->role,
                                  .viewer = lab_request_guard(request) != NULL ? identity->name : ""};
}

void lab_response_make(struct lab_response *response)
{
    if (response->cached != NULL || response->shared != NULL || response->made != NULL)
        return;
    if (response->status == 0)
        lab_respond_problem(response, LAB_ERROR_NO_ANSWER, NULL, NULL);
    if (is_found(response) && response->body != NULL)
        snprintf(response->etag, sizeof response->etag, "%016" PRIx64, lab_hash(response->body, response->length));
    if (is_found(response) && is_compressible(response))
        compress_body(response);
    bool is_cached = response->cache_tag[0] != '\0' && response->request->shared_origin == NULL && is_found(response) &&
                     response->producer.produce == NULL;
    response->made = make(response);
    if (response->made == NULL || !is_cached)
        return;
    const struct lab_request *request = response->request;
    response->cached = lab_cache_put(request->connection->http->cache, key_of(request), response->cache_tag,
                                     response->etag, response->made, response->length);
    response->made = NULL;
}

bool lab_response_from_cache(struct lab_response *response)
{
    const struct lab_request *request = response->request;
    if (request->route->cache_tag == NULL || lab_request_waits(request) || request->shared_origin != NULL)
        return false;
    request->route->cache_tag(request, response->cache_tag);
    response->cached = lab_cache_get(request->connection->http->cache, key_of(request), response->cache_tag);
    if (response->cached == NULL)
        return false;
    response->status = MHD_HTTP_OK;
    response->length = lab_cached_size(response->cached);
    snprintf(response->etag, sizeof response->etag, "%s", lab_cached_etag(response->cached));
    return true;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static struct MHD_Response *made_of(const struct lab_response *response)
{
    if (response->cached != NULL)
        return lab_cached_response(response->cached);
    return response->shared != NULL ? response->shared : response->made;
}

enum MHD_Result lab_response_send(struct lab_response *response)
{
    struct lab_request *request = response->request;
    struct MHD_Response *made = made_of(response);
    if (made == NULL)
        return MHD_NO;
    if (is_found(response) && response->etag[0] != '\0' && lab_request_has_etag(request, response->etag))
        response->status = MHD_HTTP_NOT_MODIFIED;
    if (!request->head && response->status != MHD_HTTP_NOT_MODIFIED)
        lab_log_entry_bytes(request, response->length);
    lab_log_entry_response(request, response->status, lab_response_header(response, MHD_HTTP_HEADER_LOCATION));
    return request->connection->http->queue_response(request->connection->mhd, (unsigned)response->status, made);
}
