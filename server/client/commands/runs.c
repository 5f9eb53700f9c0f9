/* gpulab runs [TEXT]: lists runs of the history. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/run_line.h"
#include "run_filter.h"

#include <stdio.h>

struct runs_options {
    struct lab_run_filter_options filter;
    unsigned limit;
};

static const struct lab_option list_options[] = {
    {.name = "--limit",
     .value = "N",
     .help = "List at most this many runs.",
     .accepts = {.type = LAB_TYPE_WHOLE, .minimum = 1, .maximum = 100000, .fallback = "20"},
     .offset = offsetof(struct runs_options, limit)},
    {0},
};

static const char usage[] =
    "Usage: gpulab runs [TEXT] [OPTIONS]\n\n"
    "Lists runs, newest first. TEXT is searched for in experiment, tags, note and names of devices. All filters that are\n"
    "given must match. The beginning of an id that is shown suffices for the other commands.\n";

static void print_table(const json_t *runs)
{
    struct lab_table *table = lab_table_create();
    size_t index, shortened = lab_shown_id_length(runs);
    json_t *run;
    lab_run_columns(table);
    json_array_foreach(runs, index, run)
    {
        lab_run_row(table, run, shortened);
    }
    lab_table_fit(table, lab_terminal_width(stdout));
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static enum lab_exit_code list_runs(struct lab_context *context, void *values)
{
    const struct runs_options *options = values;
    struct lab_errors errors = {0};
    struct lab_url url;
    json_t *runs, *next;
    lab_url_begin(&url, "/api/v1/runs");
    lab_run_filter_query(&url, &options->filter);
    lab_url_query(&url, "q", context->arguments.words.items[0]);
    enum lab_exit_code code = lab_runs_list(context->session.client, &url, options->limit, &runs, &next, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (context->json) {
        json_t *document = json_pack("{s:O, s:O?}", "runs", runs, "next", next);
        lab_print_json(document);
        json_decref(document);
    } else {
        print_table(runs);
    }
    json_decref(next);
    json_decref(runs);
    return code;
}

int lab_command_runs(const struct lab_invocation *invocation)
{
    struct runs_options options = {0};
    const struct lab_option_group groups[] = {
        {"Filters", lab_run_filter_table, &options.filter},
        {"List", list_options, &options},
        {0},
    };
    static const struct lab_client_command command = {
        .usage = usage, .words_max = 1, .history = true, .work = list_runs};
    return lab_client_command_main(&command, groups, &options, invocation);
}
