/* The HTTP server. It is the only folder that uses libmicrohttpd: it checks each request, finds its route, calls the
 * route's handler and sends the response.
 *
 * A request reaches a handler only when all of this holds; otherwise it is rejected with the status in brackets:
 *   - its target is in normal form: no empty, "." or ".." segments, no control characters, valid UTF-8, all of this
 *     also after percent-decoding (400);
 *   - it has one Host header, which names this machine or an allowed host (400, 403);
 *   - its length is given by one Content-Length or by "Transfer-Encoding: chunked", not both (400);
 *   - its body has at most max_body_bytes (413) and is application/json (415), or what its route says instead;
 *   - if its method is not GET or HEAD, it has no Origin header or the server's own origin (403);
 *   - whoever sends it has the role that the route needs (401, 403) and has not sent too many (429).
 */
#ifndef LAB_HTTP_H
#define LAB_HTTP_H

#include "core/schema.h"

#include "auth/identity.h"
#include "auth/request_log.h"
#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct lab_auth;     /* server/auth/auth.h */
struct lab_log;      /* server/auth/log.h */
struct lab_http;     /* a listening server */
struct lab_request;  /* one request, while its handler runs */
struct lab_response; /* the response to it, which the handler sets */

/* --- the request -------------------------------------------------------------------------------------------------- */

/* The part of the path that the route's pattern calls `name`: "id" of "/runs/{id}". Percent-decoded; never NULL for a
 * name in the pattern. */
const char *lab_request_part(const struct lab_request *request, const char *name);
/* A query parameter, decoded: the route's fallback when it is absent, NULL without one. The following functions return
 * a parameter of that type; the check before the handler has made sure that it can be read. */
const char *lab_request_query(const struct lab_request *request, const char *name);
int64_t lab_request_integer(const struct lab_request *request, const char *name); /* must have a fallback */
double lab_request_number(const struct lab_request *request, const char *name);   /* must have a fallback */
bool lab_request_flag(const struct lab_request *request, const char *name);       /* false when absent */
/* Microseconds since 1970 in UTC. False when absent; *at is then unchanged. */
bool lab_request_time(const struct lab_request *request, const char *name, int64_t *at);
/* A header's value; NULL when absent. */
const char *lab_request_header(const struct lab_request *request, const char *name);
/* A cookie's value; NULL when absent. */
const char *lab_request_cookie(const struct lab_request *request, const char *name);
/* Who sends the request. Its role suffices for the route. */
const struct lab_identity *lab_request_identity(const struct lab_request *request);
/* The client's address without port; "unix" for the Unix socket. */
const char *lab_request_address(const struct lab_request *request);
/* Whether the client's connection is encrypted, here or by a proxy. */
bool lab_request_is_encrypted(const struct lab_request *request);
/* The path as the client sent it, without the query. */
const char *lab_request_path(const struct lab_request *request);
/* The body, not NUL-terminated, valid while the handler runs; *length is in bytes. */
const char *lab_request_body(const struct lab_request *request, size_t *length);
/* The body of a route with `body_max`: a temporary file, at its beginning; borrowed. */
FILE *lab_request_body_file(const struct lab_request *request);
/* The body as a JSON object, with the fields and types of the route's table; borrowed. {} when the body is empty. */
const json_t *lab_request_json(const struct lab_request *request);
/* Writes where the client's browser finds the server: "https://lab.example:8443". Its host is the Host of the request
 * where that is one of `allow_hosts`, else the first of these; without any the Host, which is then a loopback name or
 * the address that the client connected to. */
void lab_request_write_origin(const struct lab_request *request, FILE *out);
/* The path below which the lab is served; "" for none. */
const char *lab_request_base_path(const struct lab_request *request);
/* The route of the request. */
struct lab_route;
const struct lab_route *lab_request_route(const struct lab_request *request);
/* The pointer given to lab_http_start as `context`. */
void *lab_request_context(const struct lab_request *request);

/* --- the response ------------------------------------------------------------------------------------------------- */

/* A handler calls exactly one of the functions that set a status; if it calls several, the last one counts, and if it
 * calls none, the client gets 500. Texts are copied unless a function says otherwise. A GET's 200 gets an ETag, a hash
 * of its body; a client that has this body already (If-None-Match) gets 304. JSON and text of 1 KiB and more is
 * compressed for a client that accepts gzip, and then has another ETag; what lab_respond_stream sends is not
 * compressed. */

