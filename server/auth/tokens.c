#include "tokens.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct lab_token token; /* without used_at */
    atomic_int_least64_t used_at;
    int64_t reported_at; /* used_at when lab_tokens_list last reported it as changed */
};

struct lab_tokens {
    pthread_rwlock_t lock; /* for all members but used_at of the entries */
    size_t count;
    struct entry entries[LAB_TOKENS_MAX]; /* ordered by id */
};

struct lab_tokens *lab_tokens_create(void)
{
    struct lab_tokens *tokens = calloc(1, sizeof *tokens);
    if (tokens != NULL)
        pthread_rwlock_init(&tokens->lock, NULL);
    return tokens;
}

void lab_tokens_free(struct lab_tokens *tokens)
{
    if (tokens == NULL)
        return;
    pthread_rwlock_destroy(&tokens->lock);
    free(tokens);
}

bool lab_tokens_add(struct lab_tokens *tokens, const struct lab_token *token)
{
    pthread_rwlock_wrlock(&tokens->lock);
    size_t at = tokens->count;
    bool added = at < LAB_TOKENS_MAX;
    if (added) {
        for (; at > 0 && tokens->entries[at - 1].token.id > token->id; at--)
            tokens->entries[at] = tokens->entries[at - 1];
        tokens->entries[at] = (struct entry){*token, token->used_at, token->used_at};
        tokens->count++;
    }
    pthread_rwlock_unlock(&tokens->lock);
    return added;
}

/* The entry with this id; NULL when there is none. The caller holds the lock. */
static struct entry *find_id(struct lab_tokens *tokens, int64_t id)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->entries[i].token.id == id)
            return &tokens->entries[i];
    return NULL;
}

bool lab_tokens_remove(struct lab_tokens *tokens, int64_t id)
{
    pthread_rwlock_wrlock(&tokens->lock);
    struct entry *entry = find_id(tokens, id);
    if (entry != NULL) {
        tokens->count--;
        for (struct entry *end = tokens->entries + tokens->count; entry < end; entry++)
            *entry = entry[1];
    }
    pthread_rwlock_unlock(&tokens->lock);
    return entry != NULL;
}

bool lab_tokens_has(struct lab_tokens *tokens, int64_t id)
{
    pthread_rwlock_rdlock(&tokens->lock);
    bool has = find_id(tokens, id) != NULL;
    pthread_rwlock_unlock(&tokens->lock);
    return has;
}

size_t lab_tokens_count(struct lab_tokens *tokens)
{
    pthread_rwlock_rdlock(&tokens->lock);
    size_t count = tokens->count;
    pthread_rwlock_unlock(&tokens->lock);
    return count;
}

/* Writes the identity that the token gives, and notes the use. The caller holds the lock. */
static void use(struct entry *entry, int64_t now_us, struct lab_identity *identity)
{
    enum { MINUTE_US = 60 * 1000 * 1000 };
    atomic_store_explicit(&entry->used_at, now_us - now_us % MINUTE_US, memory_order_relaxed);
    *identity = (struct lab_identity){.role = entry->token.role, .token = entry->token.id, .limited = true};
    snprintf(identity->name, sizeof identity->name, "%s", entry->token.name);
}

/* Compares with all digests, so that the time does not say which one matches. */
bool lab_tokens_find(struct lab_tokens *tokens, const char *secret, int64_t now_us, struct lab_identity *identity)
{
    unsigned char digest[LAB_DIGEST_BYTES];
    struct entry *found = NULL;
    lab_secret_digest(secret, strlen(secret), digest);
    pthread_rwlock_rdlock(&tokens->lock);
    for (size_t i = 0; i < tokens->count; i++)
        if (lab_digest_equal(tokens->entries[i].token.digest, digest))
            found = &tokens->entries[i];
    if (found != NULL)
        use(found, now_us, identity);
    pthread_rwlock_unlock(&tokens->lock);
    return found != NULL;
}

bool lab_tokens_find_id(struct lab_tokens *tokens, int64_t id, int64_t now_us, struct lab_identity *identity)
{
    pthread_rwlock_rdlock(&tokens->lock);
    struct entry *entry = find_id(tokens, id);
    if (entry != NULL)
        use(entry, now_us, identity);
    pthread_rwlock_unlock(&tokens->lock);
    return entry != NULL;
}

size_t lab_tokens_list(struct lab_tokens *tokens, bool changed, struct lab_token list[LAB_TOKENS_MAX])
{
    size_t count = 0;
    pthread_rwlock_wrlock(&tokens->lock);
    for (size_t i = 0; i < tokens->count; i++) {
        struct entry *entry = &tokens->entries[i];
        int64_t used_at = atomic_load(&entry->used_at);
        if (changed && used_at == entry->reported_at)
            continue;
        if (changed)
            entry->reported_at = used_at;
        list[count] = entry->token;
        list[count++].used_at = used_at;
    }
    pthread_rwlock_unlock(&tokens->lock);
    return count;
}
