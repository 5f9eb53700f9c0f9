/* Decides who sends a request, from its connection and its credentials, and whether they send too many. It does not
 * depend on HTTP: server/http passes what it needs. All functions may be called from any thread.
 *
 *   - Whoever can open the Unix socket is an admin, under the name of their user.
 *   - Over TCP, tokens are demanded while there is one, and always when other machines reach the address. Otherwise
 *     whoever reaches the address is an admin without a name.
 *   - With `anonymous`, tokens are demanded over TCP, but whoever has none may read what the lab shows to everyone.
 */
#ifndef LAB_AUTH_H
#define LAB_AUTH_H

#include "identity.h"
#include "tokens.h"

struct lab_auth;

struct lab_auth_options {
    bool demand_tokens;  /* over TCP, also while there is none */
    bool anonymous;      /* who has no token gets LAB_ROLE_ANONYMOUS over TCP; demands tokens for all else */
    unsigned rate_limit; /* requests a second of each client (limiter.h), a quarter for restricted roles; 0: no limit */
};

/* NULL when out of memory. */
struct lab_auth *lab_auth_create(const struct lab_auth_options *options);
/* NULL is allowed and does nothing. */
void lab_auth_free(struct lab_auth *auth);
/* Whether tokens are demanded over TCP now. */
bool lab_auth_demands_tokens(struct lab_auth *auth);
bool lab_auth_has_tokens(struct lab_auth *auth);

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* What is known of a request. Strings may be NULL. */
struct lab_credentials {
    const char *user;          /* not NULL: the request came over the Unix socket, from this user */
    bool loopback;             /* else: the client is on this machine */
    const char *authorization; /* the header's value */
    const char *session;       /* the value of the session's cookie */
};

enum lab_auth_result {
    LAB_AUTH_OK,
    LAB_AUTH_MISSING, /* a token is demanded, and there is none */
    LAB_AUTH_UNKNOWN, /* the token is unknown or was revoked */
};

/* Sets *identity; its role is LAB_ROLE_PUBLIC unless the result is LAB_AUTH_OK. */
enum lab_auth_result lab_auth_identify(struct lab_auth *auth, const struct lab_credentials *credentials,
                                       struct lab_identity *identity);
/* Counts a request of `identity`, or without a token of `address`. Returns 0 when it is allowed, else the seconds after
 * which it would be. */
double lab_auth_limit(struct lab_auth *auth, const struct lab_identity *identity, const char *address, bool write);

/* Whether the identity would still be given: its token was not revoked, and none is demanded of it since. For
 * connections that stay open, such as event streams. */
bool lab_auth_is_valid(struct lab_auth *auth, const struct lab_identity *identity);

/* --- tokens ------------------------------------------------------------------------------------------------------- */

/* False when there are LAB_TOKENS_MAX already. */
bool lab_auth_add_token(struct lab_auth *auth, const struct lab_token *token);
/* Removes the token and ends its sessions. Does nothing when it is unknown. */
void lab_auth_remove_token(struct lab_auth *auth, int64_t id);
/* As lab_tokens_list. */
size_t lab_auth_tokens(struct lab_auth *auth, bool changed, struct lab_token list[LAB_TOKENS_MAX]);

/* --- sessions ----------------------------------------------------------------------------------------------------- */

/* Opens a session for the holder of a token. False, with the reason in *result, when the token is unknown or the
 * session cannot be made (LAB_AUTH_OK: no randomness). */
bool lab_auth_open_session(struct lab_auth *auth, const char *secret, char session[LAB_SECRET_SIZE],
                           struct lab_identity *identity, enum lab_auth_result *result);
void lab_auth_close_session(struct lab_auth *auth, const char *session);

#endif
