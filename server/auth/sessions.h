/* The sessions of browsers that have signed in: a random id, kept by the browser in a cookie, stands for a token. They
 * are in memory only, as digests: after a restart people sign in again. All functions may be called from any thread.
 */
#ifndef LAB_AUTH_SESSIONS_H
#define LAB_AUTH_SESSIONS_H

#include "secret.h"
#include "tokens.h"

#include <stdint.h>

enum {
    LAB_SESSIONS_OF_TOKEN_MAX = 64, /* beyond it, the oldest session of this token ends */
    LAB_SESSION_S = 30 * 24 * 3600,
};

struct lab_sessions;

/* NULL when out of memory. */
struct lab_sessions *lab_sessions_create(void);
/* NULL is allowed and does nothing. */
void lab_sessions_free(struct lab_sessions *sessions);
/* Opens a session for LAB_SESSION_S from `now_us` (microseconds since 1970). False when there is no randomness. */
bool lab_sessions_open(struct lab_sessions *sessions, int64_t token, int64_t now_us, char id[LAB_SECRET_SIZE]);
/* The id of the session's token; 0 for an unknown session, or one that has ended. */
int64_t lab_sessions_find(struct lab_sessions *sessions, const char *id, int64_t now_us);
void lab_sessions_close(struct lab_sessions *sessions, const char *id);
/* Closes all sessions of a token. */
void lab_sessions_close_all(struct lab_sessions *sessions, int64_t token);

#endif
