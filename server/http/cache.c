/* A hash table whose entries are also in a list, ordered by last use. Their number and their bytes are bounded; the entry
 * that was not used for longest is removed first.
 */
#include "cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 64, ENTRIES_MAX = 64, BYTES_MAX = 2 * 1024 * 1024, ENTRY_BYTES_MAX = 512 * 1024 };

struct lab_cached {
    atomic_size_t references;
    struct lab_cached *next;          /* in the same bucket */
    struct lab_cached *newer, *older; /* the entries that were used next after and last before this one */
    struct MHD_Response *response;
    size_t size;
    uint64_t hash;
    const char *tag; /* after the key, in the same allocation */
    char key[];
};

struct lab_cache {
    pthread_mutex_t lock;
    struct lab_cached *buckets[BUCKETS];
    struct lab_cached *newest, *oldest;
    size_t count, bytes;
};

/* FNV-1a */
static uint64_t hash_of(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3;
    return hash;
}

struct lab_cache *lab_cache_create(void)
{
    struct lab_cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL)
        pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void lab_cached_release(struct lab_cached *cached)
{
    if (cached == NULL || atomic_fetch_sub(&cached->references, 1) != 1)
        return;
    MHD_destroy_response(cached->response);
    free(cached);
}

static void unlink_by_use(struct lab_cache *cache, struct lab_cached *entry)
{
    *(entry->newer != NULL ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older != NULL ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(struct lab_cache *cache, struct lab_cached *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static void remove_entry(struct lab_cache *cache, struct lab_cached *entry)
{
    struct lab_cached **link = &cache->buckets[entry->hash % BUCKETS];
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    unlink_by_use(cache, entry);
    cache->count--;
    cache->bytes -= entry->size;
    lab_cached_release(entry);
}

static struct lab_cached *find(const struct lab_cache *cache, uint64_t hash, const char *key)
{
    struct lab_cached *entry = cache->buckets[hash % BUCKETS];
    while (entry != NULL && (entry->hash != hash || strcmp(entry->key, key) != 0))
        entry = entry->next;
    return entry;
}

struct lab_cached *lab_cache_get(struct lab_cache *cache, const char *key, const char *tag)
{
    uint64_t hash = hash_of(key);
    pthread_mutex_lock(&cache->lock);
    struct lab_cached *entry = find(cache, hash, key);
    if (entry != NULL && strcmp(entry->tag, tag) != 0) {
        remove_entry(cache, entry);
        entry = NULL;
    }
    if (entry != NULL) {
        atomic_fetch_add(&entry->references, 1);
        unlink_by_use(cache, entry);
        link_newest(cache, entry);
    }
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

static void insert(struct lab_cache *cache, struct lab_cached *entry)
{
    struct lab_cached *same = find(cache, entry->hash, entry->key);
    if (same != NULL)
        remove_entry(cache, same);
    atomic_fetch_add(&entry->references, 1);
    struct lab_cached **bucket = &cache->buckets[entry->hash % BUCKETS];
    entry->next = *bucket;
    *bucket = entry;
    link_newest(cache, entry);
    cache->count++;
    cache->bytes += entry->size;
    while (cache->count > ENTRIES_MAX || cache->bytes > BYTES_MAX)
        remove_entry(cache, cache->oldest);
}

struct lab_cached *lab_cache_put(struct lab_cache *cache, const char *key, const char *tag,
                                 struct MHD_Response *response, size_t size)
{
    size_t key_size = strlen(key) + 1, tag_size = strlen(tag) + 1;
    struct lab_cached *entry = malloc(sizeof *entry + key_size + tag_size);
    if (entry == NULL) {
        MHD_destroy_response(response);
        return NULL;
    }
    *entry = (struct lab_cached){.references = 1, .response = response, .size = size, .hash = hash_of(key)};
    memcpy(entry->key, key, key_size);
    entry->tag = memcpy(entry->key + key_size, tag, tag_size);
    if (size + key_size > ENTRY_BYTES_MAX)
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

size_t lab_cached_size(const struct lab_cached *cached)
{
    return cached->size;
}

void lab_cache_free(struct lab_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->oldest != NULL)
        remove_entry(cache, cache->oldest);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}
