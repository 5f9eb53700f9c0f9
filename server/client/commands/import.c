/* gpulab import: adds the runs of files to a lab, those of other labs and those of other tools. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct import_options {
    const char *from, *host, *device, *at;
};

#define ABOUT_FILE(name_, value_, type_, help_)                                                                        \
    {                                                                                                                  \
        .name = "--" #name_, .value = (value_), .help = (help_), .accepts = {.type = LAB_TYPE_##type_},                \
        .as_text = true, .offset = offsetof(struct import_options, name_)                                              \
    }

static const struct lab_option import_options[] = {
    ABOUT_FILE(from, "FORMAT", STRING,
               "Each FILE is a result file of another tool and becomes a run: nvbench, nccl-tests, nvbandwidth, "
               "google-benchmark, babelstream or hyperfine; csv for tables, gpulab for the lines of gpulab.h."),
    ABOUT_FILE(host, "NAME", STRING, "With --from: the machine on which it was measured; by default the file's."),
    ABOUT_FILE(device, "NAME", STRING,
               "With --from: the device on which it was measured; by default those of the file."),
    ABOUT_FILE(
        at, "TIME", TIME,
        "With --from: when it was measured; by default the date of the file, or without one the time of the import."),
    {0},
};

static bool check_import(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    const struct import_options *options = values;
    const struct lab_texts *files = &context->arguments.words;
    size_t inputs = 0;
    for (size_t i = 0; i < files->count; i++)
        inputs += strcmp(files->items[i], "-") == 0;
    if (inputs > 1)
        lab_errors_add(errors, LAB_ERROR_USAGE, "-", "stdin can be given once");
    if (options->from == NULL && (options->host != NULL || options->device != NULL || options->at != NULL))
        lab_errors_add(errors, LAB_ERROR_USAGE, "--from",
                       "is missing: --host, --device and --at belong to a file of another tool");
    return errors->count == 0;
}

/* Prints what is wrong with the file; `name` is NULL where there is no other one. */
static void print_errors(const char *name, const json_t *answer)
{
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(answer, "errors"), index, each)
    {
        fprintf(stderr, "gpulab: %s%sline %.0f: %s\n", name != NULL ? name : "", name != NULL ? ": " : "",
                lab_number_of(each, "line"), lab_text_of(each, "detail"));
    }
}

static void print_import(const json_t *result)
{
    double completed = lab_number_of(result, "completed"), marks = lab_number_of(result, "marks");
    const json_t *runs = json_object_get(result, "runs");
    size_t index;
    json_t *id;
    printf("%.0f runs imported, %.0f were there already", lab_number_of(result, "imported"),
           lab_number_of(result, "skipped"));
    if (completed > 0)
        printf(", %.0f were there and got their samples", completed);
    if (marks > 0)
        printf(", %.0f marks added", marks);
    putchar('\n');
    json_array_foreach(runs, index, id)
    {
        printf("run %s\n", json_string_value(id));
    }
}

/* Sends a file. LAB_EXIT_OK with the answer of the lab in *answer, a new reference; otherwise with errors. */
static enum lab_exit_code send_file(const struct lab_context *context, const struct import_options *options,
                                    const char *path, json_t **answer, struct lab_errors *errors)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    struct lab_url url;
    if (file == NULL || (ungetc(getc(file), file) == EOF && ferror(file))) { /* a folder can be opened */
        lab_errors_add(errors, LAB_ERROR_INPUT, path, "cannot be read: %m");
        if (file != NULL && file != stdin)
            fclose(file);
        return LAB_EXIT_USAGE;
    }
    lab_url_begin(&url, "/api/v1/import");
    lab_url_query(&url, "format", options->from);
    lab_url_query(&url, "host", options->host);
    lab_url_query(&url, "device", options->device);
    lab_url_query(&url, "at", options->at);
    const struct lab_call call = {
        .method = "POST", .path = url.text, .upload = file, .media_type = "application/x-ndjson"};
    enum lab_exit_code code = lab_api_call(context->session.client, &call, answer, NULL, errors);
    if (file != stdin)
        fclose(file);
    return code;
}

/* Adds the counts and lists of an answer to those of the files before; takes the reference. */
static void add_answer(json_t *total, json_t *answer)
{
    const char *name;
    json_t *value;
    json_object_foreach(answer, name, value)
    {
        json_t *before = json_object_get(total, name);
        if (json_is_integer(before) && json_is_integer(value))
            json_integer_set(before, json_integer_value(before) + json_integer_value(value));
        else if (json_is_array(before))
            json_array_extend(before, value);
        else
            json_object_set(total, name, value);
    }
    json_decref(answer);
}

/* Where an error is: the option of a query parameter that has another name. */
static const char *pointer_of(const struct lab_error *error)
{
    return strcmp(error->pointer, "/query/format") == 0 ? "--from" : error->pointer;
}

/* Imports one of the files, and adds the answer to `total`. */
static enum lab_exit_code import_file(const struct lab_context *context, const struct import_options *options,
                                      const char *path, json_t *total)
{
    const char *name = context->arguments.words.count > 1 ? path : NULL;
    struct lab_errors errors = {0}, named = {0};
    json_t *answer = NULL;
    enum lab_exit_code code = send_file(context, options, path, &answer, &errors);
    if (code != LAB_EXIT_OK) {
        for (size_t i = 0; i < errors.count; i++)
            lab_errors_add(&named, errors.items[i].code, pointer_of(&errors.items[i]), "%s%s%s",
                           name != NULL ? name : "", name != NULL ? ": " : "", errors.items[i].detail);
        named.dropped += errors.dropped;
        return lab_fail(code, &named);
    }
    if (json_array_size(json_object_get(answer, "errors")) > 0)
        code = LAB_EXIT_USAGE;
    if (!context->json)
        print_errors(name, answer);
    add_answer(total, answer);
    return code;
}

static enum lab_exit_code import_files(struct lab_context *context, void *values)
{
    const struct lab_texts *files = &context->arguments.words;
    enum lab_exit_code code = LAB_EXIT_OK;
    json_t *total = json_object();
    for (size_t i = 0; i < files->count; i++) {
        enum lab_exit_code one = import_file(context, values, files->items[i], total);
        code = one > code ? one : code;
    }
    if (json_object_size(total) > 0) {
        if (context->json)
            lab_print_json(total);
        else
            print_import(total);
    }
    json_decref(total);
    return code;
}

int lab_command_import(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab import FILE|-... [OPTIONS]\n"
        "       gpulab import --from FORMAT FILE|-... [OPTIONS]\n\n"
        "Adds the runs of a file from 'gpulab export', which may be compressed with gzip, or the run of a file from 'gpulab\n"
        "show --json' to the lab. '-' is stdin. Runs that the lab has already are skipped, or completed if only the file has\n"
        "their samples. The exit code is 2 if a run was not added; the others are added.\n\n"
        "With --from, each FILE is one run of the experiment of that name. The same file twice is one run.\n";
    static const struct lab_client_command command = {.usage = usage,
                                                      .words_min = 1,
                                                      .words_max = LAB_TEXTS_MAX,
                                                      .history = true,
                                                      .check = check_import,
                                                      .work = import_files};
    struct import_options options = {0};
    const struct lab_option_group groups[] = {{"Import", import_options, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
