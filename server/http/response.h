/* A response: what a handler has set, until it is given to libmicrohttpd. */
#ifndef LAB_HTTP_RESPONSE_H
#define LAB_HTTP_RESPONSE_H

#include "http/http.h"

#include <microhttpd.h>

enum { LAB_RESPONSE_HEADERS_MAX = 12 };

/* At most one of `body`, `cached`, `shared` and `stream` is set, and that one is sent; if all are NULL, the body is empty. */
struct lab_response {
    struct lab_request *request;
    int status;    /* 0: the handler has not set one yet */
    char *body;    /* owned */
    size_t length; /* of `body` or `shared`, in bytes */
    const char *content_type;
    char tag[96];                /* not empty: the body is stored in the cache with this tag */
    struct lab_cached *cached;   /* an entry of the cache; lab_response_free releases it */
    struct MHD_Response *shared; /* a static file; not owned */
    struct MHD_Response *stream; /* an event stream; owned */
    struct {
        char *name, *value;
    } headers[LAB_RESPONSE_HEADERS_MAX];
    size_t header_count;
};

/* Sets status and body, and removes the cache's tag. Takes over `body` (from malloc; NULL: none). */
void lab_response_set(struct lab_response *response, int status, const char *content_type, char *body, size_t length);
/* The value of a header that was added; NULL when there is none. */
const char *lab_response_header(const struct lab_response *response, const char *name);
/* Frees what the response owns and clears it. */
void lab_response_free(struct lab_response *response);

/* respond.c. Gives the response to libmicrohttpd. */
enum MHD_Result lab_response_send(struct lab_request *request, struct lab_response *response);

/* problem.c. Responds to a rejected request. */
void lab_respond_rejection(const struct lab_request *request, struct lab_response *response);
/* The response to a rejected request, with its headers, as bytes for the socket: for when libmicrohttpd cannot send one. The
 * caller frees it; NULL when out of memory. */
char *lab_rejection_bytes(const struct lab_request *request);

#endif
