/* A response: what a handler has set, until it is given to libmicrohttpd. */
#ifndef LAB_HTTP_RESPONSE_H
#define LAB_HTTP_RESPONSE_H

#include "body_stream.h"

#include "http/http.h"

#include <microhttpd.h>

enum { LAB_RESPONSE_HEADERS_MAX = 12 };

/* A handler sets the members up to header_count. lab_response_make makes what is sent from them, unless it is there
 * already: `made`, `cached` or `shared`. */
struct lab_response {
    struct lab_request *request;
    int status;    /* 0: the handler has not set one yet */
    char *body;    /* owned; NULL: empty, or made by `producer` */
    size_t length; /* of the body in bytes; 0 when it is not known */
    struct lab_producer producer;
    const char *content_type;
    struct {
        char *name, *value;
    } headers[LAB_RESPONSE_HEADERS_MAX];
    size_t header_count;
    char etag[72];                      /* without quotes; "": none */
    char cache_tag[LAB_CACHE_TAG_SIZE]; /* not empty: the response is stored in the cache with this tag */
    struct MHD_Response *made;          /* owned */
    struct MHD_Response *shared;        /* a static file; not owned */
    struct lab_cached *cached;          /* an entry of the cache; lab_response_release releases it */
};

/* Sets status and body, in place of those that were set before. Takes over `body` (from malloc; NULL: none). */
void lab_response_set(struct lab_response *response, int status, const char *content_type, char *body, size_t length);
/* The value of a header that was added; NULL when there is none. */
const char *lab_response_header(const struct lab_response *response, const char *name);
/* Frees what the response owns and clears it. */
void lab_response_release(struct lab_response *response);

/* The following are in respond.c. */

/* Finds the response of the request's route in the cache; false when it is not there. Writes response->cache_tag. */
bool lab_response_from_cache(struct lab_response *response);
/* Makes libmicrohttpd's response and stores it in the cache if it has a cache_tag. Any thread. */
void lab_response_make(struct lab_response *response);
/* Gives the response to libmicrohttpd, with 304 when the client has it already (If-None-Match). Only on libmicrohttpd's
 * thread. */
enum MHD_Result lab_response_send(struct lab_response *response);

/* problem.c. Responds to a rejected request. */
void lab_respond_rejection(const struct lab_request *request, struct lab_response *response);
/* A problem document with its status line and headers, as bytes for the socket. The caller frees it; NULL when out of
 * memory. */
char *lab_problem_bytes(const char *path, enum lab_error_code code, const char *detail);

#endif
