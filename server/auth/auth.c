#include "auth.h"

#include "limiter.h"
#include "sessions.h"

#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct lab_auth {
    bool demand_tokens, anonymous;
    struct lab_tokens *tokens;
    struct lab_sessions *sessions;
    struct lab_limiter *limiter, *restricted_limiter; /* NULL: no limit */
};

struct lab_auth *lab_auth_create(const struct lab_auth_options *options)
{
    struct lab_auth *auth = calloc(1, sizeof *auth);
    if (auth == NULL)
        return NULL;
    auth->demand_tokens = options->demand_tokens || options->anonymous;
    auth->anonymous = options->anonymous;
    auth->tokens = lab_tokens_create();
    auth->sessions = lab_sessions_create();
    bool limited = options->rate_limit > 0;
    auth->limiter = limited ? lab_limiter_create(options->rate_limit) : NULL;
    auth->restricted_limiter = limited ? lab_limiter_create(fmax(1, options->rate_limit / 4.0)) : NULL;
    if (auth->tokens != NULL && auth->sessions != NULL &&
        (!limited || (auth->limiter != NULL && auth->restricted_limiter != NULL)))
        return auth;
    lab_auth_free(auth);
    return NULL;
}

void lab_auth_free(struct lab_auth *auth)
{
    if (auth == NULL)
        return;
    lab_tokens_free(auth->tokens);
    lab_sessions_free(auth->sessions);
    lab_limiter_free(auth->limiter);
    lab_limiter_free(auth->restricted_limiter);
    free(auth);
}

bool lab_auth_demands_tokens(struct lab_auth *auth)
{
    return auth->demand_tokens || lab_auth_has_tokens(auth);
}

bool lab_auth_has_tokens(struct lab_auth *auth)
{
    return lab_tokens_count(auth->tokens) > 0;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* The token in "Bearer TOKEN"; NULL for another scheme, such as that of a proxy's password. */
static const char *bearer_token(const char *authorization)
{
    static const char scheme[] = "Bearer ";
    if (strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return NULL;
    authorization += sizeof scheme - 1;
    return authorization + strspn(authorization, " ");
}

/* A session that is unknown counts as none, because browsers keep their cookie after a restart of the lab. */
enum lab_auth_result lab_auth_identify(struct lab_auth *auth, const struct lab_credentials *credentials,
                                       struct lab_identity *identity)
{
    *identity = (struct lab_identity){.role = LAB_ROLE_PUBLIC, .limited = true};
    if (credentials->user != NULL) {
        *identity = (struct lab_identity){.role = LAB_ROLE_ADMIN, .on_socket = true};
        snprintf(identity->name, sizeof identity->name, "%s", credentials->user);
        return LAB_AUTH_OK;
    }
    const char *token = credentials->authorization != NULL ? bearer_token(credentials->authorization) : NULL;
    if (token != NULL)
        return lab_tokens_find(auth->tokens, token, lab_time_now(), identity) ? LAB_AUTH_OK : LAB_AUTH_UNKNOWN;
    if (credentials->session != NULL) {
        int64_t id = lab_sessions_find(auth->sessions, credentials->session, lab_time_now());
        if (id != 0 && lab_tokens_find_id(auth->tokens, id, lab_time_now(), identity))
            return LAB_AUTH_OK;
    }
    if (auth->anonymous) {
        identity->role = LAB_ROLE_ANONYMOUS;
        return LAB_AUTH_OK;
    }
    if (lab_auth_demands_tokens(auth))
        return LAB_AUTH_MISSING;
    *identity = (struct lab_identity){.role = LAB_ROLE_ADMIN, .limited = !credentials->loopback};
    return LAB_AUTH_OK;
}

bool lab_auth_is_valid(struct lab_auth *auth, const struct lab_identity *identity)
{
    if (identity->token != 0)
        return lab_tokens_has(auth->tokens, identity->token);
    return identity->on_socket || identity->role == LAB_ROLE_ANONYMOUS || !lab_auth_demands_tokens(auth);
}

double lab_auth_limit(struct lab_auth *auth, const struct lab_identity *identity, const char *address, bool write)
{
    if (auth->limiter == NULL || !identity->limited)
        return 0;
    uint64_t client = identity->token != 0 ? lab_limiter_client(&identity->token, sizeof identity->token)
                                           : lab_limiter_client(address, strlen(address));
    bool restricted = lab_role_is_restricted(identity->role);
    return lab_limiter_take(restricted ? auth->restricted_limiter : auth->limiter, client, write,
                            lab_clock_coarse_ms());
}

/* --- tokens and sessions ------------------------------------------------------------------------------------------ */

bool lab_auth_add_token(struct lab_auth *auth, const struct lab_token *token)
{
    return lab_tokens_add(auth->tokens, token);
}

void lab_auth_remove_token(struct lab_auth *auth, int64_t id)
{
    lab_tokens_remove(auth->tokens, id);
    lab_sessions_close_all(auth->sessions, id);
}

size_t lab_auth_tokens(struct lab_auth *auth, bool changed, struct lab_token list[LAB_TOKENS_MAX])
{
    return lab_tokens_list(auth->tokens, changed, list);
}

bool lab_auth_open_session(struct lab_auth *auth, const char *secret, char session[LAB_SECRET_SIZE],
                           struct lab_identity *identity, enum lab_auth_result *result)
{
    bool known = lab_tokens_find(auth->tokens, secret, lab_time_now(), identity);
    *result = known ? LAB_AUTH_OK : LAB_AUTH_UNKNOWN;
    return known && lab_sessions_open(auth->sessions, identity->token, lab_time_now(), session);
}

void lab_auth_close_session(struct lab_auth *auth, const char *session)
{
    lab_sessions_close(auth->sessions, session);
}
