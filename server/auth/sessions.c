#include "sessions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 8, SETS = LAB_SESSIONS_MAX / WAYS };

struct session {
    unsigned char digest[LAB_DIGEST_BYTES];
    int64_t token; /* 0: the place is free */
    int64_t until_us;
};

/* A session is in one of the WAYS places of the set that the beginning of its digest selects. */
struct lab_sessions {
    pthread_mutex_t lock;
    struct session places[SETS][WAYS];
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

static struct session *set_of(struct lab_sessions *sessions, const unsigned char *digest)
{
    return sessions->places[(digest[0] << 8 | digest[1]) % SETS];
}

/* A free place of the set, else that of the session that ends first. */
static struct session *place_in(struct session *set)
{
    struct session *place = &set[0];
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].token == 0 || (place->token != 0 && set[i].until_us < place->until_us))
            place = &set[i];
    return place;
}

bool lab_sessions_open(struct lab_sessions *sessions, int64_t token, int64_t now_us, char id[LAB_SECRET_SIZE])
{
    struct session session = {.token = token, .until_us = now_us + (int64_t)LAB_SESSION_S * 1000000};
    if (!lab_secret_create("", id))
        return false;
    lab_secret_digest(id, strlen(id), session.digest);
    pthread_mutex_lock(&sessions->lock);
    *place_in(set_of(sessions, session.digest)) = session;
    pthread_mutex_unlock(&sessions->lock);
    return true;
}

/* The session with this id; NULL when there is none. The caller holds the lock. */
static struct session *find(struct lab_sessions *sessions, const char *id)
{
    unsigned char digest[LAB_DIGEST_BYTES];
    lab_secret_digest(id, strlen(id), digest);
    struct session *set = set_of(sessions, digest);
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].token != 0 && lab_digest_equal(set[i].digest, digest))
            return &set[i];
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
        session->token = 0;
    pthread_mutex_unlock(&sessions->lock);
}

void lab_sessions_close_all(struct lab_sessions *sessions, int64_t token)
{
    pthread_mutex_lock(&sessions->lock);
    for (size_t set = 0; set < SETS; set++)
        for (size_t i = 0; i < WAYS; i++)
            if (sessions->places[set][i].token == token)
                sessions->places[set][i].token = 0;
    pthread_mutex_unlock(&sessions->lock);
}
