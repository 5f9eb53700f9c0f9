/* A bounded cache of responses. An entry is valid while its tag stays the same. All functions may be called from any
 * thread.
 */
#ifndef LAB_HTTP_CACHE_H
#define LAB_HTTP_CACHE_H

#include <microhttpd.h>
#include <stddef.h>

struct lab_cache;
struct lab_cached; /* an entry; its references are counted, so that it can be removed while it is being sent */

/* NULL when out of memory. */
struct lab_cache *lab_cache_create(void);
/* NULL is allowed and does nothing. */
void lab_cache_free(struct lab_cache *cache);
/* The entry with this key and tag, which the caller releases; NULL when there is none. */
struct lab_cached *lab_cache_get(struct lab_cache *cache, const char *key, const char *tag);
/* Makes an entry of `response`, whose entity tag is `etag` and whose body has `size` bytes, and stores it unless it is too large. Takes over the response,
 * also on failure. Returns the entry, which the caller releases; NULL when out of memory. */
struct lab_cached *lab_cache_put(struct lab_cache *cache, const char *key, const char *tag, const char *etag,
                                 struct MHD_Response *response, size_t size);
struct MHD_Response *lab_cached_response(const struct lab_cached *cached);
const char *lab_cached_etag(const struct lab_cached *cached);
/* The size of the response's body in bytes. */
size_t lab_cached_size(const struct lab_cached *cached);
/* NULL is allowed and does nothing. */
void lab_cached_release(struct lab_cached *cached);

#endif
