/* HTTP: the only room that knows libmicrohttpd. It keeps the framing rules, finds the route, hands the handler a parsed
 * request and sends what it answers. Handlers run on a few threads and must not block on an experiment.
 *
 * What a request must look like, or no handler sees it:
 *   - a target in normal form: no dot or empty segments, control characters or broken UTF-8, encoded or not (400);
 *   - one Host, of this machine or allowed (403); Content-Length or Transfer-Encoding "chunked", once (400);
 *   - a body of at most max_body_bytes (413), application/json (415);
 *   - to change anything, no Origin but our own (403).
 */
#ifndef LAB_HTTP_H
#define LAB_HTTP_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_http;     /* a listening server */
struct lab_request;  /* one request, while its handler runs */
struct lab_response; /* what a handler answers */

/* --- the request -------------------------------------------------------------------------------------------------- */

/* A part of the path that the route's pattern names: "/runs/{id}" -> lab_request_part(request, "id"). Percent-decoded,
 * never NULL for a name in the pattern. */
const char *lab_request_part(const struct lab_request *request, const char *name);
/* A query parameter, decoded, the first where one is given twice; NULL when absent. */
const char *lab_request_query(const struct lab_request *request, const char *name);
/* Adds an error ("/query/NAME") for each query parameter that is not in `allowed` (ends with NULL) or given twice. */
bool lab_request_check_query(const struct lab_request *request, const char *const *allowed, struct lab_errors *errors);
/* A header's value, NULL when absent. */
const char *lab_request_header(const struct lab_request *request, const char *name);
/* The path as it came, without the query: for `instance` and Link. */
const char *lab_request_path(const struct lab_request *request);
/* "HEAD" where a GET route answers HEAD: the handler answers as to GET, and the body is not sent. */
const char *lab_request_method(const struct lab_request *request);
/* The body as text (not NUL-terminated). */
const char *lab_request_body(const struct lab_request *request, size_t *length);
/* The body parsed as a JSON object: duplicate keys, NaN, depth over 32 and trailing text are refused with 400, other
 * JSON than an object with 422. When refused, it has been answered, and NULL is returned. An empty body gives an empty
 * object when `optional`. A new reference. */
json_t *lab_request_json(const struct lab_request *request, struct lab_response *response, bool optional);
/* The application's pointer given to lab_http_start. */
void *lab_request_context(const struct lab_request *request);

/* --- the response ------------------------------------------------------------------------------------------------- */

/* Exactly one of these per request; of several the last counts. A handler that answers nothing gets 500. Texts are
 * copied unless said otherwise. */

/* Takes the reference; NULL (out of memory) becomes 500. */
void lab_respond_json(struct lab_response *response, int status, json_t *body);
/* `content_type` must outlive the request: a constant. */
void lab_respond_text(struct lab_response *response, int status, const char *content_type, const char *text,
                      size_t length);
/* No body: 202 with Location only, 204, 304. */
void lab_respond_empty(struct lab_response *response, int status);
/* application/problem+json. `detail` may be NULL; errors may be NULL. type is "/problems/<code>", title the code's
 * words. */
void lab_respond_problem(struct lab_response *response, int status, const char *code, const char *detail,
                         const struct lab_errors *errors);
/* A header beside those that every answer has; at most 12. With an ETag on a 200, If-None-Match is answered with 304.
 */
void lab_respond_header(struct lab_response *response, const char *name, const char *value);

/* A body cached for as long as `tag` (a strong ETag without quotes, at most 95 bytes) stays the same: answers from the
 * cache, or 304 when If-None-Match matches, and returns true; false when the caller must make the body and hand it to
 * lab_respond_cached (json is consumed). The key is the request's raw target. Headers given before or after
 * lab_respond_cached (Link) are cached with the body. The cache is bounded: what was not asked for longest leaves it.
 */
bool lab_respond_from_cache(const struct lab_request *request, struct lab_response *response, const char *tag);
void lab_respond_cached(const struct lab_request *request, struct lab_response *response, const char *tag,
                        json_t *body);

/* A stream of server-sent events from `events` (server/events.h): `run` NULL for all. Reads Last-Event-ID itself. The
 * stream ends with the server or with lab_events_end; `events` must outlive lab_http_stop. */
struct lab_events;
void lab_respond_events(const struct lab_request *request, struct lab_response *response, struct lab_events *events,
                        const char *run);

/* --- the server --------------------------------------------------------------------------------------------------- */

struct lab_route {
    const char *method; /* "GET" also answers HEAD */
    const char
        *pattern; /* "/api/v1/runs/{id}/measurements.csv"; a {part} is a whole segment, not empty. The first wins. */
    void (*handle)(const struct lab_request *request, struct lab_response *response);
};

/* A file of the page, compiled in. */
struct lab_asset {
    const char *path, *content_type, *etag; /* etag without quotes; the gzip form's is this and "-gzip" */
    const unsigned char *data, *gzip;
    size_t size, gzip_size; /* gzip NULL: sent as it is */
};
extern const struct lab_asset lab_assets[]; /* ends with path NULL */

/* How long a client may take, in seconds; 0 stands for the default in brackets. */
struct lab_http_deadlines {
    double header_s;    /* to send a request's line and headers, absolutely [10] */
    double body_s;      /* to send its body, absolutely [30] */
    double idle_s;      /* to begin the next request of a connection [60] */
    double answer_s;    /* to take an answer, absolutely [600] */
    double stall_s;     /* to take the next bytes of an event stream [20] */
    double heartbeat_s; /* after so long without an event, a stream carries a comment [15] */
};

struct lab_http_options {
    const char *listen;      /* "127.0.0.1:8080", "[::1]:0", "localhost:8080" */
    const char *socket_path; /* Unix socket (mode 0600) beside it, for this machine's command line; NULL for none */
    /* Hosts ("lab.example", any port) beside the loopback ones and the address that a client connected to; ends with
     * NULL; may be NULL. */
    const char *const *allow_hosts;
    const struct lab_route *routes; /* ends with method NULL */
    size_t max_body_bytes;          /* 1 MiB by API.md */
    struct lab_http_deadlines deadlines;
    void *context;
};

/* All that options point to must outlive the server. NULL with *error when it cannot listen; a Unix socket where
 * another server answers is left alone, one where nobody does is replaced. */
struct lab_http *lab_http_start(const struct lab_http_options *options, struct lab_error *error);
/* "http://127.0.0.1:8080", with the port that was really taken. */
const char *lab_http_address(const struct lab_http *http);
/* Takes no new connections, ends the event streams, lets requests under way finish for at most `grace_s`, removes the
 * Unix socket, frees all. */
void lab_http_stop(struct lab_http *http, double grace_s);

/* Figures for /metrics. */
struct lab_http_counts {
    uint64_t requests;                   /* answered so far, refused ones too */
    uint64_t bytes_sent;                 /* of bodies and events, before chunking */
    uint64_t event_streams, connections; /* now */
};
void lab_http_counts(const struct lab_http *http, struct lab_http_counts *counts);

#endif
