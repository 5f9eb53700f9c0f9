/* GET and POST /api/v1/tokens, DELETE /api/v1/tokens/{id}: who may use the lab over TCP. The store keeps the tokens,
 * server/auth has the active ones in memory. */
#include "openapi/schemas.h"
#include "resources.h"

#include "jobs/run_json.h"

#include "core/clock.h"
#include "core/json_members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the tokens in memory ----------------------------------------------------------------------------------------- */

static void load_token(void *context, const struct lab_token_row *row)
{
    struct lab_token token = {.id = row->id,
                              .created_at = row->created_at,
                              .used_at = row->last_used_at != LAB_NO_TIME ? row->last_used_at : 0};
    if (!lab_role_parse(row->role, &token.role))
        return;
    snprintf(token.name, sizeof token.name, "%s", row->name);
    memcpy(token.digest, row->hash, sizeof token.digest);
    lab_auth_add_token(context, &token);
}

bool lab_api_load_tokens(struct lab_store *store, struct lab_auth *auth)
{
    return lab_store_list_tokens(store, load_token, auth) == LAB_STORE_OK;
}

void lab_api_save_token_uses(struct lab_store *store, struct lab_auth *auth)
{
    struct lab_token *list = calloc(LAB_TOKENS_MAX, sizeof *list);
    size_t count = list != NULL ? lab_auth_tokens(auth, true, list) : 0;
    for (size_t i = 0; i < count; i++)
        lab_store_use_token(store, list[i].id, list[i].used_at);
    free(list);
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

static json_t *token_json(const struct lab_token *token)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRId64, token->id);
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "id", id, "name", token->name, "role", lab_role_name(token->role),
                     "created_at", lab_json_time_or_null(token->created_at), "last_used_at",
                     lab_json_time_or_null(token->used_at != 0 ? token->used_at : LAB_NO_TIME));
}

void lab_api_list_tokens(const struct lab_request *request, struct lab_response *response)
{
    struct lab_token *list = calloc(LAB_TOKENS_MAX, sizeof *list);
    size_t count = list != NULL ? lab_auth_tokens(lab_api_of(request)->auth, false, list) : 0;
    json_t *tokens = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(tokens, token_json(&list[i]));
    lab_respond_json(response, 200, list != NULL ? json_pack("{s:o}", "tokens", tokens) : NULL);
    if (list == NULL)
        json_decref(tokens);
    free(list);
}

/* A name is part of log lines and of requested_by, so it has no spaces and no control characters. */
static bool check_name(const char *name, struct lab_response *response)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+-";
    struct lab_errors errors = {0};
    if (name[strspn(name, allowed)] == '\0')
        return true;
    lab_errors_add(&errors, LAB_ERROR_BAD_NAME, "/name",
                   "'name' must have only letters, digits and the characters . _ @ + -");
    lab_reply_invalid(response, &errors);
    return false;
}

static void respond_created(struct lab_response *response, const struct lab_token *token, const char *secret)
{
    char location[64];
    snprintf(location, sizeof location, "/api/v1/tokens/%" PRId64, token->id);
    json_t *body = token_json(token);
    json_object_set_new(body, "secret", json_string(secret));
    lab_respond_header(response, "Location", location);
    lab_respond_header(response, "Cache-Control", "no-store");
    lab_respond_json(response, 201, body);
}

static void refuse_too_many(struct lab_response *response)
{
    lab_respond_problem(response, LAB_ERROR_TOO_MANY_TOKENS, "There are 256 tokens already; revoke one first.", NULL);
}

/* Stores the token, then makes it active. */
static void add(const struct lab_request *request, struct lab_response *response, struct lab_token *token,
                const char *secret)
{
    struct lab_api *api = lab_api_of(request);
    const struct lab_token_row row = {.name = token->name,
                                      .role = lab_role_name(token->role),
                                      .hash = token->digest,
                                      .created_at = token->created_at};
    enum lab_store_result result = lab_store_add_token(api->store, &row, &token->id);
    if (result == LAB_STORE_CONFLICT) {
        lab_respond_problem(response, LAB_ERROR_NAME_IN_USE, "An active token has this name already; revoke it first.",
                            NULL);
    } else if (result != LAB_STORE_OK) {
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
    } else if (!lab_auth_add_token(api->auth, token)) {
        lab_store_revoke_token(api->store, token->id, token->created_at);
        refuse_too_many(response);
    } else {
        respond_created(response, token, secret);
    }
}

void lab_api_create_token(const struct lab_request *request, struct lab_response *response)
{
    const json_t *body = lab_request_json(request);
    const char *name = json_string_value(json_object_get(body, "name"));
    struct lab_token token = {.created_at = lab_time_now()};
    char secret[LAB_SECRET_SIZE];
    lab_role_parse(json_string_value(json_object_get(body, "role")), &token.role);
    snprintf(token.name, sizeof token.name, "%s", name);
    if (!check_name(name, response))
        return;
    if (!lab_secret_create("gpulab_", secret)) {
        lab_respond_problem(response, LAB_ERROR_NO_RANDOMNESS, "The system has no randomness for a secret.", NULL);
        return;
    }
    lab_secret_digest(secret, strlen(secret), token.digest);
    add(request, response, &token, secret);
}

void lab_api_delete_token(const struct lab_request *request, struct lab_response *response)
{
    struct lab_api *api = lab_api_of(request);
    const char *part = lab_request_part(request, "id");
    char *end;
    int64_t id = strtoll(part, &end, 10);
    enum lab_store_result result =
        *end == '\0' ? lab_store_revoke_token(api->store, id, lab_time_now()) : LAB_STORE_NOT_FOUND;
    if (result == LAB_STORE_OK) {
        lab_auth_remove_token(api->auth, id);
        lab_respond_empty(response, 204);
    } else if (result == LAB_STORE_NOT_FOUND) {
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Token not found.", NULL);
    } else {
        lab_reply_store_error(request, response, result);
    }
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema tokens_members[] = {
    {LAB_GIVEN(OBJECT, "tokens"), .count = LAB_LIST, .component = "Token"},
    {0},
};

static const struct lab_schema token_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(CHOICE, "role"), .choices = lab_role_names + LAB_ROLE_PARTICIPANT},
    {LAB_GIVEN(TIME, "created_at"), .component = "Time"},
    {LAB_GIVEN(TIME, "last_used_at"), .nullable = true, .component = "Time", .text = "In whole minutes."},
    {0},
};

static const struct lab_schema new_token_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(CHOICE, "role"), .choices = lab_role_names + LAB_ROLE_PARTICIPANT},
    {LAB_GIVEN(TIME, "created_at"), .component = "Time"},
    {LAB_GIVEN(TIME, "last_used_at"), .nullable = true, .component = "Time"},
    {LAB_GIVEN(STRING, "secret"), .text = "The token itself: `Authorization: Bearer SECRET`."},
    {0},
};

const struct lab_schema lab_tokens_documents[] = {
    {.name = "Tokens", .type = LAB_TYPE_OBJECT, .members = tokens_members},
    {.name = "Token", .type = LAB_TYPE_OBJECT, .members = token_members},
    {.name = "NewToken", .type = LAB_TYPE_OBJECT, .members = new_token_members},
    {0},
};
