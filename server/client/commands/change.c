/* gpulab tag, pin, unpin, publish and unpublish: change what people add to a run. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

/* Changes the run that the first argument names, and prints it. `change` as in lab_change_run. */
static enum lab_exit_code change_run(struct lab_context *context, json_t *(*change)(const json_t *run, void *context),
                                     void *argument, void (*print)(const json_t *run, const void *argument))
{
    struct lab_client *client = context->session.client;
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    json_t *run = NULL;
    enum lab_exit_code code = lab_run_search(client, context->arguments.words.items[0], id, &errors);
    if (code == LAB_EXIT_OK)
        code = lab_change_run(client, id, change, argument, &run, &errors);
    if (code != LAB_EXIT_OK)
        lab_print_errors(&errors);
    else if (context->json)
        lab_print_json(run);
    else
        print(run, argument);
    json_decref(run);
    return code;
}

/* --- tags --------------------------------------------------------------------------------------------------------- */

/* The index of a tag in a list; the number of tags if it is not there. */
static size_t find_tag(const json_t *tags, const char *tag)
{
    size_t i = 0;
    while (i < json_array_size(tags) && strcmp(json_string_value(json_array_get(tags, i)), tag) != 0)
        i++;
    return i;
}

/* The body of the request for the changes in `argument`, a struct lab_texts of "+NAME" and "-NAME" after the run. */
static json_t *change_tags(const json_t *run, void *argument)
{
    const struct lab_texts *words = argument;
    json_t *tags = json_copy(json_object_get(run, "tags"));
    for (size_t i = 1; i < words->count; i++) {
        const char *tag = words->items[i] + 1;
        size_t at = find_tag(tags, tag);
        if (words->items[i][0] == '-')
            json_array_remove(tags, at);
        else if (at == json_array_size(tags))
            json_array_append_new(tags, json_string(tag));
    }
    if (!json_equal(tags, json_object_get(run, "tags")))
        return json_pack("{s:o}", "tags", tags);
    json_decref(tags);
    return NULL;
}

static void print_tags(const json_t *run, const void *argument)
{
    (void)argument;
    size_t index;
    json_t *tag;
    printf("%s tags:", lab_text_of(run, "id"));
    json_array_foreach(json_object_get(run, "tags"), index, tag)
    {
        printf("%s %s", index > 0 ? "," : "", json_string_value(tag));
    }
    putchar('\n');
}

static bool check_tags(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    const struct lab_texts *words = &context->arguments.words;
    (void)values;
    for (size_t i = 1; i < words->count; i++)
        if (strchr("+-", words->items[i][0]) == NULL || words->items[i][1] == '\0')
            lab_errors_add(errors, LAB_ERROR_USAGE, words->items[i],
                           "must be +NAME, to add a tag, or -NAME, to remove it");
    return errors->count == 0;
}

static enum lab_exit_code tag(struct lab_context *context, void *values)
{
    (void)values;
    return change_run(context, change_tags, &context->arguments.words, print_tags);
}

int lab_command_tag(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab tag ID +NAME... -NAME... [OPTIONS]\n\n"
        "Adds tags to a run (+NAME) and removes tags (-NAME). ID is the id of a run, 8 or more characters at its\n"
        "beginning, or 'latest'.\n";
    static const struct lab_client_command command = {.usage = usage,
                                                      .words_min = 2,
                                                      .words_max = LAB_TEXTS_MAX,
                                                      .dash_words = true,
                                                      .check = check_tags,
                                                      .history = true,
                                                      .work = tag};
    return lab_client_command_main(&command, NULL, NULL, invocation);
}

/* --- what is true or false of a run ------------------------------------------------------------------------------- */

/* A member of a run, the value that it gets, and the words for both. */
struct flag {
    const char *member;
    bool value;
    const char *words[2]; /* for false and true */
};

static json_t *change_flag(const json_t *run, void *argument)
{
    const struct flag *flag = argument;
    bool is_so = json_is_true(json_object_get(run, flag->member)) == flag->value;
    return is_so ? NULL : json_pack("{s:b}", flag->member, flag->value);
}

static void print_flag(const json_t *run, const void *argument)
{
    const struct flag *flag = argument;
    printf("%s %s\n", lab_text_of(run, "id"), flag->words[json_is_true(json_object_get(run, flag->member))]);
}

static enum lab_exit_code set_flag(struct lab_context *context, void *values)
{
    return change_run(context, change_flag, values, print_flag);
}

static int flag_main(const char *usage, struct flag flag, const struct lab_invocation *invocation)
{
    const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = 1, .history = true, .work = set_flag};
    return lab_client_command_main(&command, NULL, &flag, invocation);
}

#define PINNED(value_) ((struct flag){"pinned", value_, {"not pinned", "pinned"}})
#define PUBLIC(value_) ((struct flag){"public", value_, {"not public", "public"}})

int lab_command_pin(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab pin ID [OPTIONS]\n\n"
        "Keeps a run as a baseline: 'gpulab compare pinned' compares with it, and it cannot be deleted. ID is the id of a\n"
        "run, 8 or more characters at its beginning, or 'latest'.\n";
    return flag_main(usage, PINNED(true), invocation);
}

int lab_command_unpin(const struct lab_invocation *invocation)
{
    static const char usage[] = "Usage: gpulab unpin ID [OPTIONS]\n\nKeeps a run no longer as a baseline.\n";
    return flag_main(usage, PINNED(false), invocation);
}

int lab_command_publish(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab publish ID [OPTIONS]\n\n"
        "Shows all of a run to everyone who may read the lab without a token (gpulab serve --anonymous): also its tags,\n"
        "note, sources, output, environment variables, and who requested it. ID is as for 'gpulab pin'.\n";
    return flag_main(usage, PUBLIC(true), invocation);
}

int lab_command_unpublish(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab unpublish ID [OPTIONS]\n\nShows no longer all of a run to everyone who may read the lab.\n";
    return flag_main(usage, PUBLIC(false), invocation);
}