/* Responds with `body` and takes its reference; NULL, which means out of memory, becomes 500. */
void lab_respond_json(struct lab_response *response, int status, json_t *body);
/* Responds with a copy of `text`. `content_type` is not copied; it must be a constant. */
void lab_respond_text(struct lab_response *response, int status, const char *content_type, const char *text,
                      size_t length);
/* Responds without a body, for example with 204. */
void lab_respond_empty(struct lab_response *response, int status);
/* Responds with a problem document (application/problem+json). Type, title and status are those of the code.
 * When `detail` is NULL, the detail of the only error is used, or else the title. `errors` may be NULL. */
void lab_respond_problem(struct lab_response *response, enum lab_error_code code, const char *detail,
                         const struct lab_errors *errors);
/* Says who the client has proved to be, for the logs. */
void lab_respond_signed_in(struct lab_response *response, const struct lab_identity *identity);
/* Adds a header; at most 12, further ones are dropped. */
void lab_respond_header(struct lab_response *response, const char *name, const char *value);

/* Responds with 200 and a body of unknown length, which is sent in chunks while it is made. `produce` writes at most
 * `size` bytes into `buffer` and returns their number, 0 at the end, or -1 on a failure, which breaks the connection
 * off so that the client notices. It is called on threads of the reader pool, once at a time, each time when the client
 * has taken the bytes before; a client may take long, so it must not keep a transaction of the store open between two
 * calls. `release` is called exactly once, after the last call of `produce`, also when the client leaves early or the
 * server stops; on any thread, so it must not wait. At most 64 KiB of the body are in memory at once. */
void lab_respond_stream(struct lab_response *response, const char *content_type,
                        ssize_t (*produce)(void *context, char *buffer, size_t size), void (*release)(void *context),
                        void *context);

/* Responds with a stream of those server-sent events of `events` that `filter` says (server/events.h). Reads
 * Last-Event-ID itself. The stream ends when the server stops; `events` must outlive lab_http_stop. */
struct lab_events;
struct lab_event_filter;
void lab_respond_events(const struct lab_request *request, struct lab_response *response, struct lab_events *events,
                        const struct lab_event_filter *filter);

/* Answers later. A handler of a pool calls lab_request_await before it reads the state, and lab_respond_later when the
 * state is not yet what the client waits for: the handler then returns without a response, and is called again after
 * the next event of `type` about `run` (NULL: about any) that has been published since. How many seconds the client
 * waits is its query parameter `wait`; 0: it does not. A response to a request that waits is not taken from the
 * cache. */
/* False when the response is set, because no place is left for a request that waits. */
bool lab_request_await(const struct lab_request *request, struct lab_response *response, struct lab_events *events,
                       const char *type, const char *run);
/* False when the client waits no longer: the handler must respond. */
bool lab_respond_later(const struct lab_request *request);

/* --- the server --------------------------------------------------------------------------------------------------- */

enum { LAB_CACHE_TAG_SIZE = 64 };

/* Where a handler runs. While it runs on a thread of a pool, its connection is suspended. The queue of a pool is
 * bounded: when it is full, the client gets 503 with Retry-After. */
enum lab_route_thread {
    LAB_ROUTE_INLINE,   /* on a thread of libmicrohttpd, which many connections share: it must only use memory */
    LAB_ROUTE_READS,    /* on a thread of the reader pool: it may read the store */
    LAB_ROUTE_WRITES,   /* on a thread of the writer pool: it may wait until the store has written to the disk. One that
                         * may wait longer must bound how many calls do */
    LAB_ROUTE_COMPILES, /* on a thread of its own, one after the other: it may take many seconds */
    LAB_ROUTE_THREADS,
};

enum { LAB_ANSWERS_MAX = 3, LAB_PROBLEMS_MAX = 6 }; /* of a route, with the end of each list: a row of zeros */

/* An answer of a route that is not a problem. */
struct lab_answer {
    int status;
    /* Name of its schema in the OpenAPI document, with a content type that of the parts of the text; NULL: text, or no
     * body with 204. */
    const char *schema;
    const char *sentence;     /* when it is given; NULL: whenever the request succeeds */
    const char *content_type; /* NULL: application/json */
};

