/* GET, POST and DELETE /api/v1/session: the session of a browser, in a cookie. */
#include "openapi/schemas.h"
#include "resources.h"

#include "auth/sessions.h"

#include <stdio.h>

/* Sets the cookie for `seconds`; 0 removes it. No script can read it, and no other site's page makes the browser send
 * it. */
static void set_cookie(const struct lab_request *request, struct lab_response *response, const char *session,
                       int seconds)
{
    char cookie[LAB_SECRET_SIZE + LAB_BASE_PATH_MAX + 128];
    snprintf(cookie, sizeof cookie, LAB_SESSION_COOKIE "=%s; Path=%s/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
             session, lab_request_base_path(request), seconds, lab_request_is_encrypted(request) ? "; Secure" : "");
    lab_respond_header(response, "Set-Cookie", cookie);
}

static void respond_identity(const struct lab_request *request, struct lab_response *response,
                             const struct lab_identity *identity)
{
    bool demanded = lab_auth_demands_tokens(lab_api_of(request)->auth);
    lab_respond_header(response, "Cache-Control", "no-store");
    lab_respond_json(response, 200,
                     json_pack("{s:s?, s:s?, s:b}", "name", identity->name[0] != '\0' ? identity->name : NULL, "role",
                               identity->role != LAB_ROLE_PUBLIC ? lab_role_name(identity->role) : NULL,
                               "tokens_demanded", demanded));
}

void lab_api_get_session(const struct lab_request *request, struct lab_response *response)
{
    respond_identity(request, response, lab_request_identity(request));
}

void lab_api_create_session(const struct lab_request *request, struct lab_response *response)
{
    const char *token = json_string_value(json_object_get(lab_request_json(request), "token"));
    struct lab_identity identity;
    enum lab_auth_result result;
    char session[LAB_SECRET_SIZE];
    if (lab_auth_open_session(lab_api_of(request)->auth, token, session, &identity, &result)) {
        lab_respond_signed_in(response, &identity);
        set_cookie(request, response, session, LAB_SESSION_S);
        respond_identity(request, response, &identity);
    } else if (result == LAB_AUTH_UNKNOWN) {
        lab_respond_header(response, "WWW-Authenticate", "Bearer realm=\"gpulab\", error=\"invalid_token\"");
        lab_respond_problem(response, LAB_ERROR_UNKNOWN_TOKEN, "The token is unknown or was revoked.", NULL);
    } else {
        lab_respond_problem(response, LAB_ERROR_NO_RANDOMNESS, "The system has no randomness for a secret.", NULL);
    }
}

void lab_api_delete_session(const struct lab_request *request, struct lab_response *response)
{
    const char *session = lab_request_cookie(request, LAB_SESSION_COOKIE);
    if (session != NULL)
        lab_auth_close_session(lab_api_of(request)->auth, session);
    set_cookie(request, response, "", 0);
    lab_respond_empty(response, 204);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema session_members[] = {
    {LAB_GIVEN(STRING, "name"), .nullable = true, .text = "The name of the token, or of the user on the Unix socket."},
    {LAB_GIVEN(CHOICE, "role"), .nullable = true, .choices = lab_role_names + LAB_ROLE_ANONYMOUS,
     .text = "null: whoever it is must sign in."},
    {LAB_GIVEN(BOOLEAN, "tokens_demanded"), .text = "Whether the lab demands tokens over TCP."},
    {0},
};

const struct lab_schema lab_sessions_documents[] = {
    {.name = "Session", .type = LAB_TYPE_OBJECT, .members = session_members},
    {0},
};
