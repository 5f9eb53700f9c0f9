/* What the commands share that use a lab. */
#include "client_command.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OWN_GROUPS_MAX = 4 };

static const struct lab_option output_options[] = {
    {.name = "--json",
     .help = "Print the JSON document of the HTTP API instead of a text.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_context, json)},
    {0},
};

static const struct lab_option lab_options[] = {
    {.name = "--server",
     .value = "URL",
     .help = "The address of the lab to use, for example http://127.0.0.1:8080. Default: the lab that serves the "
             "database, if there is one.",
     .environment = true,
     .offset = offsetof(struct lab_session_options, server)},
    {.name = "--token-file",
     .value = "FILE",
     .help =
         "A file whose only line is the token that the lab at --server demands. Users other than its owner must not "
         "be able to read it.",
     .environment = true,
     .offset = offsetof(struct lab_session_options, token_file)},
    {0},
};

enum lab_exit_code lab_send(struct lab_context *context, const char *method, const char *path, const json_t *body,
                            const char *said)
{
    struct lab_errors errors = {0};
    json_t *reply = NULL;
    const struct lab_call call = {.method = method, .path = path, .body = body};
    enum lab_exit_code code = lab_api_call(context->session.client, &call, &reply, NULL, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (context->json && reply != NULL)
        lab_print_json(reply);
    else if (said != NULL)
        puts(said);
    json_decref(reply);
    return LAB_EXIT_OK;
}

enum lab_exit_code lab_fail(enum lab_exit_code code, const struct lab_errors *errors)
{
    lab_print_errors(errors);
    return code;
}

static bool check_words(const struct lab_client_command *command, const struct lab_texts *words,
                        struct lab_errors *errors)
{
    if (words->count > command->words_max)
        return lab_errors_add(errors, LAB_ERROR_USAGE, words->items[command->words_max],
                              "unexpected argument: at most %zu allowed; see --help", command->words_max);
    if (words->count < command->words_min)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "", "an argument is missing; see --help");
    return true;
}

static enum lab_exit_code open_lab(const struct lab_client_command *command, struct lab_context *context,
                                   struct lab_error *error)
{
    if (command->lab_optional && context->lab.server == NULL) {
        lab_session_find(&context->session, &context->lab, &context->config, error);
        return LAB_EXIT_OK;
    }
    bool temporary = command->temporary != NULL && *command->temporary;
    context->lab.private.kind = temporary          ? LAB_PRIVATE_TEMPORARY
                                : command->history ? LAB_PRIVATE_HISTORY
                                                   : LAB_PRIVATE_RUNS;
    return lab_session_open(&context->session, &context->lab, &context->config, context->signals, error);
}

static enum lab_exit_code work(const struct lab_client_command *command, struct lab_context *context, void *values)
{
    struct lab_error error = {0};
    context->signals = command->signals ? lab_signals_open() : -1;
    enum lab_exit_code code = open_lab(command, context, &error);
    if (code == LAB_EXIT_OK)
        code = command->work(context, values);
    else
        lab_print_error(&error);
    lab_session_close(&context->session);
    lab_config_release(&context->config);
    close(context->signals);
    return code;
}

int lab_client_command_main(const struct lab_client_command *command, const struct lab_option_group *options,
                            void *values, const struct lab_invocation *invocation)
{
    struct lab_context context = {.lab.private.service = invocation->private_service,
                                  .arguments.dash_words = command->dash_words};
    struct lab_errors errors = {0};
    const struct lab_option_group common[] = {
        {"Output", output_options, &context},
        {"Lab", lab_options, &context.lab},
        {"Database", lab_database_options, &context.config},
        {"Worker", lab_worker_options_table, &context.config},
    };
    struct lab_option_group groups[OWN_GROUPS_MAX + sizeof common / sizeof *common + 1] = {0};
    size_t own = 0;
    while (options != NULL && own < OWN_GROUPS_MAX && options[own].options != NULL) {
        groups[own] = options[own];
        own++;
    }
    memcpy(groups + own, common, sizeof common - (command->history ? sizeof *common : 0)); /* without the worker's */
    bool understood = lab_options_parse(groups, invocation->argc, invocation->argv, &context.arguments, &errors);
    if (context.arguments.help) {
        fputs(command->usage, stdout);
        if (command->describe != NULL)
            command->describe(&context.arguments.words);
        lab_options_help(stdout, groups);
        fputs(lab_exit_help, stdout);
        return LAB_EXIT_OK;
    }
    if (!understood || !check_words(command, &context.arguments.words, &errors) ||
        (command->check != NULL && !command->check(&context, values, &errors)) ||
        !lab_config_complete(&context.config, &errors))
        return lab_fail(LAB_EXIT_USAGE, &errors);
    return work(command, &context, values);
}