/* A problem that a route may answer with, beside those that every route has. */
struct lab_problem {
    enum lab_error_code code;
    const char *sentence;
};

/* A route: how requests are found, checked and described. `tests/api/openapi.test.mjs` holds rows and answers
 * together. */
struct lab_route {
    const char *method; /* "GET" also answers HEAD */
    /* "/api/v1/runs/{id}/measurements.csv"; a {part} matches a whole segment that is not empty. The first route that
     * matches is used. */
    const char *pattern;
    enum lab_route_thread thread; /* where its handler runs */
    enum lab_role role;           /* who may call it; LAB_ROLE_PUBLIC: everyone */
    void (*handle)(const struct lab_request *request, struct lab_response *response);
    /* For GET; NULL: the response is not cached. Writes a tag of the state that the response is made from. A response
     * with status 200 is kept, and answers requests for the same target without a call of the handler, while the tag
     * stays the same. The tag is read before that state, and always on libmicrohttpd's thread: like an inline handler,
     * this function must only use memory. The cache is bounded; the entry that was not used for longest is removed
     * first. */
    void (*cache_tag)(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE]);
    const char *summary;            /* what it does: a sentence */
    const struct lab_schema *query; /* its query parameters; NULL: none */
    /* The members of its body; NULL: the body must be empty or {}; lab_raw_body: the handler reads it. */
    const struct lab_schema *body;
    const char *body_type; /* its Content-Type; NULL: application/json */
    /* The largest body in bytes, which is then written to a temporary file (lab_request_body_file); `body` must be
     * lab_raw_body, and `thread` LAB_ROUTE_WRITES. 0: it is kept in memory and has at most max_body_bytes. */
    size_t body_max;
    bool
        body_gzip; /* with body_max: the body may have the Content-Encoding gzip; the handler decompresses it (gunzip.h) */
    /* The headers that the handler reads. The handler itself refuses a request without one that is required. */
    const struct lab_schema *headers;
    struct lab_answer answers[LAB_ANSWERS_MAX];
    struct lab_problem problems[LAB_PROBLEMS_MAX];
    bool
        participants; /* participants may call it too, for what is their own: of all but the public routes, these alone */
    /* Adds to the errors of a request that the fields refuse what the handler would refuse too, so that the client gets
     * all errors at once; `body` may have members of any type. NULL: nothing. */
    void (*add_errors)(const struct lab_request *request, const json_t *body, struct lab_errors *errors);
};

/* The body of a route whose handler reads it with lab_request_body; it need not be JSON. */
extern const struct lab_schema lab_raw_body[];

/* A page whose head says what it shows, for programs that execute no scripts. */
struct lab_page {
    const char *pattern; /* as that of a route: "/runs/{id}" */
    /* Writes elements for the head, or nothing. It may read the store: it is called on a thread of the reader pool. */
    void (*write_head)(const struct lab_request *request, FILE *out);
};

/* A file of static/, compiled into the program. */
struct lab_asset {
    const char *path, *content_type, *etag; /* etag without quotes; that of the compressed form ends with "-gzip" */
    const unsigned char *data, *gzip;       /* gzip is NULL when the file is not smaller compressed */
    size_t size, gzip_size;                 /* of data and gzip, in bytes */
    bool immutable;                         /* its name changes with its content */
};
extern const struct lab_asset lab_assets[]; /* ends with path NULL */

/* How long a client may take, in seconds, and how fast it must be; 0 stands for the default in brackets. */
struct lab_http_deadlines {
    double
        header_s; /* from a new connection to its first request line, and from a request line to the last header [10] */
    double body_s;      /* from the headers to the end of the body, and 1 s more for each bytes_per_s of it [30] */
    double idle_s;      /* from a response to the next request line of the connection [60] */
    double stall_s;     /* until the client accepts more of the bytes that are to be sent [20] */
    double bytes_per_s; /* least rate at which a client sends or accepts a body, after body_s or stall_s [4096] */
    double heartbeat_s; /* an event stream that has had no event for this long sends a comment [15] */
};

/* The cookie that has the id of a browser's session. */
#define LAB_SESSION_COOKIE "gpulab_session"

/* What clients that are no admins see of the routes that they may call. Their answers are cached apart from those of
 * others. */
