/* Decides who sends a request, whether their role allows it, and whether they send too many (server/auth). */
#include "intake.h"

#include "auth/auth.h"

#include <math.h>
#include <string.h>

static void identify(struct lab_request *request, enum lab_auth_result *result)
{
    const struct lab_connection *connection = request->connection;
    const struct lab_peer *peer = &connection->peer;
    char user[LAB_PERSON_MAX + 1];
    if (peer->local)
        lab_users_name(&connection->http->users, peer->user, user);
    bool shared = request->shared_origin != NULL;
    const struct lab_credentials credentials = {
        .user = peer->local ? user : NULL,
        .loopback = peer->loopback,
        .authorization = shared ? NULL : request->headers[LAB_HEADER_AUTHORIZATION],
        .session = shared ? NULL : lab_request_cookie(request, LAB_SESSION_COOKIE),
    };
    *result = lab_auth_identify(connection->http->auth, &credentials, &request->identity);
}

static bool reject_rate(struct lab_request *request, double wait_s)
{
    lab_request_reject(request, false, LAB_ERROR_TOO_MANY_REQUESTS, "Too many requests at once; try again in %.0f s.",
                       ceil(wait_s));
    request->rejection.retry_after_s = (int)ceil(wait_s);
    return false;
}

static bool reject_unidentified(struct lab_request *request, enum lab_auth_result result)
{
    bool unknown = result == LAB_AUTH_UNKNOWN;
    lab_request_reject(request, false, unknown ? LAB_ERROR_UNKNOWN_TOKEN : LAB_ERROR_MISSING_TOKEN,
                       unknown ? "The token is unknown or was revoked."
                               : "A token is needed, as 'Authorization: Bearer TOKEN'. An admin adds one with 'gpulab "
                                 "token add NAME --role participant|viewer|operator|admin'.");
    request->rejection.challenge =
        unknown ? "Bearer realm=\"gpulab\", error=\"invalid_token\"" : "Bearer realm=\"gpulab\"";
    return false;
}

bool lab_access_check_again(struct lab_request *request)
{
    return lab_connection_may_listen(request->connection) || reject_unidentified(request, LAB_AUTH_UNKNOWN);
}

/* Whether the rights of a role include a route. */
static bool role_admits(enum lab_role role, const struct lab_route *route)
{
    if (role == LAB_ROLE_PARTICIPANT)
        return route->participants || route->role == LAB_ROLE_PUBLIC;
    return role >= route->role;
}

static bool reject_role(struct lab_request *request)
{
    enum lab_role needed = request->route->role > LAB_ROLE_VIEWER ? request->route->role : LAB_ROLE_VIEWER;
    return lab_request_reject(request, false, LAB_ERROR_ROLE_TOO_LOW, "This needs the role %s; the role of '%s' is %s.",
                              lab_role_name(needed), request->identity.name, lab_role_name(request->identity.role));
}

/* The files of the page need no token, and they are not limited: a browser loads many at once. But what reads the store
 * for the head of a page is: who sends too many gets the page without it. */
bool lab_access_check(struct lab_request *request)
{
    struct lab_auth *auth = request->connection->http->auth;
    enum lab_auth_result result = LAB_AUTH_OK;
    request->identity = (struct lab_identity){.role = LAB_ROLE_ADMIN};
    if (auth == NULL)
        return true;
    identify(request, &result);
    if (request->route == NULL && request->page == NULL)
        return true;
    double wait_s =
        lab_auth_limit(auth, &request->identity, request->connection->peer.network, !lab_request_is_read(request));
    if (request->route == NULL) {
        request->page = wait_s > 0 ? NULL : request->page;
        return true;
    }
    if (wait_s > 0)
        return reject_rate(request, wait_s);
    if (role_admits(request->identity.role, request->route))
        return true;
    if (result != LAB_AUTH_OK || request->identity.role == LAB_ROLE_ANONYMOUS)
        return reject_unidentified(request, result);
    return reject_role(request);
}
