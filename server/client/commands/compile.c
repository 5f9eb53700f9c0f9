/* gpulab compile FILE: compiles the kernels of a source file and prints messages as compilers do. */
#include "client_command.h"
#include "commands.h"
#include "kernel_request.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/messages.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct compile_options {
    const char *architecture, *edits, *entry;
    bool ptx, sass;
    struct lab_build_value build[LAB_KERNEL_OPTIONS];
};

static const struct lab_option compile_options[] = {
    {.name = "--arch",
     .value = "NAME",
     .help = "What to compile for, such as sm_90. Default: the first CUDA device of the lab.",
     .offset = offsetof(struct compile_options, architecture)},
    {.name = "--edits",
     .value = "EXPERIMENT/STEP",
     .help = "FILE is an edited source of this step; it is compiled as a part of the file that it comes from.",
     .offset = offsetof(struct compile_options, edits)},
    {.name = "--entry",
     .value = "NAME",
     .help = "The kernel that must be there; of a template, the instance to compile, such as 'scale<float>'.",
     .offset = offsetof(struct compile_options, entry)},
    {.name = "--ptx",
     .help = "Print the PTX instead of the resources of each kernel.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct compile_options, ptx)},
    {.name = "--sass",
     .help = "Print the machine code (SASS) instead, where the lab has nvdisasm.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct compile_options, sass)},
    {0},
};

/* The id of the lab's first CUDA device, a new reference; NULL if it has none. */
static json_t *find_device(struct lab_client *client)
{
    struct lab_error error;
    json_t *document = lab_get(client, "/api/v1/devices", &error), *device, *id = NULL;
    size_t index;
    json_array_foreach(json_object_get(document, "devices"), index, device)
    {
        if (id == NULL && strcmp(lab_text_of(device, "backend"), "cuda") == 0)
            id = json_incref(json_object_get(device, "id"));
    }
    json_decref(document);
    return id;
}

/* The body of the request, a new reference. NULL with errors. */
static json_t *make_request(const struct lab_context *context, const struct compile_options *options,
                            struct lab_errors *errors)
{
    if (options->ptx && options->sass) {
        lab_errors_add(errors, LAB_ERROR_USAGE, "--sass", "must not be given with --ptx");
        return NULL;
    }
    json_t *device = options->architecture == NULL ? find_device(context->session.client) : NULL;
    if (options->architecture == NULL && device == NULL) {
        lab_errors_add(errors, LAB_ERROR_USAGE, "--arch",
                       "must be given, because the lab has no CUDA device to compile for");
        return NULL;
    }
    json_t *source = lab_source_read(context->arguments.words.items[0], errors);
    if (source == NULL) {
        json_decref(device);
        return NULL;
    }
    const struct lab_texts *words = &context->arguments.words;
    json_t *compiling = lab_build_options_read(options->build, LAB_KERNEL_OPTIONS);
    json_object_set_new(compiling, "sass", json_boolean(options->sass));
    return json_pack("{s:o, s:o, s:s*, s:o*, s:s*, s:s*, s:o}", "source", source, "files",
                     lab_files_read(words->items + 1, words->count - 1, errors), "architecture", options->architecture,
                     "device", device, "edits", options->edits, "entry", options->entry, "options", compiling);
}

/* Prints "  occupancy: 256 threads 64 %, …, limited by registers", one limit for neighbours that share it. */
static void print_occupancy(const json_t *occupancy)
{
    size_t index;
    json_t *entry;
    json_array_foreach(occupancy, index, entry)
    {
        json_t *next = json_array_get(occupancy, index + 1);
        const char *limit = lab_text_of(entry, "limit");
        printf("%s %.0f: %.0f %%", index == 0 ? "  occupancy by threads of a block:" : "",
               lab_number_of(entry, "threads"), 100 * lab_number_of(entry, "share"));
        if (next == NULL || strcmp(limit, lab_text_of(next, "limit")) != 0)
            printf(" (%s)", limit);
        fputs(next != NULL ? "," : "\n", stdout);
    }
}

static void print_kernels(const json_t *answer)
{
    size_t index;
    json_t *kernel;
    json_array_foreach(json_object_get(answer, "kernels"), index, kernel)
    {
        printf("%s: %.0f registers, %.0f B shared, %.0f B local, %.0f B spilled\n", lab_text_of(kernel, "signature"),
               lab_number_of(kernel, "registers"), lab_number_of(kernel, "shared_bytes"),
               lab_number_of(kernel, "local_bytes"), lab_number_of(kernel, "spill_bytes"));
        print_occupancy(json_object_get(kernel, "occupancy"));
    }
}

/* Prints what the options ask for of a source that was compiled. False if the lab cannot give it. */
static bool print_compiled(const json_t *answer, const struct compile_options *options)
{
    if (!options->sass && !options->ptx)
        print_kernels(answer);
    else
        fputs(lab_text_of(answer, options->sass ? "sass" : "ptx"), stdout);
    if (options->sass && !json_is_true(json_object_get(json_object_get(answer, "compiler"), "sass")))
        fputs("This lab has no nvdisasm, the program of the CUDA toolkit that writes SASS.\n", stderr);
    return !options->sass || json_object_get(answer, "sass") != NULL;
}

static enum lab_exit_code command_compile(struct lab_context *context, void *values)
{
    const struct compile_options *options = values;
    struct lab_errors errors = {0};
    json_t *request = make_request(context, options, &errors), *answer = NULL;
    if (request == NULL || errors.count > 0) {
        json_decref(request);
        return lab_fail(LAB_EXIT_USAGE, &errors);
    }
    const struct lab_call call = {.method = "POST", .path = "/api/v1/compile", .body = request};
    enum lab_exit_code code = lab_api_call(context->session.client, &call, &answer, NULL, &errors);
    json_decref(request);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    bool good = strcmp(lab_text_of(answer, "status"), "compiled") == 0;
    if (context->json) {
        lab_print_json(answer);
    } else {
        lab_messages_print(stderr, json_object_get(answer, "messages"), context->arguments.words.items[0]);
        good = good && print_compiled(answer, options);
    }
    json_decref(answer);
    return good ? LAB_EXIT_OK : LAB_EXIT_FAILED;
}

int lab_command_compile(const struct lab_invocation *invocation)
{
    static const char usage[] =
        "Usage: gpulab compile FILE.cu [HEADER...] [OPTIONS]\n\n"
        "Compiles the kernels of a source file, without a GPU, and prints errors, warnings and the resources of each kernel.\n"
        "The exit code is 1 if the source is rejected, or if --sass finds no machine code.\n";
    static const bool temporary = true;
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = LAB_TEXTS_MAX, .temporary = &temporary, .work = command_compile};
    struct compile_options options = {0};
    struct lab_option build[LAB_KERNEL_OPTIONS + 1];
    lab_build_options_table(build, LAB_KERNEL_OPTIONS, offsetof(struct compile_options, build));
    const struct lab_option_group groups[] = {
        {"Compiling", compile_options, &options}, {"Compiler", build, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
