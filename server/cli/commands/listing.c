/* What `gpulab devices` and `gpulab experiments` have in common. */
#include "listing.h"

#include "client_command.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"

#include <stdio.h>

static enum lab_exit_code print_document(const struct lab_listing *listing, const json_t *document, const char *word,
                                         bool json)
{
    const json_t *item = word != NULL ? listing->find(document, word) : NULL;
    if (word != NULL && item == NULL) {
        fprintf(stderr, "gpulab: unknown %s '%s'; 'gpulab %ss' lists all\n", listing->item, word, listing->item);
        return LAB_EXIT_USAGE;
    }
    if (json)
        lab_print_json(item != NULL ? item : document);
    else if (item != NULL)
        listing->print_one(item);
    else
        listing->print_all(document);
    return LAB_EXIT_OK;
}

static enum lab_exit_code list(struct lab_context *context, void *values)
{
    const struct lab_listing *listing = values;
    struct lab_error error = {0};
    enum lab_exit_code code = LAB_EXIT_ERROR;
    json_t *document =
        context->session.client != NULL ? lab_get(context->session.client, listing->path, &error) : listing->built_in();
    if (document != NULL)
        code = print_document(listing, document, context->arguments.words.items[0], context->json);
    else
        lab_print_error(&error);
    json_decref(document);
    return code;
}

int lab_listing_main(const struct lab_listing *listing, int argc, char **argv)
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
    return lab_client_command_main(&command, NULL, &values, argc, argv);
}
