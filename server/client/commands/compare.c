/* gpulab compare BASE [HEAD]: compares two runs point by point. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "lab/url.h"
#include "output/comparison_cases.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    const char *only, *minimum_effect, *fail_on, *format;
};

static const char *const verdicts[] = {"slower", "faster", "same", "unclear", NULL};

/* What --fail-on can name. */
enum finding { SLOWER, WRONG, UNCLEAR, NONE, FINDINGS };
static const char *const findings[] = {[SLOWER] = "slower", [WRONG] = "wrong", [UNCLEAR] = "unclear", [NONE] = "none"};

static const struct lab_option compare_options[] = {
    {.name = "--only",
     .value = "VERDICT",
     .help = "Print only the points that are slower, faster, same or unclear.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = verdicts},
     .offset = offsetof(struct compare_options, only)},
    {.name = "--minimum-effect",
     .value = "SHARE",
     .help = "A difference that is smaller than this share counts as the same; 0.01 is 1 %.",
     .offset = offsetof(struct compare_options, minimum_effect)},
    {.name = "--fail-on",
     .value = "LIST",
     .help =
         "What gives the exit code 1, separated by commas: slower, wrong (a side has wrong results, or failed), unclear "
         "(also no point in common); or none. By default slower,wrong.",
     .offset = offsetof(struct compare_options, fail_on)},
    LAB_DOCUMENT_OPTION(struct compare_options),
    {0},
};

static const char usage[] =
    "Usage: gpulab compare BASE [HEAD] [OPTIONS]\n\n"
    "Compares two runs of an experiment: first what differs in their environments, then the ratio HEAD / BASE of each\n"
    "point with its interval and a verdict. BASE and HEAD are ids of runs, 8 or more characters at their beginning, or\n"
    "'latest'. BASE may be 'pinned': the newest pinned run of HEAD's experiment and device model. Without HEAD, it is the\n"
    "latest run of BASE's experiment that succeeded, or of all experiments if BASE is 'pinned'. BASE alone may be a run\n"
    "that compared two requests ('compare_with'): its two sides are compared. Points of two runs are unclear unless the\n"
    "lab has 5 or more runs of them, which show how much runs vary.\n"
    "The exit code is 1 if a point is slower, or a side has wrong results or failed; --fail-on chooses.\n";

/* --- --fail-on ---------------------------------------------------------------------------------------------------- */

/* Reads the list. False with an error. */
static bool read_fail_on(const char *list, bool chosen[FINDINGS], struct lab_errors *errors)
{
    size_t count = 0;
    memset(chosen, 0, FINDINGS * sizeof *chosen);
    for (const char *word = list; word != NULL; count++) {
        size_t length = strcspn(word, ","), i = 0;
        while (i < FINDINGS && (strlen(findings[i]) != length || strncmp(findings[i], word, length) != 0))
            i++;
        if (i == FINDINGS)
            return lab_errors_add(errors, LAB_ERROR_USAGE, "--fail-on",
                                  "must be a list of slower, wrong and unclear, or none");
        chosen[i] = true;
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    return !chosen[NONE] || count == 1 ||
           lab_errors_add(errors, LAB_ERROR_USAGE, "--fail-on", "'none' cannot be combined with others");
}

static bool compare_check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    struct compare_options *options = values;
    bool chosen[FINDINGS];
    lab_document_check(context->json, options->format, errors);
    options->fail_on = options->fail_on != NULL ? options->fail_on : "slower,wrong";
    return read_fail_on(options->fail_on, chosen, errors) && errors->count == 0;
}

/* Says on `out` (NULL: nowhere) what was found of that which --fail-on names. Returns the exit code. */
static enum lab_exit_code judge(FILE *out, const json_t *comparison, const char *fail_on)
{
    const json_t *summary = json_object_get(comparison, "summary");
    const json_t *base = json_object_get(comparison, "base"), *head = json_object_get(comparison, "head");
    bool is_one_run = json_equal(json_object_get(base, "id"), json_object_get(head, "id"));
    char lines[4][96] = {""};
    bool chosen[FINDINGS];
    struct lab_errors errors = {0};
    double slower = lab_number_of(summary, "slower"), unclear = lab_number_of(summary, "unclear");
    bool is_empty = slower + unclear + lab_number_of(summary, "faster") + lab_number_of(summary, "same") == 0;
    size_t count = 0;
    read_fail_on(fail_on, chosen, &errors); /* checked before */
    if (chosen[SLOWER] && strcmp(lab_text_of(comparison, "verdict"), "slower") == 0)
        snprintf(lines[count++], sizeof *lines, "%.0f points are slower", slower);
    if (chosen[WRONG] && !is_one_run)
        count += lab_comparison_wrong(base, "base", lines[count], sizeof *lines);
    if (chosen[WRONG])
        count += lab_comparison_wrong(head, is_one_run ? "run" : "head", lines[count], sizeof *lines);
    if (chosen[UNCLEAR] && (unclear > 0 || is_empty))
        snprintf(lines[count++], sizeof *lines, is_empty ? "no point was compared" : "%.0f points are unclear",
                 unclear);
    for (size_t i = 0; out != NULL && i < count; i++)
        fprintf(out, "FAILED: %s\n", lines[i]);
    return count > 0 ? LAB_EXIT_FAILED : LAB_EXIT_OK;
}

/* --- the runs ----------------------------------------------------------------------------------------------------- */

