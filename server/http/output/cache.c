/* A hash table whose entries are also in a list, ordered by last use. Their number and their bytes are bounded; the
 * entry that was not used for longest is removed first.
 */
#include "cache.h"

#include "http/connection/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 64, ENTRIES_MAX = 64, BYTES_MAX = 2 * 1024 * 1024, ENTRY_BYTES_MAX = 512 * 1024 };

struct lab_cached {
    atomic_size_t references;
    LIST_ENTRY(lab_cached) in_bucket;
    TAILQ_ENTRY(lab_cached) in_order; /* of use */
    struct MHD_Response *response;
    size_t size;
    uint64_t hash;
    bool gzip;
    enum lab_role role;
    char viewer[LAB_PERSON_MAX + 1];
    const char *tag, *etag; /* after the target, in the same allocation */
    char target[];
};

struct lab_cache {
    pthread_mutex_t lock;
    LIST_HEAD(, lab_cached) buckets[BUCKETS];
    TAILQ_HEAD(lab_cached_order, lab_cached) order; /* by last use, the newest first */
    size_t count, bytes;
};

struct lab_cache *lab_cache_create(void)
{
    struct lab_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    TAILQ_INIT(&cache->order);
    return cache;
}

void lab_cached_release(struct lab_cached *cached)
{
    if (cached == NULL || atomic_fetch_sub(&cached->references, 1) != 1)
        return;
    MHD_destroy_response(cached->response);
    free(cached);
}

static void remove_entry(struct lab_cache *cache, struct lab_cached *entry)
{
    LIST_REMOVE(entry, in_bucket);
    TAILQ_REMOVE(&cache->order, entry, in_order);
    cache->count--;
    cache->bytes -= entry->size;
    lab_cached_release(entry);
}

static struct lab_cached *find(const struct lab_cache *cache, uint64_t hash, struct lab_cache_key key)
{
    struct lab_cached *entry;
    LIST_FOREACH (entry, &cache->buckets[hash % BUCKETS], in_bucket)
        if (entry->hash == hash && entry->gzip == key.gzip && entry->role == key.role &&
            strcmp(entry->viewer, key.viewer) == 0 && strcmp(entry->target, key.target) == 0)
            return entry;
    return NULL;
}

struct lab_cached *lab_cache_get(struct lab_cache *cache, struct lab_cache_key key, const char *tag)
{
    uint64_t hash = lab_hash(key.target, strlen(key.target));
    pthread_mutex_lock(&cache->lock);
    struct lab_cached *entry = find(cache, hash, key);
    if (entry != NULL && strcmp(entry->tag, tag) != 0) {
        remove_entry(cache, entry);
        entry = NULL;
    }
    if (entry != NULL) {
        atomic_fetch_add(&entry->references, 1);
        TAILQ_REMOVE(&cache->order, entry, in_order);
        TAILQ_INSERT_HEAD(&cache->order, entry, in_order);
    }
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

static void insert(struct lab_cache *cache, struct lab_cached *entry)
{
    struct lab_cached *same =
        find(cache, entry->hash, (struct lab_cache_key){entry->target, entry->gzip, entry->role, entry->viewer});
    if (same != NULL)
        remove_entry(cache, same);
    atomic_fetch_add(&entry->references, 1);
    LIST_INSERT_HEAD(&cache->buckets[entry->hash % BUCKETS], entry, in_bucket);
    TAILQ_INSERT_HEAD(&cache->order, entry, in_order);
    cache->count++;
    cache->bytes += entry->size;
    while (cache->count > ENTRIES_MAX || cache->bytes > BYTES_MAX)
        remove_entry(cache, TAILQ_LAST(&cache->order, lab_cached_order));
}

struct lab_cached *lab_cache_put(struct lab_cache *cache, struct lab_cache_key key, const char *tag, const char *etag,
                                 struct MHD_Response *response, size_t size)
{
    size_t target_size = strlen(key.target) + 1, tag_size = strlen(tag) + 1, etag_size = strlen(etag) + 1;
    struct lab_cached *entry = malloc(sizeof *entry + target_size + tag_size + etag_size);
    if (entry == NULL) {
        MHD_destroy_response(response);
        return NULL;
    }
    *entry = (struct lab_cached){.references = 1,
                                 .response = response,
                                 .size = size,
                                 .hash = lab_hash(key.target, target_size - 1),
                                 .gzip = key.gzip,
                                 .role = key.role};
    snprintf(entry->viewer, sizeof entry->viewer, "%s", key.viewer);
    memcpy(entry->target, key.target, target_size);
    entry->tag = memcpy(entry->target + target_size, tag, tag_size);
    entry->etag = memcpy(entry->target + target_size + tag_size, etag, etag_size);
    if (size + target_size > ENTRY_BYTES_MAX)
        return entry; /* too large to be stored: the caller has the only reference */
    pthread_mutex_lock(&cache->lock);
    insert(cache, entry);
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

struct MHD_Response *lab_cached_response(const struct lab_cached *cached)
{
    return cached->response;
}

const char *lab_cached_etag(const struct lab_cached *cached)
{
    return cached->etag;
}

size_t lab_cached_size(const struct lab_cached *cached)
{
    return cached->size;
}

void lab_cache_free(struct lab_cache *cache)
{
    if (cache == NULL)
        return;
    while (!TAILQ_EMPTY(&cache->order))
        remove_entry(cache, TAILQ_FIRST(&cache->order));
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}
