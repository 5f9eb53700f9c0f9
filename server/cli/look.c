/* What commands that only look share. */
#include "look.h"

#include <stdio.h>

static const struct lab_option output_options[] = {
    {.name = "--json",
     .help = "Print one JSON document, as the HTTP API gives it.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_look, json)},
    {0},
};

enum lab_exit_code lab_look_parse(struct lab_look *look, int argc, char **argv, const char *usage)
{
    struct lab_errors errors = {0};
    struct lab_error error;
    const struct lab_option_group groups[] = {
        {"Output", output_options, look},
        {"Which lab", lab_client_options, &look->config},
        {"Store", lab_store_options, &look->config},
        {"Worker", lab_worker_options_table, &look->config},
        {0},
    };
    bool understood = lab_options_parse(groups, argc, argv, &look->arguments, &errors);
    if (look->arguments.help) {
        fputs(usage, stdout);
        lab_options_help(stdout, groups);
        fputs(lab_exit_help, stdout);
        return LAB_EXIT_OK;
    }
    if (understood && look->arguments.words.count > 1)
        understood = lab_errors_add(&errors, "usage", look->arguments.words.items[1], "One word too many; see --help.");
    if (!understood) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    if (!lab_config_complete(&look->config, &error)) {
        lab_print_error(&error);
        return LAB_EXIT_USAGE;
    }
    return LAB_EXIT_OK;
}