struct lab_http_guard {
    /* Called before the handler, on its thread. False: it has responded, and the handler is not called. */
    bool (*admits)(const struct lab_request *request, struct lab_response *response);
    /* Takes from the body of an answer with status 200 what they may not see. */
    void (*withhold)(const struct lab_request *request, json_t *body);
};

/* The logs of requests; NULL: not written. */
struct lab_http_logs {
    struct lab_log *access; /* a line for each request */
    struct lab_log *audit;  /* a line for each request whose method is not GET or HEAD, refused ones included */
    enum lab_log_format format;
};

struct lab_http_options {
    /* PEM files of the certificate and the key of the TCP address, which then speaks TLS; NULL: neither. */
    const char *tls_certificate, *tls_key;
    const char *listen;      /* "127.0.0.1:8080", "[::1]:0", "localhost:8080"; NULL: only on the Unix socket */
    const char *socket_path; /* a Unix socket (mode 0600) to listen on as well, for the command line; NULL for none */
    /* Hosts ("lab.example" with any port, or "lab.example:8443") that are accepted beside loopback names and the
     * address that the client connected to; ends with NULL; may be NULL. */
    const char *const *allow_hosts;
    /* The path below which a proxy serves the lab, such as "/lab"; NULL: none. Requests may have it before their path,
     * and addresses that the server sends begin with it. */
    const char *base_path;
    /* Origins ("https://wiki.example") whose pages may show the page in a frame, and whose scripts may read what an
     * anonymous client may; end with NULL; may be NULL. */
    const char *const *frame_ancestors, *const *cors_origins;
    const struct lab_route *routes; /* ends with method NULL */
    const struct lab_page *pages;   /* ends with pattern NULL; NULL: none */
    size_t max_body_bytes;          /* of a request whose route has no `body_max` */
    const char *spool_folder;       /* where the bodies of routes with `body_max` are kept while they arrive */
    /* Places for connections; 0: 512. When all are taken, or all of one address, the connection that has waited for its
     * client for longest is closed for a new one. The server needs 128 more file descriptors. */
    size_t connections_max;
    struct lab_http_deadlines deadlines;
    struct lab_auth *auth;              /* decides who may do what; NULL: whoever connects may do everything */
    const struct lab_http_guard *guard; /* NULL: all clients see all that their routes answer */
    struct lab_http_logs logs;
    void *context; /* returned by lab_request_context */
};

enum { LAB_BASE_PATH_MAX = 128 };
/* Whether a text is a path below which a lab can be served: "/lab", "/gpu/lab". */
bool lab_base_path_is_valid(const char *text);
/* Whether a text is an origin as browsers send it: "https://wiki.example", "http://10.0.0.7:3000". */
bool lab_origin_is_valid(const char *text);
/* Starts listening and serving. All that `options` points to must outlive the server. NULL with *error when it cannot
 * listen. A Unix socket that another server listens on is an error; one that a server left behind is replaced. */
struct lab_http *lab_http_start(const struct lab_http_options *options, struct lab_error *error);
/* Reads certificate and key again; open connections keep the old ones. False with *error when they are not valid: then
 * the old ones stay in use. */
bool lab_http_reload(struct lab_http *http, struct lab_error *error);
/* "http://127.0.0.1:8080" or "https://…", with the actual port when the options gave port 0; "" without a TCP
 * address. */
const char *lab_http_address(const struct lab_http *http);
/* Accepts no more connections and removes the Unix socket; open connections are served as before. */
void lab_http_close_listener(struct lab_http *http);
/* Accepts no more connections, ends the event streams, waits at most `grace_s` for requests in progress and
 * frees the server. Does nothing when http is NULL. False when a handler has still not returned: then the
 * server and the handler's thread stay, the caller must not free what the handler uses, and may call it again. */
bool lab_http_stop(struct lab_http *http, double grace_s);

/* Numbers for /metrics. */
struct lab_http_counts {
    uint64_t requests;                   /* since the start, rejected ones included */
    uint64_t bytes_sent;                 /* of bodies and events, before chunking */
    uint64_t event_streams, connections; /* open now */
    uint64_t waiting;                    /* requests that are answered later */
    uint64_t connections_max;            /* places for connections */
};
void lab_http_counts(const struct lab_http *http, struct lab_http_counts *counts);
/* The number of connections whose client has not closed its side. Unlike lab_http_counts, it does not count those that
 * the server has yet to close. */
size_t lab_http_clients(struct lab_http *http);

#endif
