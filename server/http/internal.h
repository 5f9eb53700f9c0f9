/* What the files of this room share: a connection and the one request it carries at a time, what answers it, and the
 * server around them. Nobody outside server/http includes this.
 *
 * Threads: `timeouts` accepts connections and watches their deadlines; libmicrohttpd's few workers run everything that
 * belongs to a connection; any thread may wake a stream.
 */
#ifndef LAB_HTTP_INTERNAL_H
#define LAB_HTTP_INTERNAL_H

#include "http/http.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum {
    LAB_CONNECTIONS_MAX = 512, /* fits, with everything else, into the usual 1024 descriptors */
    LAB_STREAMS_MAX = 256,     /* of them, so that listeners do not keep requests out */
    LAB_LINGERING_MAX = 32,
    LAB_CONNECTION_MEMORY = 16 * 1024, /* request line and headers must fit into half of it */
    LAB_QUERIES_MAX = 32,
    LAB_PARTS_MAX = 4,
    LAB_RESPONSE_HEADERS_MAX = 12,
    LAB_JSON_DEPTH_MAX = 32,
    LAB_NO_DEADLINE = -1,
};

/* --- target.c: the request's target, looked at as it came ------------------------------------------------------------
 */

struct lab_query {
    const char *name, *value; /* decoded, in the target's buffer */
};

struct lab_target {
    char *text; /* as it came, and in the same allocation all that follows; NULL when out of memory */
    size_t capacity;
    char *path; /* the path alone, still encoded */
    size_t path_length;
    char *decoded; /* room for decoded queries and parts */
    size_t decoded_length;
    const char *authority; /* of an absolute target ("http://host/path"), else NULL */
    struct lab_query queries[LAB_QUERIES_MAX];
    size_t query_count;
    const char *source; /* where libmicrohttpd had it, to find out that a NUL hid its end */
};

bool lab_target_set(struct lab_target *target, const char *text);
void lab_target_free(struct lab_target *target);
/* Finds path and queries; false with *error when the target is malformed or not in normal form. */
bool lab_target_parse(struct lab_target *target, struct lab_error *error);
/* Decodes `length` bytes of the path into the target's buffer. They were checked by lab_target_parse. */
const char *lab_target_decode(struct lab_target *target, const char *text, size_t length);

/* --- framing.c: headers that this room looks at itself ---------------------------------------------------------------
 */

enum lab_header {
    LAB_HEADER_HOST,
    LAB_HEADER_CONTENT_LENGTH,
    LAB_HEADER_TRANSFER_ENCODING,
    LAB_HEADER_CONTENT_TYPE,
    LAB_HEADER_CONTENT_ENCODING,
    LAB_HEADER_ORIGIN,
    LAB_HEADER_EXPECT,
    LAB_HEADER_IF_NONE_MATCH,
    LAB_HEADER_ACCEPT_ENCODING,
    LAB_HEADER_COUNT,
};

/* --- a connection and its request ------------------------------------------------------------------------------------
 */

/* Why a request is refused before any handler sees it. */
struct lab_refusal {
    int status; /* 0: not refused */
    bool close; /* the connection's framing cannot be trusted, or the body shall not be read */
    struct lab_error error;
    char allow[64]; /* 405: the methods there are */
};

struct lab_part {
    const char *name;
    size_t name_length;
    const char *value; /* decoded once the route is found */
    size_t value_length;
};

struct lab_request {
    struct lab_connection *connection;
    struct lab_target target;
    const char *method;
    bool head;
    bool begun;   /* its headers are complete */
    bool counted; /* in http->active */
    bool unread;  /* the connection ends with a part of the body unread: see linger.c */
    const char *headers[LAB_HEADER_COUNT];
    const struct lab_route *route; /* NULL: a file of the page */
    const struct lab_page *page;
    struct lab_part parts[LAB_PARTS_MAX];
    size_t part_count;
    char *body;
    size_t body_length, body_capacity;
    struct lab_refusal refusal;
};

struct lab_connection {
    struct lab_http *http;
    struct MHD_Connection *mhd;
    struct lab_connection *previous, *next;
    int socket;
    atomic_int_least64_t deadline_ms; /* when the timeouts shuts it down; LAB_NO_DEADLINE */
    atomic_bool idle;                 /* between two requests */
    struct lab_request request;
};

/* --- the answer ------------------------------------------------------------------------------------------------------
 */

struct lab_response {
    const struct lab_request *request;
    int status; /* 0: none given yet */
    char *body; /* owned */
    size_t length;
    const char *content_type;
    char tag[96];                /* respond_cached: the body goes into the cache under this tag */
    struct lab_cached *cached;   /* or: answered from the cache */
    struct MHD_Response *shared; /* or: a file of the page, owned by it */
    struct MHD_Response *stream; /* or: owned by the answer */
    struct {
        char *name, *value;
    } headers[LAB_RESPONSE_HEADERS_MAX];
    size_t header_count;
};

/* --- the server ------------------------------------------------------------------------------------------------------
 */

struct lab_http {
    struct MHD_Daemon *daemon;
    const struct lab_route *routes;
    const char *const *allow_hosts;
    size_t max_body_bytes;
    void *context;
    struct lab_http_deadlines deadlines;
    char address[128];
    struct lab_connection_timeouts *timeouts;
    struct lab_cache *cache;
    struct lab_page *pages;

