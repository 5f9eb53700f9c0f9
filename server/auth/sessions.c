#include "sessions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { PLACES = LAB_TOKENS_MAX * LAB_SESSIONS_OF_TOKEN_MAX, BUCKETS = 4096 };

struct session {
    unsigned char digest[LAB_DIGEST_BYTES];
    int64_t token; /* 0: the place is free */
    int64_t until_us;
    LIST_ENTRY(session) in_bucket; /* of a session */
};

struct lab_sessions {
    pthread_mutex_t lock;
    LIST_HEAD(, session) buckets[BUCKETS]; /* the beginning of a session's digest selects one */
    size_t used;                           /* the places from this one on have never been used */
    struct session places[PLACES];
};

struct lab_sessions *lab_sessions_create(void)
{
    struct lab_sessions *sessions = calloc(1, sizeof *sessions);
    if (sessions != NULL)
        pthread_mutex_init(&sessions->lock, NULL);
    return sessions;
}

void lab_sessions_free(struct lab_sessions *sessions)
{
    if (sessions == NULL)
        return;
    pthread_mutex_destroy(&sessions->lock);
    free(sessions);
}

static size_t bucket_of(const unsigned char *digest)
{
    return (size_t)(digest[0] << 8 | digest[1]) % BUCKETS;
}

static void end(struct session *session)
{
    if (session->token != 0)
        LIST_REMOVE(session, in_bucket);
    session->token = 0;
}

/* The place for a session of `token`: of its sessions, that which ends first, when it has as many as it may; else a
 * free place. A session whose token was revoked while it was opened keeps its place, so there may be none: then the one
 * that ends first. */
static struct session *place_for(struct lab_sessions *sessions, int64_t token)
{
    struct session *own = NULL, *free_place = NULL, *first = &sessions->places[0];
    size_t count = 0;
    for (struct session *each = first; each < sessions->places + sessions->used; each++) {
        if (each->token == 0)
            free_place = each;
        if (each->token == token && count++ == 0)
            own = each;
        if (each->token == token && each->until_us < own->until_us)
            own = each;
        if (each->until_us < first->until_us)
            first = each;
    }
    if (count >= LAB_SESSIONS_OF_TOKEN_MAX)
        return own;
    if (free_place != NULL)
        return free_place;
    return sessions->used < PLACES ? &sessions->places[sessions->used++] : first;
}

bool lab_sessions_open(struct lab_sessions *sessions, int64_t token, int64_t now_us, char id[LAB_SECRET_SIZE])
{
    struct session session = {.token = token, .until_us = now_us + (int64_t)LAB_SESSION_S * 1000000};
    if (!lab_secret_create("", id))
        return false;
    lab_secret_digest(id, strlen(id), session.digest);
    pthread_mutex_lock(&sessions->lock);
    struct session *place = place_for(sessions, token);
    end(place);
    *place = session;
    LIST_INSERT_HEAD(&sessions->buckets[bucket_of(session.digest)], place, in_bucket);
    pthread_mutex_unlock(&sessions->lock);
    return true;
}

/* The session with this id; NULL when there is none. The caller holds the lock. */
static struct session *find(struct lab_sessions *sessions, const char *id)
{
    unsigned char digest[LAB_DIGEST_BYTES];
    lab_secret_digest(id, strlen(id), digest);
    struct session *each;
    LIST_FOREACH (each, &sessions->buckets[bucket_of(digest)], in_bucket)
        if (lab_digest_equal(each->digest, digest))
            return each;
    return NULL;
}

int64_t lab_sessions_find(struct lab_sessions *sessions, const char *id, int64_t now_us)
{
    pthread_mutex_lock(&sessions->lock);
    const struct session *session = find(sessions, id);
    int64_t token = session != NULL && now_us < session->until_us ? session->token : 0;
    pthread_mutex_unlock(&sessions->lock);
    return token;
}

void lab_sessions_close(struct lab_sessions *sessions, const char *id)
{
    pthread_mutex_lock(&sessions->lock);
    struct session *session = find(sessions, id);
    if (session != NULL)
        end(session);
    pthread_mutex_unlock(&sessions->lock);
}

void lab_sessions_close_all(struct lab_sessions *sessions, int64_t token)
{
    pthread_mutex_lock(&sessions->lock);
    for (size_t i = 0; i < sessions->used; i++)
        if (sessions->places[i].token == token)
            end(&sessions->places[i]);
    pthread_mutex_unlock(&sessions->lock);
}
