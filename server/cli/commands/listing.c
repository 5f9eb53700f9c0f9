/* What `gpulab devices` and `gpulab experiments` have in common. */
#include "listing.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "lab/session.h"

#include <stdio.h>

struct listing_options {
    struct lab_config config;
    bool json;
};

static const struct lab_option output_options[] = {
    {.name = "--json",
     .help = "Print the JSON document of the HTTP API instead of a table.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct listing_options, json)},
    {0},
};

/* Gets the document from the lab or from listing->built_in, a new reference. On failure returns NULL with *code and
 * *error set. */
static json_t *get_document(const struct lab_listing *listing, struct lab_config *config, enum lab_exit_code *code,
                            struct lab_error *error)
{
    struct lab_session session;
    json_t *document = NULL;
    *code = LAB_EXIT_OK;
    if (!lab_session_find(&session, config, error)) {
        if (config->server == NULL && listing->built_in != NULL)
            return listing->built_in();
        *code = lab_session_open(&session, config, true, -1, error);
    }
    if (*code == LAB_EXIT_OK && (document = lab_get(session.client, listing->path, error)) == NULL)
        *code = LAB_EXIT_ERROR;
    lab_session_close(&session);
    return document;
}

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

int lab_listing_main(const struct lab_listing *listing, int argc, char **argv)
{
    struct listing_options options = {0};
    struct lab_arguments arguments = {0};
    struct lab_errors errors = {0};
    struct lab_error error = {0};
    enum lab_exit_code code;
    const struct lab_option_group groups[] = {
        {"Output", output_options, &options},
        {"Lab", lab_client_options, &options.config},
        {"Database", lab_database_options, &options.config},
        {"Worker", lab_worker_options_table, &options.config},
        {0},
    };
    bool understood = lab_options_parse(groups, argc, argv, &arguments, &errors);
    if (arguments.help) {
        fputs(listing->usage, stdout);
        lab_options_help(stdout, groups);
        fputs(lab_exit_help, stdout);
        return LAB_EXIT_OK;
    }
    if (understood && arguments.words.count > 1)
        understood = lab_errors_add(&errors, "usage", arguments.words.items[1],
                                    "unexpected argument: at most one is allowed; see --help");
    if (!understood || !lab_config_complete(&options.config, &errors)) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    json_t *document = get_document(listing, &options.config, &code, &error);
    if (document != NULL)
        code = print_document(listing, document, arguments.words.items[0], options.json);
    else
        lab_print_error(&error);
    json_decref(document);
    lab_config_release(&options.config);
    return code;
}
