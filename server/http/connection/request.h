/* A request, and what is read from it. */
#ifndef LAB_HTTP_REQUEST_H
#define LAB_HTTP_REQUEST_H

#include "pool.h"
#include "response.h"
#include "target.h"

#include "http/http.h"

#include <stdio.h>

/* The headers that the server itself checks or uses. */
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
    LAB_HEADER_AUTHORIZATION,
    LAB_HEADER_COUNT,
};

/* Why a request is rejected before a handler is called. */
struct lab_rejection {
    bool close;             /* close the connection: where the request ends is unknown, or its body shall not be read */
    struct lab_error error; /* without a code: not rejected */
    char allow[64];         /* 405: the methods of the resource */
    const char *challenge;  /* 401: the value of WWW-Authenticate; else NULL */
    int retry_after_s;      /* the value of Retry-After; 0: without this header */
};

/* The part of the path that a {name} in the route's pattern matches. */
struct lab_part {
    const char *name; /* in the pattern, not NUL-terminated */
    size_t name_length;
    const char *value;   /* as sent; after lab_route_find decoded and NUL-terminated */
    size_t value_length; /* as sent, in bytes */
};

struct lab_body {
    char *bytes;             /* the body, or what is not in the file yet */
    size_t length, capacity; /* of `bytes` */
    size_t total;            /* bytes that arrived, also of a rejected request, whose body is not kept */
    FILE *file;              /* of a route with `body_max`; NULL: nothing was written yet */
};

enum { LAB_REQUEST_ID_SIZE = 32 };

/* What the logs say of a request (record.c). */
struct lab_log_entry {
    int64_t at_us;     /* when its first line was read: microseconds since 1970 */
    double began_at;   /* the same, by lab_clock_now */
    uint64_t number;   /* since the server started */
    int status;        /* 0: there is no response */
    uint64_t bytes;    /* of the body that was sent */
    char created[128]; /* the path of the resource that it created, or "" */
};

/* A request. Each connection has one, which it reuses for the next request. */
struct lab_request {
    struct lab_connection *connection;
    struct lab_target target;
    const char *method;
    bool head;  /* the method is HEAD */
    bool begun; /* its request line was read */
    bool headers_complete;
    bool active;                           /* counted in http->active */
    bool body_unread;                      /* the connection is closed before all of the body was read: see drain.h */
    const char *headers[LAB_HEADER_COUNT]; /* their values; NULL: absent */
    const char *shared_origin;          /* of another site, whose script may read the answer (origin.c); NULL: none */
    const struct lab_route *route;      /* NULL for a static file */
    const struct lab_static_file *file; /* NULL for a route */
    const struct lab_page *page;        /* whose head the file gets; NULL: the file is sent as it is */
    struct lab_part parts[LAB_PARTS_MAX];
    size_t part_count;
    struct lab_body body;
    json_t *json; /* the parsed body; NULL before lab_request_check and without one */
    struct lab_rejection rejection;
    struct lab_identity identity;
    struct lab_log_entry record;
    struct lab_response response;
    struct lab_job job;          /* runs the handler on a thread of a pool */
    bool handed_over;            /* a pool has the request, or has made its response */
    struct lab_pending *pending; /* NULL unless its handler waits for something (work/pending.c) */
};

/* Rejects the request: sets request->rejection. Always returns false. */
bool lab_request_reject(struct lab_request *request, bool close, enum lab_error_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Whether the method is GET or HEAD. */
bool lab_request_is_read(const struct lab_request *request);
/* True when If-None-Match is "*" or has the tag (without quotes), with or without W/ (RFC 9110, 13.1.2: weak
 * comparison). */
bool lab_request_has_etag(const struct lab_request *request, const char *tag);
/* What restricts the answer, because the client is anonymous; NULL: nothing. */
const struct lab_http_guard *lab_request_guard(const struct lab_request *request);
/* Whether its body is written to a temporary file: that of a route with `body_max`. */
bool lab_request_is_spooled(const struct lab_request *request);
/* Whether the request asks to be answered later: its query has `wait`, and not 0. */
bool lab_request_waits(const struct lab_request *request);

/* record.c: notes what the logs say of the request: its beginning, its response (`location` may be NULL), bytes of its
 * body, its end. */
void lab_log_entry_begin(struct lab_request *request);
void lab_log_entry_response(struct lab_request *request, int status, const char *location);
void lab_log_entry_bytes(struct lab_request *request, size_t length);
void lab_log_entry_end(struct lab_request *request);
/* The name of the request in the logs and in the header X-Request-Id of problems. */
void lab_log_entry_id(const struct lab_request *request, char id[LAB_REQUEST_ID_SIZE]);

#endif