    pthread_mutex_t connections_lock;
    struct lab_connection *connections;
    atomic_size_t connection_count;

    pthread_mutex_t streams_lock;
    struct lab_stream *streams;
    atomic_size_t stream_count;

    atomic_bool stopping;
    pthread_mutex_t active_lock;
    pthread_cond_t active_none;
    atomic_size_t active; /* requests under way, streams among them */

    atomic_uint_least64_t requests, bytes_sent;
};

/* Monotonic, coarse (a few ms) and cheap. */
int64_t lab_now_ms(void);
int64_t lab_after_ms(double seconds); /* lab_now_ms() and that much */

/* connection.c: what libmicrohttpd calls; `context` is the server. */
void lab_connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                           enum MHD_ConnectionNotificationCode code);
void *lab_connection_begin(void *context, const char *target, struct MHD_Connection *mhd);
void lab_connection_end(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code);
enum MHD_Result lab_connection_handle(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                                      const char *version, const char *upload, size_t *upload_size,
                                      void **request_context);

/* framing.c. Reads the headers into request->headers; false with the refusal when they are not what one may send. */
bool lab_framing_check(struct lab_request *request);
/* The length that is announced; SIZE_MAX for a chunked body. */
size_t lab_framing_body_length(const struct lab_request *request);
/* Always returns false. */
bool lab_refuse(struct lab_request *request, int status, bool close, const char *code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* origin.c: who may ask. Both false with the refusal. */
bool lab_origin_check_host(struct lab_request *request);
bool lab_origin_check_write(struct lab_request *request);

/* route.c: finds request->route and its parts, or the page; false with the refusal (404, 405, 501). */
bool lab_route_find(struct lab_request *request);

/* respond.c */
void lab_response_free(struct lab_response *response);
/* Takes over `body` (NULL: none). */
void lab_response_set(struct lab_response *response, int status, const char *content_type, char *body, size_t length);
/* Queues the answer. */
enum MHD_Result lab_response_send(struct lab_request *request, struct lab_response *response);
/* True when If-None-Match names the tag (without quotes). */
bool lab_matches_tag(const struct lab_request *request, const char *tag);

/* problem.c */
void lab_respond_refusal(const struct lab_request *request, struct lab_response *response);
/* The whole answer to a refused request as bytes, where libmicrohttpd takes none any more. NULL when out of memory. */
char *lab_refusal_bytes(const struct lab_request *request);

/* json_text.c: what Jansson does not say about a text. */
bool lab_json_is_too_deep(const char *text, size_t length, size_t depth_max, size_t *where);
/* The JSON pointer of what stands at `offset`, or as much of it as fits. */
void lab_json_pointer_at(const char *text, size_t length, size_t offset, char *pointer, size_t size);

/* cache.c */
struct lab_cache *lab_cache_create(void);
void lab_cache_free(struct lab_cache *cache);
/* The response under this key and tag, to be released; NULL when there is none. */
struct lab_cached *lab_cache_take(struct lab_cache *cache, const char *key, const char *tag);
/* Stores `response` (taken over, also on failure), whose body has `size` bytes. To be released; NULL when out of
 * memory. */
struct lab_cached *lab_cache_put(struct lab_cache *cache, const char *key, const char *tag,
                                 struct MHD_Response *response, size_t size);
struct MHD_Response *lab_cached_response(const struct lab_cached *cached);
size_t lab_cached_size(const struct lab_cached *cached);
void lab_cached_release(struct lab_cached *cached);

/* page.c: the files of static/, each made once into the responses that are sent. */
struct lab_page *lab_pages_create(void);
void lab_pages_free(struct lab_page *pages);
/* The file at a path, index.html for a permalink; NULL when there is none. */
const struct lab_page *lab_page_find(const struct lab_page *pages, const char *path, size_t length);
void lab_page_respond(const struct lab_page *page, const struct lab_request *request, struct lab_response *response);

/* stream.c. Both are called by the timeouts or the one who stops. */
void lab_streams_tick(struct lab_http *http);
void lab_streams_end(struct lab_http *http);

/* listen.c */
struct lab_listener *lab_listener_open(const char *address, const char *socket_path, struct lab_error *error);
/* The listening sockets, -1 where there is none. */
int lab_listener_tcp(const struct lab_listener *listener);
int lab_listener_local(const struct lab_listener *listener);
/* "http://…" */
bool lab_listener_address(const struct lab_listener *listener, char *text, size_t size);
void lab_listener_close(struct lab_listener *listener);

/* timeouts.c */
/* Sets http->timeouts; takes over the listener when it succeeds. */
bool lab_timeouts_start(struct lab_http *http, struct lab_listener *listener);
/* Has it look at once: the first connection came, or one left while all places were taken. */
void lab_timeouts_wake(struct lab_connection_timeouts *timeouts);
/* No connection is accepted after it returns, and the listener is closed. */
void lab_timeouts_close_listener(struct lab_connection_timeouts *timeouts);
/* Its thread ends. lab_timeouts_wake and lab_timeouts_linger may be called until it is freed. */
void lab_timeouts_stop(struct lab_connection_timeouts *timeouts);
void lab_timeouts_free(struct lab_connection_timeouts *timeouts);
/* Takes over a descriptor whose other side has not yet heard why its body is not read. */
void lab_timeouts_linger(struct lab_connection_timeouts *timeouts, int socket);

#endif
