/* gpulab challenge: lists and shows challenges, submits to one, prints its ranking; publishes and removes them. */
#include "client_command.h"
#include "commands.h"
#include "follow_run.h"
#include "kernel_request.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/prose.h"
#include "output/report.h"
#include "output/table.h"
#include "output/terminal.h"
#include "print_run.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

static const char challenges_path[] = "/api/v1/challenges";

struct challenge_options {
    const char *opens_at, *closes_at, *device;
    struct lab_kernel_options kernel; /* of which a submission has the launch and the options of the compiler */
};

static const struct lab_option ranking_options[] = {
    {.name = "--device",
     .value = "MODEL",
     .help = "The name of a device model. Default: that with the most submissions.",
     .offset = offsetof(struct challenge_options, device)},
    {0},
};

static const struct lab_option admin_options[] = {
    {.name = "--closes-at",
     .value = "TIME",
     .help = "When the challenge ends: 2026-05-31 or 2026-05-31T18:00:00Z.",
     .accepts = {.type = LAB_TYPE_TIME},
     .offset = offsetof(struct challenge_options, closes_at)},
    {.name = "--opens-at",
     .value = "TIME",
     .help = "Before this time, only admins know of it. Default: at once.",
     .accepts = {.type = LAB_TYPE_TIME},
     .offset = offsetof(struct challenge_options, opens_at)},
    {0},
};

static const char usage[] =
    "Usage: gpulab challenge list\n"
    "       gpulab challenge show NAME\n"
    "       gpulab challenge submit NAME FILE.cu\n"
    "       gpulab challenge ranking NAME [--device MODEL]\n"
    "       gpulab challenge compare NAME RUN RUN\n"
    "       gpulab challenge publish NAME|FILE.json --closes-at TIME [--opens-at TIME]\n"
    "       gpulab challenge change NAME --closes-at TIME\n"
    "       gpulab challenge remove NAME\n\n"
    "Shows challenges, measures a source that is submitted to one, and publishes them: one that comes with the lab, by its\n"
    "name, or the document of a file. 'compare' measures two submissions alternately, in a run of its own that is secret for\n"
    "as long as they are: it decides who is faster of two that share a place. For admins, or with runs that one may see.\n";

static enum lab_exit_code refuse(const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, LAB_ERROR_USAGE, pointer, "%s", detail);
    return lab_fail(LAB_EXIT_USAGE, &errors);
}

