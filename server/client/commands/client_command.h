/* What the commands share that use a lab: they read their options, open the lab, do their work and close the lab. */
#ifndef LAB_CLIENT_COMMAND_H
#define LAB_CLIENT_COMMAND_H

#include "lab/session.h"

/* What a command was called with, and the lab that it uses. */
struct lab_context {
    struct lab_config config;
    struct lab_session_options lab;
    bool json; /* print the JSON documents of the API */
    struct lab_arguments arguments;
    int signals; /* descriptor from lab_signals_open; -1 unless command->signals */
    struct lab_session session;
};

struct lab_client_command {
    const char *usage;           /* the first lines of --help */
    size_t words_min, words_max; /* how many arguments that are not options it takes */
    bool dash_words;             /* an argument such as "-name" is not an option */
    bool signals;                /* signals do not end the command: its work reads them from context->signals */
    bool lab_optional;           /* without a lab, session.client is NULL; no private lab is started */
    bool history;                /* a private lab need not run experiments: it is LAB_PRIVATE_HISTORY */
    const bool *temporary;       /* points to true: a private lab is LAB_PRIVATE_TEMPORARY; NULL: false */
    /* Print what --help says about the arguments, and find what is wrong with arguments and options before the lab is
     * opened; both may be NULL. `check` returns false with errors. */
    void (*describe)(const struct lab_texts *words);
    bool (*check)(const struct lab_context *context, void *values, struct lab_errors *errors);
    /* Does the work and returns an exit code. Prints its errors itself. */
    enum lab_exit_code (*work)(struct lab_context *context, void *values);
};

/* Runs a command. `options` are the groups of options of the command itself, at most 4; NULL for none. `values` is
 * passed to check and work. Returns an exit code. */
int lab_client_command_main(const struct lab_client_command *command, const struct lab_option_group *options,
                            void *values, const struct lab_invocation *invocation);

/* Sends a request; `body` may be NULL. Prints the reply with --json, else the line `said`, if it is not NULL; or the
 * errors. */
enum lab_exit_code lab_send(struct lab_context *context, const char *method, const char *path, const json_t *body,
                            const char *said);

/* Prints the errors and returns `code`. */
enum lab_exit_code lab_fail(enum lab_exit_code code, const struct lab_errors *errors);

#endif
