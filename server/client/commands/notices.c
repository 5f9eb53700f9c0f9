/* gpulab channel and gpulab alert: by which channels people are told, of what, and what became of the notices. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "lab/token_file.h"
#include "output/table.h"

#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what both share ---------------------------------------------------------------------------------------------- */

/* Prints the document at `path`: a table of the members of the objects in its list `name`. */
static enum lab_exit_code print_list(struct lab_context *context, const char *path, const char *name,
                                     const char *const *members)
{
    struct lab_error error;
    size_t index;
    json_t *item, *document = lab_get(context->session.client, path, &error);
    if (document == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    struct lab_table *table = lab_table_create();
    for (size_t i = 0; members[i] != NULL; i++)
        lab_table_column(table, members[i], LAB_COLUMN_LEFT);
    json_array_foreach(json_object_get(document, name), index, item)
    {
        for (size_t i = 0; members[i] != NULL; i++) {
            const json_t *value = json_object_get(item, members[i]);
            if (json_is_number(value))
                lab_table_cell(table, "%.6g", json_number_value(value));
            else
                lab_table_cell(table, "%s",
                               json_is_true(value)    ? "yes"
                               : json_is_false(value) ? "no"
                                                      : lab_text_of(item, members[i]));
        }
    }
    if (context->json)
        lab_print_json(document);
    else
        lab_table_print(table, stdout);
    lab_table_free(table);
    json_decref(document);
    return LAB_EXIT_OK;
}

static enum lab_exit_code refuse(const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, LAB_ERROR_USAGE, pointer, "%s", detail);
    return lab_fail(LAB_EXIT_USAGE, &errors);
}

static void set_text(json_t *body, const char *name, const char *text)
{
    if (text != NULL)
        json_object_set_new(body, name, json_string(text));
}

