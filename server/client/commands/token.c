/* gpulab token add, list and revoke: who may use a lab over TCP. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/table.h"

#include "core/json_members.h"
#include "core/role.h"

#include <stdio.h>
#include <string.h>

static const char tokens_path[] = "/api/v1/tokens";

struct token_options {
    const char *role;
};

static const struct lab_option token_options[] = {
    {.name = "--role",
     .value = "ROLE",
     .help =
         "The role of a new token. participant: runs kernels and experiments, sees and cancels its own runs; viewer: reads; operator: also runs, cancels and edits, and deletes runs of its own; admin: "
         "everything.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = lab_role_names + LAB_ROLE_PARTICIPANT},
     .offset = offsetof(struct token_options, role)},
    {0},
};

static const char usage[] =
    "Usage: gpulab token add NAME --role participant|viewer|operator|admin\n"
    "       gpulab token list\n"
    "       gpulab token revoke ID|NAME\n\n"
    "Manages the tokens that a lab demands over TCP as soon as there is one. 'add' prints the token: it is shown once, and\n"
    "the lab keeps only its hash. A script sends it as 'Authorization: Bearer TOKEN', a command reads it from\n"
    "--token-file, and the page asks for it. 'revoke' also ends the sessions of the page.\n";

/* The tokens as in GET /tokens, a new reference; NULL after printing an error. */
static json_t *get_tokens(struct lab_context *context)
{
    struct lab_error error;
    json_t *document = lab_get(context->session.client, tokens_path, &error);
    if (document == NULL)
        lab_print_error(&error);
    return document;
}

/* --- add ---------------------------------------------------------------------------------------------------------- */

static enum lab_exit_code add(struct lab_context *context, const char *name, const struct token_options *options)
{
    struct lab_errors errors = {0};
    if (options->role == NULL) {
        lab_errors_add(&errors, LAB_ERROR_USAGE, "--role",
                       "is missing; it must be participant, viewer, operator or admin");
        return lab_fail(LAB_EXIT_USAGE, &errors);
    }
    json_t *reply, *body = json_pack("{s:s, s:s}", "name", name, "role", options->role);
    const struct lab_call call = {.method = "POST", .path = tokens_path, .body = body};
    enum lab_exit_code code = lab_api_call(context->session.client, &call, &reply, NULL, &errors);
    json_decref(body);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (context->json) {
        lab_print_json(reply);
    } else {
        fprintf(stderr, "gpulab: the token of %s (%s), which is shown only this once:\n", name, options->role);
        printf("%s\n", lab_text_of(reply, "secret"));
    }
    json_decref(reply);
    return LAB_EXIT_OK;
}

/* --- list --------------------------------------------------------------------------------------------------------- */

static void print_tokens(const json_t *document)
{
    static const char *const titles[] = {"id", "name", "role", "created", "last used"};
    static const char *const members[] = {"id", "name", "role", "created_at", "last_used_at"};
    enum { COLUMNS = sizeof titles / sizeof *titles, MINUTES = 16 /* characters of a time, up to its minutes */ };
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *token;
    for (size_t i = 0; i < COLUMNS; i++)
        lab_table_column(table, titles[i], LAB_COLUMN_LEFT);
    json_array_foreach(json_object_get(document, "tokens"), index, token)
    {
        for (size_t i = 0; i < COLUMNS; i++) {
            const char *text = lab_text_of(token, members[i]);
            int width = i >= 3 ? MINUTES : (int)strlen(text);
            lab_table_cell(table, "%.*s", width, text[0] != '\0' ? text : "never");
        }
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static enum lab_exit_code list(struct lab_context *context)
{
    json_t *document = get_tokens(context);
    if (document == NULL)
        return LAB_EXIT_ERROR;
    if (context->json)
        lab_print_json(document);
    else
        print_tokens(document);
    json_decref(document);
    return LAB_EXIT_OK;
}

/* --- revoke ------------------------------------------------------------------------------------------------------- */

/* The token with this name or, if there is none, this id; borrowed. */
static const json_t *find_token(const json_t *document, const char *word)
{
    const json_t *tokens = json_object_get(document, "tokens"), *named = lab_list_find(tokens, word);
    size_t index;
    json_t *token;
    if (named != NULL)
        return named;
    json_array_foreach(tokens, index, token)
    {
        if (strcmp(lab_text_of(token, "id"), word) == 0)
            return token;
    }
    return NULL;
}

static enum lab_exit_code revoke(struct lab_context *context, const char *word)
{
    struct lab_errors errors = {0};
    char path[80];
    enum lab_exit_code code = LAB_EXIT_ERROR;
    json_t *document = get_tokens(context);
    if (document == NULL)
        return code;
    const json_t *token = find_token(document, word);
    if (token == NULL) {
        lab_errors_add(&errors, LAB_ERROR_NOT_FOUND, word, "there is no such token; 'gpulab token list' lists all");
        code = LAB_EXIT_USAGE;
    } else {
        snprintf(path, sizeof path, "%s/%s", tokens_path, lab_text_of(token, "id"));
        const struct lab_call call = {.method = "DELETE", .path = path};
        code = lab_api_call(context->session.client, &call, NULL, NULL, &errors);
    }
    if (code == LAB_EXIT_OK && json_array_size(json_object_get(document, "tokens")) == 1)
        fprintf(stderr,
                "gpulab: this was the last token: a lab that listens on loopback now lets everyone in who can "
                "reach it.\n");
    json_decref(document);
    return code == LAB_EXIT_OK ? code : lab_fail(code, &errors);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static enum lab_exit_code work(struct lab_context *context, void *values)
{
    const struct lab_texts *words = &context->arguments.words;
    struct lab_errors errors = {0};
    if (strcmp(words->items[0], "add") == 0 && words->count == 2)
        return add(context, words->items[1], values);
    if (strcmp(words->items[0], "list") == 0 && words->count == 1)
        return list(context);
    if (strcmp(words->items[0], "revoke") == 0 && words->count == 2)
        return revoke(context, words->items[1]);
    lab_errors_add(&errors, LAB_ERROR_USAGE, words->items[0],
                   "must be 'add NAME', 'list' or 'revoke ID|NAME'; see --help");
    return lab_fail(LAB_EXIT_USAGE, &errors);
}

int lab_command_token(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {.usage = usage, .words_min = 1, .words_max = 2, .work = work};
    struct token_options options = {0};
    const struct lab_option_group groups[] = {{"Token", token_options, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
