/* Compiles a text, with the headers that NVRTC asks for. */
#include "compile.h"

#include "answer.h"
#include "descriptor/build_options.h"
#include "header_server.h"
#include "host_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last two: enum nvrtcResult. Each round adds a header that NVRTC named as missing, and perhaps its siblings. */
enum { OPTIONS_MAX = LAB_MACROS_MAX + 16, ROUNDS_MAX = 32, INVALID_OPTION = 5, COMPILATION_FAILED = 6 };

/* With this macro cooperative_groups.h does without libcu++, whose parsing takes most of the time of a compilation. */
static const char without_libcu[] = "_CG_LIMIT_INCLUDED_DEPENDENCIES";

/* How far libcu++ unrolls its lists of types: as far as with nvcc. With NVRTC it would be 16, whose macros take a third
 * of the time of CUB's headers. */
static const char unrolled[] = "--define-macro=_CCCL_META_UNROLL_LIMIT=10";

/* The arguments of NVRTC. */
struct options {
    size_t count;
    char *items[OPTIONS_MAX];
};

static void add_option(void *context, const char *text)
{
    struct options *options = context;
    if (options->count < OPTIONS_MAX && (options->items[options->count] = strdup(text)) != NULL)
        options->count++;
}

/* As nvcc compiles the experiments, and with the C library's integer types, which nvcc includes too. */
static void make_options(const struct lab_compile_request *request, const char *macro, struct options *options)
{
    char text[64];
    snprintf(text, sizeof text, "--gpu-architecture=%s", request->architecture);
    add_option(options, text);
    if (macro != NULL) {
        snprintf(text, sizeof text, "--define-macro=%s", macro);
        add_option(options, text);
    }
    add_option(options, unrolled);
    add_option(options, "--pre-include=runtime/pattern.h");
    add_option(options, "--pre-include=" LAB_MACROS_HEADER);
    add_option(options, "--ptxas-options=-v");
    if (json_object_get(request->options, "std") == NULL)
        add_option(options, "--std=c++17");
    lab_kernel_options_arguments(request->options, add_option, options);
}

static void release_options(struct options *options)
{
    for (size_t i = 0; i < options->count; i++)
        free(options->items[i]);
}

/* Asks for the entries of the request, such as instances of templates. */
static int add_entries(const struct lab_nvrtc *nvrtc, void *program, const json_t *entries)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < json_array_size(entries); i++)
        result = nvrtc->add_name(program, json_string_value(json_array_get(entries, i)));
    return result;
}

/* Has NVRTC compile the source with the headers that are known and this macro; NULL: none. Returns its result. */
static int run_nvrtc(struct lab_compilation *compilation, const char *macro)
{
    const struct lab_nvrtc *nvrtc = compilation->context->nvrtc;
    const struct lab_compile_request *request = compilation->request;
    const struct lab_headers *headers = compilation->context->headers;
    if (compilation->program != NULL)
        nvrtc->destroy(&compilation->program);
    int result = nvrtc->create(&compilation->program, request->source, request->name, (int)headers->count,
                               headers->texts, headers->names);
    if (result == 0)
        result = add_entries(nvrtc, compilation->program, request->entries);
    struct options options = {0};
    make_options(request, macro, &options);
    if (result == 0)
        result = nvrtc->compile(compilation->program, (int)options.count, (const char *const *)options.items);
    release_options(&options);
    return result;
}

/* Adds a header that the source includes and that does not exist, without text, so that NVRTC reads on. */
static bool add_missing(struct lab_compilation *compilation, const char *name, long line)
{
    json_array_append_new(compilation->missing, json_pack("{s:s, s:I}", "name", name, "line", (json_int_t)line));
    return lab_headers_append(compilation->context->headers, name, strdup(""));
}

/* Adds the header for which NVRTC gave up, as its log says. False if there is none that could be added. */
static bool add_header(struct lab_compilation *compilation, const char *log)
{
    const struct lab_compile_context *context = compilation->context;
    char name[LAB_INCLUDE_NAME_MAX], from[LAB_INCLUDE_NAME_MAX];
    struct lab_message message;
    while (lab_message_next(&log, &message)) {
        if (!lab_missing_header(&message, name))
            continue;
        snprintf(from, sizeof from, "%.*s", (int)message.file.length, message.file.text);
        return lab_header_server_ask(context->header_server, name, from, context->headers) ||
               (!lab_message_is_of_header(&message, compilation->request->name) &&
                add_missing(compilation, name, message.line));
    }
    return false;
}

/* Compiles, again and again while there are headers to add. Returns NVRTC's last result. */
static int compile_with(struct lab_compilation *compilation, const char *macro)
{
    bool again = true;
    int result = 0;
    for (int round = 0; again && round < ROUNDS_MAX; round++) {
        result = run_nvrtc(compilation, macro);
        char *log =
            result == COMPILATION_FAILED ? lab_nvrtc_log(compilation->context->nvrtc, compilation->program) : NULL;
        again = log != NULL && add_header(compilation, log);
        free(log);
    }
    return result;
}

static bool is_read(const struct lab_headers *headers, const char *macro)
{
    for (size_t i = 0; i < headers->count; i++)
        if (strstr(headers->texts[i], macro) != NULL)
            return true;
    return false;
}

/* Compiles without libcu++ for cooperative groups. What fails so is compiled with it, as everywhere else: some
 * functions need it, and a source may use names that it did not include. */
static int compile(struct lab_compilation *compilation)
{
    int result = compile_with(compilation, without_libcu);
    if (result == COMPILATION_FAILED && is_read(compilation->context->headers, without_libcu))
        result = compile_with(compilation, NULL);
    return result;
}

json_t *lab_compile_source(const struct lab_compile_context *context, const struct lab_compile_request *request,
                           struct lab_error *error)
{
    struct lab_compilation compilation = {context, request, NULL, json_array()};
    int result = compile(&compilation);
    json_t *answer = NULL;
    if (result == INVALID_OPTION)
        lab_error_set(error, LAB_ERROR_UNKNOWN_ARCHITECTURE, "/architecture",
                      "NVRTC does not know the architecture %s.", request->architecture);
    else if (result != 0 && result != COMPILATION_FAILED)
        lab_error_set(error, LAB_ERROR_COMPILER_FAILED, "/source", "NVRTC failed: %s.",
                      context->nvrtc->error_text(result));
    else if ((answer = lab_compile_answer(&compilation, result == 0)) == NULL)
        lab_error_set(error, LAB_ERROR_COMPILER_FAILED, "/source", "There is not enough memory for NVRTC's log.");
    json_decref(compilation.missing);
    return answer;
}