static bool is_word(const struct lab_texts *words, const char *word, size_t count)
{
    return strcmp(words->items[0], word) == 0 && words->count == count;
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static const char channels_path[] = "/api/v1/channels";
static const char *const channel_columns[] = {"id", "name", "kind", "private", "created_by", NULL};
static const char *const channel_kinds[] = {"webhook", "slack", "matrix", "email", NULL};

struct channel_options {
    const char *kind, *address, *secret_file, *from, *to;
    bool private;
};

static const struct lab_option channel_options[] = {
    {.name = "--kind",
     .value = "KIND",
     .help = "webhook (JSON of gpulab's own), slack, matrix or email.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = channel_kinds, .fallback = "webhook"},
     .offset = offsetof(struct channel_options, kind)},
    {.name = "--address",
     .value = "URL",
     .help =
         "An address of http or https; for email smtp://HOST:PORT or smtps://HOST:PORT; for matrix the address of the room's messages. It is "
         "never shown again.",
     .offset = offsetof(struct channel_options, address)},
    {.name = "--secret-file",
     .value = "FILE",
     .help =
         "A file (chmod 600) with the key of a webhook's signature, the token of matrix, or USER:PASSWORD of email.",
     .offset = offsetof(struct channel_options, secret_file)},
    {.name = "--from",
     .value = "ADDRESS",
     .help = "The sender of e-mail.",
     .offset = offsetof(struct channel_options, from)},
    {.name = "--to",
     .value = "ADDRESS",
     .help = "The recipient of e-mail.",
     .offset = offsetof(struct channel_options, to)},
    {.name = "--private",
     .help = "Allow addresses of this machine and of private networks.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct channel_options, private)},
    {0},
};

static const char channel_usage[] =
    "Usage: gpulab channel add NAME --address URL [--kind KIND] [--secret-file FILE] [--private]\n"
    "       gpulab channel list\n"
    "       gpulab channel test NAME\n"
    "       gpulab channel delete NAME\n\n"
    "Manages the channels by which people are told; 'gpulab alert' says of what. For admins.\n";

static enum lab_exit_code add_channel(struct lab_context *context, const char *name,
                                      const struct channel_options *options)
{
    struct lab_error error;
    char secret[LAB_TOKEN_MAX] = "";
    if (options->address == NULL)
        return refuse("--address", "is missing");
    if (options->secret_file != NULL && !lab_token_read(options->secret_file, secret, &error)) {
        lab_print_error(&error);
        return LAB_EXIT_USAGE;
    }
    json_t *body = json_pack("{s:s, s:s, s:s, s:b}", "name", name, "kind", options->kind, "address", options->address,
                             "private", options->private);
    set_text(body, "secret", options->secret_file != NULL ? secret : NULL);
    set_text(body, "from", options->from);
    set_text(body, "to", options->to);
    enum lab_exit_code code = lab_send(context, "POST", channels_path, body, "added");
    json_decref(body);
    return code;
}

/* Sends a request about the channel of that name. */
static enum lab_exit_code of_channel(struct lab_context *context, const char *method, const char *name,
                                     const char *action, const char *said)
{
    struct lab_error error;
    char path[96];
    json_t *document = lab_get(context->session.client, channels_path, &error);
    const json_t *channel = lab_list_find(json_object_get(document, "channels"), name);
    snprintf(path, sizeof path, "%s/%s%s", channels_path, lab_text_of(channel, "id"), action);
    enum lab_exit_code code = LAB_EXIT_ERROR;
    if (document == NULL)
        lab_print_error(&error);
    else if (channel == NULL)
        code = refuse(name, "there is no such channel; 'gpulab channel list' lists all");
    else
        code = lab_send(context, method, path, NULL, said);
    json_decref(document);
    return code;
}

static enum lab_exit_code channel_work(struct lab_context *context, void *values)
{
    const struct lab_texts *words = &context->arguments.words;
    if (is_word(words, "add", 2))
        return add_channel(context, words->items[1], values);
    if (is_word(words, "list", 1))
        return print_list(context, channels_path, "channels", channel_columns);
    if (is_word(words, "test", 2))
        return of_channel(context, "POST", words->items[1], "/test", "a notice waits; see 'gpulab alert notices'");
    if (is_word(words, "delete", 2))
        return of_channel(context, "DELETE", words->items[1], "", "deleted");
    return refuse(words->items[0], "must be 'add NAME', 'list', 'test NAME' or 'delete NAME'; see --help");
}

int lab_command_channel(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {
        .usage = channel_usage, .words_min = 1, .words_max = 2, .work = channel_work};
    struct channel_options options = {0};
    const struct lab_option_group groups[] = {{"Channel", channel_options, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}

/* --- what is watched ---------------------------------------------------------------------------------------------- */

static const char watches_path[] = "/api/v1/watches";
static const char *const watch_columns[] = {"id",  "channel", "kind",       "experiment", "metric",
                                            "low", "high",    "created_by", NULL};
static const char *const notice_columns[] = {"created_at", "channel", "state", "attempts", "title", "error", NULL};

struct alert_options {
    const char *channel, *experiment, *metric, *low, *high;
};

static const struct lab_option alert_options[] = {
    {.name = "--channel",
     .value = "NAME",
     .help = "The channel that gets the notices.",
     .offset = offsetof(struct alert_options, channel)},
    {.name = "--experiment",
     .value = "NAME",
     .help = "Only runs of this experiment. Default: of all.",
     .offset = offsetof(struct alert_options, experiment)},
    {.name = "--metric",
     .value = "NAME",
     .help = "All points of this metric. Default: the headlines of the run.",
     .offset = offsetof(struct alert_options, metric)},
    {.name = "--low",
     .value = "N",
     .help = "With limit: the lowest allowed value, in the unit of the metric.",
     .offset = offsetof(struct alert_options, low)},
    {.name = "--high",
     .value = "N",
     .help = "With limit: the highest allowed value.",
     .offset = offsetof(struct alert_options, high)},
    {0},
};

static const char alert_usage[] =
    "Usage: gpulab alert add KIND --channel NAME [--experiment NAME] [--metric NAME] [--low N] [--high N]\n"
    "       gpulab alert list\n"
    "       gpulab alert delete ID\n"
    "       gpulab alert notices\n\n"
    "Chooses what is watched, and who is told. KIND is slower (a point is worse than usual), shift (a lasting change was\n"
    "found), limit (a value is outside of --low and --high), health (a health check failed), node (a machine takes no\n"
    "runs) or disk (nothing can be stored). 'notices' lists what was sent, what waits and what failed. For operators.\n";

static bool set_number(json_t *body, const char *name, const char *text)
{
    char *end;
    if (text == NULL)
        return true;
    double value = strtod(text, &end);
    json_object_set_new(body, name, json_real(value));
    return end != text && *end == '\0' && isfinite(value);
}

static enum lab_exit_code add_alert(struct lab_context *context, const char *kind, const struct alert_options *options)
{
    if (options->channel == NULL)
        return refuse("--channel", "is missing; 'gpulab channel list' lists all");
    json_t *body = json_pack("{s:s, s:s}", "channel", options->channel, "kind", kind);
    set_text(body, "experiment", options->experiment);
    set_text(body, "metric", options->metric);
    enum lab_exit_code code = set_number(body, "low", options->low) && set_number(body, "high", options->high)
                                  ? lab_send(context, "POST", watches_path, body, "added")
                                  : refuse("--low, --high", "must be numbers");
    json_decref(body);
    return code;
}

static enum lab_exit_code alert_work(struct lab_context *context, void *values)
{
    const struct lab_texts *words = &context->arguments.words;
    char path[96];
    if (is_word(words, "add", 2))
        return add_alert(context, words->items[1], values);
    if (is_word(words, "list", 1))
        return print_list(context, watches_path, "watches", watch_columns);
    if (is_word(words, "notices", 1))
        return print_list(context, "/api/v1/notices", "notices", notice_columns);
    if (is_word(words, "delete", 2) && words->items[1][strspn(words->items[1], "0123456789")] == '\0') {
        snprintf(path, sizeof path, "%s/%.20s", watches_path, words->items[1]);
        return lab_send(context, "DELETE", path, NULL, "deleted");
    }
    return refuse(words->items[0], "must be 'add KIND', 'list', 'delete ID' or 'notices'; see --help");
}

int lab_command_alert(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {
        .usage = alert_usage, .words_min = 1, .words_max = 2, .work = alert_work};
    struct alert_options options = {0};
    const struct lab_option_group groups[] = {{"Alert", alert_options, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
