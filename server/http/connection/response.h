/* A response: what a handler has set, until it is given to libmicrohttpd. */
#ifndef LAB_HTTP_RESPONSE_H
#define LAB_HTTP_RESPONSE_H

#include "http/http.h"

#include <microhttpd.h>

/* See lab_respond_stream (http.h). */
struct lab_producer {
    ssize_t (*produce)(void *context, char *buffer, size_t size); /* NULL: no stream */
    void (*release)(void *context);
    void *context;
};

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

#endif
