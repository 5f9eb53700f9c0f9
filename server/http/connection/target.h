/* The target of a request ("/api/v1/runs?limit=5"): checked for normal form and split into its path and query. */
#ifndef LAB_HTTP_TARGET_H
#define LAB_HTTP_TARGET_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LAB_QUERIES_MAX = 32, /* query parameters of a request */
    LAB_PARTS_MAX = 4,    /* {name}s in a route's pattern */
};

struct lab_query {
    const char *name, *value; /* decoded, in the target's buffer */
};

struct lab_target {
    char *text;      /* as the client sent it; one allocation holds it, `path` and `decoded`; NULL when out of memory */
    size_t capacity; /* of that allocation, in bytes */
    char *path;      /* without the query, still encoded */
    size_t path_length;
    char *decoded;         /* buffer for decoded query parameters and path parts */
    size_t decoded_length; /* used bytes of `decoded` */
    const char *authority; /* of an absolute target ("http://host/path"), else NULL */
    struct lab_query queries[LAB_QUERIES_MAX];
    size_t query_count;
    const char *source; /* the address of libmicrohttpd's text; intake/intake.c uses it to detect a NUL in the target */
};

/* Copies `text` and finds its path, so that lab_request_path works for a malformed target too. The caller zeroes the
 * target before the first call; later calls reuse its memory. False when out of memory. */
bool lab_target_set(struct lab_target *target, const char *text);
void lab_target_release(struct lab_target *target);
/* Checks the target and decodes its query; false with *error when it is malformed or not in normal form. */
bool lab_target_parse(struct lab_target *target, struct lab_error *error);
/* Decodes `length` bytes of the path, which lab_target_parse has checked. The result is NUL-terminated, in the target's
 * buffer. */
const char *lab_target_decode(struct lab_target *target, const char *text, size_t length);

#endif