/* Finds the latest run that succeeded, of the experiment unless that is NULL. */
static enum lab_exit_code find_latest(struct lab_client *client, const char *experiment, char id[LAB_RUN_ID_SIZE],
                                      struct lab_errors *errors)
{
    struct lab_url url;
    json_t *runs, *next;
    lab_url_begin(&url, "/api/v1/runs?status=succeeded");
    lab_url_query(&url, "experiment", experiment);
    enum lab_exit_code code = lab_runs_list(client, &url, 1, &runs, &next, errors);
    if (code == LAB_EXIT_OK && json_array_size(runs) == 0) {
        lab_errors_add(errors, LAB_ERROR_USAGE, "HEAD", "the lab has no run that succeeded");
        code = LAB_EXIT_USAGE;
    }
    if (code == LAB_EXIT_OK)
        snprintf(id, LAB_RUN_ID_SIZE, "%s", lab_text_of(json_array_get(runs, 0), "id"));
    json_decref(next);
    json_decref(runs);
    return code;
}

/* Finds the head where only the base is given: the base itself if it compared two requests, else the latest run of its
 * experiment. */
static enum lab_exit_code find_head(struct lab_client *client, const char *base, char head[LAB_RUN_ID_SIZE],
                                    struct lab_errors *errors)
{
    struct lab_error error;
    json_t *run = lab_run_get(client, base, &error);
    enum lab_exit_code code = LAB_EXIT_OK;
    if (run == NULL) {
        lab_errors_add(errors, error.code, "", "%s", error.detail);
        return LAB_EXIT_ERROR;
    }
    if (json_is_object(json_object_get(run, "compare_with")))
        snprintf(head, LAB_RUN_ID_SIZE, "%s", base);
    else
        code = find_latest(client, lab_text_of(run, "experiment"), head, errors);
    if (strcmp(base, head) == 0 && !json_is_object(json_object_get(run, "compare_with"))) {
        lab_errors_add(errors, LAB_ERROR_USAGE, "HEAD",
                       "is missing: BASE is the latest run of its experiment that succeeded");
        code = LAB_EXIT_USAGE;
    }
    json_decref(run);
    return code;
}

/* Writes the request for the two runs that the arguments name, or for the two sides of one run. */
static enum lab_exit_code make_url(const struct lab_context *context, const struct compare_options *options,
                                   struct lab_url *url, struct lab_errors *errors)
{
    struct lab_client *client = context->session.client;
    const char *const *words = context->arguments.words.items;
    bool pinned = strcmp(words[0], "pinned") == 0;
    char base[LAB_RUN_ID_SIZE] = "pinned", head[LAB_RUN_ID_SIZE] = "";
    enum lab_exit_code code = pinned ? LAB_EXIT_OK : lab_run_search(client, words[0], base, errors);
    if (code == LAB_EXIT_OK && words[1] != NULL)
        code = lab_run_search(client, words[1], head, errors);
    else if (code == LAB_EXIT_OK)
        code = pinned ? find_latest(client, NULL, head, errors) : find_head(client, base, head, errors);
    bool one_run = words[1] == NULL && strcmp(base, head) == 0;
    lab_url_begin(url, "/api/v1/compare");
    lab_url_query(url, "run", one_run ? base : NULL);
    lab_url_query(url, "base", one_run ? NULL : base);
    lab_url_query(url, "head", one_run ? NULL : head);
    lab_url_query(url, "minimum_effect", options->minimum_effect);
    return code;
}

/* Writes the comparison as a document, which ends with what --fail-on has found. */
static void write_document(const json_t *comparison, const json_t *experiment, const struct compare_options *options)
{
    bool chosen[FINDINGS];
    struct lab_errors errors = {0};
    read_fail_on(options->fail_on, chosen, &errors); /* checked before */
    const struct lab_failing failing = {chosen[SLOWER], chosen[WRONG], chosen[UNCLEAR]};
    struct lab_document *document = lab_comparison_document(comparison, experiment, options->only, &failing);
    char *found = NULL;
    size_t size;
    FILE *out = open_memstream(&found, &size);
    if (out != NULL) {
        judge(out, comparison, options->fail_on);
        fclose(out);
    }
    lab_document_sentences(document, found);
    lab_document_write(document, options->format, stdout);
    lab_document_free(document);
    free(found);
}

static void print(struct lab_context *context, const json_t *comparison, const struct compare_options *options)
{
    struct lab_error error;
    const char *name = lab_text_of(json_object_get(comparison, "head"), "experiment");
    json_t *experiment = lab_experiment_get(context->session.client, name, &error);
    if (options->format != NULL)
        write_document(comparison, experiment, options);
    else
        lab_comparison_print(stdout, comparison, experiment, options->only);
    json_decref(experiment);
}

static enum lab_exit_code command_compare(struct lab_context *context, void *values)
{
    const struct compare_options *options = values;
    struct lab_errors errors = {0};
    struct lab_url url;
    json_t *comparison = NULL;
    enum lab_exit_code code = make_url(context, options, &url, &errors);
    if (code == LAB_EXIT_OK)
        code = lab_api_call(context->session.client, &(struct lab_call){.method = "GET", .path = url.text}, &comparison,
                            NULL, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (context->json)
        lab_print_json(comparison);
    else
        print(context, comparison, options);
    code = judge(context->json || options->format != NULL ? NULL : stdout, comparison, options->fail_on);
    json_decref(comparison);
    return code;
}

int lab_command_compare(const struct lab_invocation *invocation)
{
    struct compare_options options = {0};
    const struct lab_option_group groups[] = {{"Comparison", compare_options, &options}, {0}};
    static const struct lab_client_command command = {.usage = usage,
                                                      .words_min = 1,
                                                      .words_max = 2,
                                                      .history = true,
                                                      .check = compare_check,
                                                      .work = command_compare};
    return lab_client_command_main(&command, groups, &options, invocation);
}
