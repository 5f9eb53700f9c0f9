/* A bounded cache of responses. An entry is valid while its tag stays the same. A response that is sent compressed has
 * two forms, each an entry of its own, made when a client first asks for it. All functions may be called from any
 * thread.
 */
#ifndef LAB_HTTP_CACHE_H
#define LAB_HTTP_CACHE_H

#include "auth/identity.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

struct lab_cache;
struct lab_cached; /* an entry; its references are counted, so that it can be removed while it is being sent */

/* NULL when out of memory. */
struct lab_cache *lab_cache_create(void);
/* NULL is allowed and does nothing. */
void lab_cache_free(struct lab_cache *cache);
/* What a response is found by: the target of its request, whether the client accepts gzip, and for whom it was made. */
struct lab_cache_key {
    const char *target;
    bool gzip;
    enum lab_role role;
    const char *viewer; /* a person's name, at most LAB_PERSON_MAX bytes; "": whoever has the role */
};

/* The entry with this key and tag, which the caller releases; NULL when there is none. */
struct lab_cached *lab_cache_get(struct lab_cache *cache, struct lab_cache_key key, const char *tag);
/* Makes an entry of `response`, whose entity tag is `etag` and whose body has `size` bytes, and stores it unless it is
 * too large. Takes over the response, also on failure. Returns the entry, which the caller releases; NULL when out of
 * memory. */
struct lab_cached *lab_cache_put(struct lab_cache *cache, struct lab_cache_key key, const char *tag, const char *etag,
                                 struct MHD_Response *response, size_t size);
struct MHD_Response *lab_cached_response(const struct lab_cached *cached);
const char *lab_cached_etag(const struct lab_cached *cached);
/* The size of the response's body in bytes. */
size_t lab_cached_size(const struct lab_cached *cached);
/* NULL is allowed and does nothing. */
void lab_cached_release(struct lab_cached *cached);

#endif
