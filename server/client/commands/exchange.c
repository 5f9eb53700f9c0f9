/* gpulab export and gpulab backup: write runs and databases of a lab into files. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/new_file.h"
#include "run_filter.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

/* --- export ------------------------------------------------------------------------------------------------------- */

struct export_options {
    struct lab_run_filter_options filter;
    bool samples, no_samples, csv;
};

static const struct lab_option export_options[] = {
    {.name = "--samples",
     .help = "Export every sample; the default, except for --csv.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct export_options, samples)},
    {.name = "--no-samples",
     .help =
         "Export only the summary of each point, about a tenth of the size: 'gpulab compare' cannot judge such runs.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct export_options, no_samples)},
    {.name = "--csv",
     .help = "Export as CSV, a row for each measurement, instead of JSON lines, which can be imported.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct export_options, csv)},
    {0},
};

static bool check_export(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    const struct export_options *options = values;
    (void)context;
    if (options->samples && (options->no_samples || options->csv))
        lab_errors_add(errors, LAB_ERROR_USAGE, "--samples", "cannot be combined with %s",
                       options->csv ? "--csv, which has a row for each measurement" : "--no-samples");
    return errors->count == 0;
}

static enum lab_exit_code export_runs(struct lab_context *context, void *values)
{
    const struct export_options *options = values;
    struct lab_errors errors = {0};
    struct lab_url url;
    lab_url_begin(&url, "/api/v1/export");
    lab_run_filter_query(&url, &options->filter);
    lab_url_query(&url, "samples", options->csv || options->no_samples ? "false" : "true");
    lab_url_query(&url, "format", options->csv ? "csv" : "jsonl");
    const struct lab_call call = {.method = "GET", .path = url.text, .download = stdout};
    enum lab_exit_code code = lab_api_call(context->session.client, &call, NULL, NULL, &errors);
    return code == LAB_EXIT_OK || lab_output_is_closed() ? LAB_EXIT_OK : lab_fail(code, &errors);
}

int lab_command_export(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab export [OPTIONS] > FILE\n\n"
        "Writes runs with their measurements and samples to stdout, oldest first, as JSON lines: 'gpulab import FILE' adds\n"
        "them to another lab. All filters that are given must match.\n";
    static const struct lab_client_command command = {
        .usage = usage, .history = true, .check = check_export, .work = export_runs};
    struct export_options options = {0};
    const struct lab_option_group groups[] = {
        {"Filters", lab_run_filter_table, &options.filter},
        {"Export", export_options, &options},
        {0},
    };
    return lab_client_command_main(&command, groups, &options, invocation);
}

/* --- backup ------------------------------------------------------------------------------------------------------- */

struct backup_options {
    bool verify;
    lab_copy_verifier *verify_copy;
};

static const struct lab_option backup_options[] = {
    {.name = "--verify",
     .help = "Read all of the copy before it gets its name, and print what it has. A damaged one is removed.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct backup_options, verify)},
    {0},
};

/* Whether the copy is sound; prints what it has. */
static bool verify(const struct backup_options *options, const char *partial, const char *path,
                   struct lab_errors *errors)
{
    char found[128];
    struct lab_error error = {0};
    if (!options->verify_copy(partial, found, sizeof found, &error))
        return lab_errors_add(errors, error.code, path, "%s", error.detail);
    printf("%s: %s\n", path, found);
    return true;
}

/* Downloads the copy. The file gets its name when it is complete and, where that was asked for, verified. */
static enum lab_exit_code download(struct lab_client *client, const struct backup_options *options, const char *path,
                                   struct lab_errors *errors)
{
    struct lab_new_file file;
    if (!lab_new_file_open(&file, path, errors))
        return LAB_EXIT_USAGE;
    const struct lab_call call = {.method = "GET", .path = "/api/v1/backup", .download = file.stream};
    enum lab_exit_code code = lab_api_call(client, &call, NULL, NULL, errors);
    if (code == LAB_EXIT_OK && !lab_new_file_complete(&file, errors))
        return LAB_EXIT_ERROR;
    if (code == LAB_EXIT_OK && options->verify && !verify(options, file.partial, path, errors))
        code = LAB_EXIT_ERROR;
    if (code == LAB_EXIT_OK)
        return lab_new_file_keep(&file, errors) ? LAB_EXIT_OK : LAB_EXIT_ERROR;
    lab_new_file_remove(&file);
    return code;
}

static enum lab_exit_code backup(struct lab_context *context, void *values)
{
    struct lab_errors errors = {0};
    enum lab_exit_code code = download(context->session.client, values, context->arguments.words.items[0], &errors);
    return code == LAB_EXIT_OK ? code : lab_fail(code, &errors);
}

int lab_command_backup(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab backup FILE [OPTIONS]\n\n"
        "Copies the database of a lab to FILE as it is now, while the lab goes on. FILE is an SQLite database that\n"
        "'gpulab serve --db FILE' opens; an earlier file of this name is replaced when the copy is complete.\n";
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = 1, .history = true, .work = backup};
    struct backup_options options = {.verify_copy = invocation->verify_copy};
    const struct lab_option_group groups[] = {{"Backup", backup_options, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
