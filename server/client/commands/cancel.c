/* gpulab cancel ID… and gpulab delete ID…: end runs, or remove them from the history. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"

#include "core/text.h"

#include <stdio.h>

/* What is done with each run. */
struct operation {
    const char *done; /* "cancelled": of the messages */
    enum lab_exit_code (*apply)(struct lab_client *client, const char *id, struct lab_errors *errors);
};

/* Applies the operation to a run. Errors without a pointer get the word that names the run. */
static enum lab_exit_code apply(struct lab_client *client, const struct operation *operation, const char *word,
                                char id[LAB_RUN_ID_SIZE])
{
    struct lab_errors errors = {0};
    enum lab_exit_code code = lab_run_search(client, word, id, &errors);
    if (code == LAB_EXIT_OK)
        code = operation->apply(client, id, &errors);
    if (errors.count > 0 && errors.items[0].pointer[0] == '\0')
        lab_utf8_copy(errors.items[0].pointer, sizeof errors.items[0].pointer, word);
    return code == LAB_EXIT_OK ? code : lab_fail(code, &errors);
}

/* Applies the operation to all runs that the command line names. Those that fail do not keep it from the others. */
static enum lab_exit_code apply_to_all(struct lab_context *context, void *values)
{
    const struct operation *operation = values;
    const struct lab_texts *words = &context->arguments.words;
    enum lab_exit_code result = LAB_EXIT_OK;
    json_t *ids = json_array();
    for (size_t i = 0; i < words->count; i++) {
        char id[LAB_RUN_ID_SIZE];
        enum lab_exit_code code = apply(context->session.client, operation, words->items[i], id);
        if (code != LAB_EXIT_OK)
            result = code;
        else if (context->json)
            json_array_append_new(ids, json_string(id));
        else
            printf("%s %s\n", id, operation->done);
    }
    if (context->json) {
        json_t *document = json_pack("{s:O}", operation->done, ids);
        lab_print_json(document);
        json_decref(document);
    }
    json_decref(ids);
    return result;
}

int lab_command_cancel(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab cancel ID... [OPTIONS]\n\n"
        "Cancels queued or running runs. ID is the id of a run, 8 or more characters at its beginning, or 'latest'.\n"
        "A running run ends as soon as its worker has stopped; 'gpulab watch ID' waits for that.\n";
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = LAB_TEXTS_MAX, .history = true, .work = apply_to_all};
    struct operation cancel = {"cancelled", lab_cancel_run};
    return lab_client_command_main(&command, NULL, &cancel, invocation);
}

int lab_command_delete(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab delete ID... [OPTIONS]\n\n"
        "Deletes runs with their results, for ever. ID is the id of a run, or 8 or more characters at its beginning. A\n"
        "run that is queued or running must be cancelled before, and a pinned run unpinned.\n";
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = LAB_TEXTS_MAX, .history = true, .work = apply_to_all};
    struct operation delete = {"deleted", lab_run_delete};
    return lab_client_command_main(&command, NULL, &delete, invocation);
}