static void set_path(struct lab_url *url, const char *name)
{
    lab_url_begin(url, challenges_path);
    lab_url_segment(url, name);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The document at a path, a new reference, which --json prints. NULL after an error, with *code set. */
static json_t *read_document(struct lab_context *context, const char *path, enum lab_exit_code *code)
{
    struct lab_error error;
    json_t *document = lab_get(context->session.client, path, &error);
    *code = document != NULL ? LAB_EXIT_OK : lab_exit_code_of(error.code);
    if (document == NULL)
        lab_print_error(&error);
    else if (context->json)
        lab_print_json(document);
    return document;
}

static enum lab_exit_code list(struct lab_context *context)
{
    static const char *const columns[] = {"name", "title", "score", "open", "closes_at"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    enum lab_exit_code code;
    json_t *challenge, *document = read_document(context, challenges_path, &code);
    size_t index;
    struct lab_table *table = lab_table_create();
    for (size_t i = 0; i < COLUMNS; i++)
        lab_table_column(table, i == COLUMNS - 1 ? "until" : columns[i], LAB_COLUMN_LEFT);
    lab_table_column(table, "own submissions", LAB_COLUMN_RIGHT);
    json_array_foreach(json_object_get(document, "challenges"), index, challenge)
    {
        for (size_t i = 0; i < COLUMNS; i++) {
            const json_t *value = json_object_get(challenge, columns[i]);
            lab_table_cell(table, "%.60s",
                           json_is_boolean(value) ? json_is_true(value) ? "yes" : "no"
                                                  : lab_text_of(challenge, columns[i]));
        }
        lab_table_cell(table, "%d", (int)lab_integer_of(challenge, "submissions", 0));
    }
    if (document != NULL && !context->json)
        lab_table_print(table, stdout);
    lab_table_free(table);
    json_decref(document);
    return code;
}

static enum lab_exit_code show(struct lab_context *context, const char *name)
{
    enum lab_exit_code code;
    struct lab_url url;
    set_path(&url, name);
    json_t *document = read_document(context, url.text, &code);
    if (document != NULL && !context->json) {
        printf("%s (%s until %s)\n\n", lab_text_of(document, "title"),
               json_is_true(json_object_get(document, "open")) ? "open" : "closed", lab_text_of(document, "closes_at"));
        lab_print_prose(stdout, lab_text_of(document, "text"), lab_terminal_width(stdout));
        fputs(lab_text_of(document, "start"), stdout);
    }
    json_decref(document);
    return code;
}

static void print_places(const json_t *document)
{
    static const char *const columns[] = {"place", "", "who", "value", "quartiles", "submissions", "at"};
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *place;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        lab_table_column(table, columns[i], i == 0 || i == 3 || i == 5 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
    json_array_foreach(json_object_get(document, "places"), index, place)
    {
        const char *by = lab_optional_text_of(place, "by");
        lab_table_cell(table, "%d", (int)lab_integer_of(place, "place", 0));
        lab_table_cell(table, "%s", json_is_true(json_object_get(place, "shared")) ? "shared" : "");
        lab_table_cell(table, "%s", by != NULL ? by : "-");
        lab_table_cell(table, "%.6g", lab_number_of(place, "value"));
        lab_table_cell(table, "%.6g to %.6g", lab_number_of(place, "lo"), lab_number_of(place, "hi"));
        lab_table_cell(table, "%d", (int)lab_integer_of(place, "submissions", 0));
        lab_table_cell(table, "%.16s", lab_text_of(place, "at"));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static enum lab_exit_code ranking(struct lab_context *context, const char *name,
                                  const struct challenge_options *options)
{
    enum lab_exit_code code;
    struct lab_url url;
    set_path(&url, name);
    lab_url_segment(&url, "ranking");
    lab_url_query(&url, "device", options->device);
    json_t *document = read_document(context, url.text, &code);
    const char *device = lab_optional_text_of(document, "device");
    if (document != NULL && !context->json) {
        printf("%s by %s [%s]%s%s\n\n", name, lab_text_of(document, "score"), lab_text_of(document, "unit"),
               device != NULL ? " on " : "", device != NULL ? device : "");
        print_places(document);
    }
    json_decref(document);
    return code;
}

/* --- submitting --------------------------------------------------------------------------------------------------- */

/* Follows the run to its end and prints it. */
static enum lab_exit_code follow(struct lab_context *context, const char *id)
{
    struct lab_error error;
    json_t *run = lab_follow_run(context, id, "kernel", true, &error);
    if (run == NULL) {
        lab_print_error(&error);
        return lab_exit_code_of(error.code);
    }
    lab_print_run(context, run, NULL, NULL);
    enum lab_exit_code code = lab_report_exit_code(run);
    json_decref(run);
    return code;
}

static enum lab_exit_code submit(struct lab_context *context, const char *name, const char *file,
                                 const struct challenge_options *options)
{
    struct lab_errors errors = {0};
    struct lab_url url;
    json_t *run = NULL;
    set_path(&url, name);
    lab_url_segment(&url, "submissions");
    json_t *body = lab_submission_request(&options->kernel, file, &errors);
    if (body == NULL)
        return lab_fail(LAB_EXIT_USAGE, &errors);
    const struct lab_call call = {.method = "POST", .path = url.text, .body = body};
    enum lab_exit_code code = lab_api_call(context->session.client, &call, &run, NULL, &errors);
    code = code == LAB_EXIT_OK ? follow(context, lab_text_of(run, "id")) : lab_fail(code, &errors);
    json_decref(run);
    json_decref(body);
    return code;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

/* Removes from a kernel what says what is right, which both sides have in common. */
static void remove_expected(json_t *kernel)
{
    size_t index;
    json_t *argument;
    json_array_foreach(json_object_get(kernel, "arguments"), index, argument)
    {
        json_object_del(argument, "expected");
        json_object_del(argument, "tolerance");
    }
    json_object_del(kernel, "reference");
}

/* The run that a word names, a new reference; NULL after an error, also where it is no submission to the challenge. */
static json_t *read_submission(struct lab_context *context, const char *challenge, const char *word)
{
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    if (lab_run_search(context->session.client, word, id, &errors) != LAB_EXIT_OK) {
        lab_print_errors(&errors);
        return NULL;
    }
    json_t *run = lab_run_get(context->session.client, id, &error);
    if (run == NULL) {
        lab_print_error(&error);
    } else if (strcmp(lab_text_of(run, "challenge"), challenge) != 0) {
        refuse(word, "is no submission to this challenge");
        json_decref(run);
        return NULL;
    } else {
        remove_expected(json_object_get(run, "kernel"));
    }
    return run;
}

/* Measures the head alternately with the base, secret for as long as the challenge is open. */
static enum lab_exit_code measure_both(struct lab_context *context, const json_t *challenge, const json_t *base,
                                       const json_t *head)
{
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    json_t *request =
        json_pack("{s:s, s:[O*], s:O, s:{s:O}}", "experiment", "kernel", "devices",
                  json_object_get(json_array_get(json_object_get(head, "devices"), 0), "id"), "kernel",
                  json_object_get(head, "kernel"), "compare_with", "kernel", json_object_get(base, "kernel"));
    if (json_is_true(json_object_get(challenge, "open")))
        json_object_set(request, "secret_until", json_object_get(challenge, "closes_at"));
    enum lab_exit_code code = lab_run_submit(context->session.client, request, id, &errors);
    json_decref(request);
    return code == LAB_EXIT_OK ? follow(context, id) : lab_fail(code, &errors);
}

static enum lab_exit_code compare(struct lab_context *context, const char *name, const char *const runs[2])
{
    struct lab_error error;
    struct lab_url url;
    enum lab_exit_code code = LAB_EXIT_ERROR;
    set_path(&url, name);
    json_t *challenge = lab_get(context->session.client, url.text, &error), *base = NULL, *head = NULL;
    if (challenge == NULL)
        lab_print_error(&error);
    else if ((base = read_submission(context, name, runs[0])) != NULL &&
             (head = read_submission(context, name, runs[1])) != NULL)
        code = measure_both(context, challenge, base, head);
    json_decref(challenge);
    json_decref(base);
    json_decref(head);
    return code;
}

/* --- publishing --------------------------------------------------------------------------------------------------- */

/* The document of a challenge in a file, a new reference; NULL after an error. */
static json_t *read_file(const char *file)
{
    json_error_t reason;
    char detail[LAB_DETAIL_MAX];
    json_t *document = json_load_file(file, JSON_REJECT_DUPLICATES, &reason);
    snprintf(detail, sizeof detail, "is no document of a challenge: %s",
             document == NULL ? reason.text : "it must be an object");
    if (json_is_object(document))
        return document;
    json_decref(document);
    refuse(file, detail);
    return NULL;
}

/* The document of a challenge that comes with the lab, a new reference; NULL after an error. */
static json_t *find_ready(struct lab_context *context, const char *name)
{
    struct lab_error error;
    json_t *ready = lab_get(context->session.client, "/api/v1/ready-challenges", &error);
    json_t *document = json_incref((json_t *)lab_list_find(json_object_get(ready, "challenges"), name));
    if (ready == NULL)
        lab_print_error(&error);
    else if (document == NULL)
        refuse(name, "is none of the challenges that come with the lab; a file must end with .json");
    json_decref(ready);
    return document;
}

static bool is_file(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

static enum lab_exit_code publish(struct lab_context *context, const char *word,
                                  const struct challenge_options *options)
{
    json_t *document = is_file(word) ? read_file(word) : find_ready(context, word);
    if (document == NULL)
        return LAB_EXIT_USAGE;
    json_t *body = json_copy(document);
    json_object_set_new(body, "closes_at", json_string(options->closes_at));
    if (options->opens_at != NULL)
        json_object_set_new(body, "opens_at", json_string(options->opens_at));
    enum lab_exit_code code = lab_send(context, "POST", challenges_path, body, "published");
    json_decref(body);
    json_decref(document);
    return code;
}

static enum lab_exit_code change(struct lab_context *context, const char *name, const struct challenge_options *options)
{
    struct lab_url url;
    set_path(&url, name);
    json_t *body = json_pack("{s:s}", "closes_at", options->closes_at);
    enum lab_exit_code code = lab_send(context, "PATCH", url.text, body, "changed");
    json_decref(body);
    return code;
}

static enum lab_exit_code remove_challenge(struct lab_context *context, const char *name)
{
    struct lab_url url;
    set_path(&url, name);
    return lab_send(context, "DELETE", url.text, NULL, "removed");
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static bool is_word(const struct lab_texts *words, const char *word, size_t count)
{
    return strcmp(words->items[0], word) == 0 && words->count == count;
}

static bool check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    const struct challenge_options *options = values;
    const struct lab_texts *words = &context->arguments.words;
    bool needs_end = is_word(words, "publish", 2) || is_word(words, "change", 2);
    return !needs_end || options->closes_at != NULL ||
           lab_errors_add(errors, LAB_ERROR_USAGE, "--closes-at", "is missing: the time when the challenge ends");
}

static enum lab_exit_code work(struct lab_context *context, void *values)
{
    const struct lab_texts *words = &context->arguments.words;
    if (is_word(words, "list", 1))
        return list(context);
    if (is_word(words, "show", 2))
        return show(context, words->items[1]);
    if (is_word(words, "submit", 3))
        return submit(context, words->items[1], words->items[2], values);
    if (is_word(words, "ranking", 2))
        return ranking(context, words->items[1], values);
    if (is_word(words, "compare", 4))
        return compare(context, words->items[1], &words->items[2]);
    if (is_word(words, "publish", 2))
        return publish(context, words->items[1], values);
    if (is_word(words, "change", 2))
        return change(context, words->items[1], values);
    if (is_word(words, "remove", 2))
        return remove_challenge(context, words->items[1]);
    return refuse(
        words->items[0],
        "must be 'list', 'show NAME', 'submit NAME FILE.cu', 'ranking NAME', 'compare NAME RUN RUN', 'publish NAME|FILE.json', "
        "'change NAME' or 'remove NAME'; see --help");
}

int lab_command_challenge(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = 4, .signals = true, .check = check, .work = work};
    struct challenge_options options = {0};
    struct lab_option build[LAB_KERNEL_OPTIONS + 1];
    lab_build_options_table(build, LAB_KERNEL_OPTIONS, offsetof(struct lab_kernel_options, build));
    const struct lab_option_group groups[] = {{"Submission", lab_submission_options_table, &options.kernel},
                                              {"Compiler", build, &options.kernel},
                                              {"Ranking", ranking_options, &options},
                                              {"Publication", admin_options, &options},
                                              {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
