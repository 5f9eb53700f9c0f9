/* What `gpulab devices` and `gpulab experiments` have in common. */
#include "listing.h"

#include "client_command.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"

#include <stdio.h>
#include <string.h>

static void print(const json_t *document, bool json, void (*print_text)(const json_t *document))
{
    if (json)
        lab_print_json(document);
    else
        print_text(document);
}

static void print_unknown(const struct lab_listing *listing, const json_t *document, const char *word)
{
    char list[32], near[LAB_SUGGESTION_SIZE];
    struct lab_suggestion suggestion = {.given = word, .length = strlen(word)};
    snprintf(list, sizeof list, "%ss", listing->item);
    lab_list_suggest(json_object_get(document, list), listing->key, &suggestion);
    fprintf(stderr, "gpulab: unknown %s '%s'; 'gpulab %s' lists all.%s\n", listing->item, word, list,
            lab_suggestion_text(&suggestion, near));
}

static enum lab_exit_code print_item(const struct lab_listing *listing, struct lab_context *context,
                                     const json_t *document, const char *word)
{
    struct lab_error error = {0};
    json_t *item = listing->find(document, word);
    if (item == NULL && (listing->is_unlisted == NULL || !listing->is_unlisted(word))) {
        print_unknown(listing, document, word);
        return listing->missing;
    }
    json_t *details =
        listing->details != NULL ? listing->details(context->session.client, word, &error) : json_incref(item);
    if (details == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    print(details, context->json, listing->print_one);
    json_decref(details);
    return LAB_EXIT_OK;
}

static enum lab_exit_code list(struct lab_context *context, void *values)
{
    const struct lab_listing *listing = values;
    struct lab_error error = {0};
    const char *word = context->arguments.words.items[0];
    enum lab_exit_code code = LAB_EXIT_OK;
    json_t *document =
        context->session.client != NULL ? lab_get(context->session.client, listing->path, &error) : listing->built_in();
    if (document == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    if (word != NULL)
        code = print_item(listing, context, document, word);
    else
        print(document, context->json, listing->print_all);
    json_decref(document);
    return code;
}

int lab_listing_main(const struct lab_listing *listing, const struct lab_invocation *invocation)
{
    static const bool temporary = true;
    const struct lab_client_command command = {
        .usage = listing->usage,
        .words_max = 1,
        .temporary = &temporary,
        .lab_optional = listing->built_in != NULL,
        .work = list,
    };
    struct lab_listing values = *listing;
    return lab_client_command_main(&command, NULL, &values, invocation);
}
