/* The body of a request, while it arrives and while its handler reads it. */
#ifndef LAB_HTTP_BODY_H
#define LAB_HTTP_BODY_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct lab_request;

struct lab_body {
    char *bytes;             /* the body, or what is not in the file yet */
    size_t length, capacity; /* of `bytes` */
    size_t total;            /* bytes that arrived, also of a rejected request, whose body is not kept */
    FILE *file;              /* of a route with `body_max`; NULL: nothing was written yet */
};

/* The largest body that the request may have, in bytes. */
size_t lab_body_max(const struct lab_request *request);
/* Checks the headers that describe the body: its length, type and coding. Rejects with 413 or 415. */
bool lab_body_check(struct lab_request *request);
/* Takes the next bytes from libmicrohttpd, sets *size to 0 unless the connection is suspended first. */
enum MHD_Result lab_body_take(struct lab_request *request, const char *bytes, size_t *size);
/* Makes the body ready for the handler, on the handler's thread. False when it rejected the request. */
bool lab_body_finish(struct lab_request *request);
void lab_body_release(struct lab_body *body);

#endif
