/* Compiles a text, with the headers that NVRTC asks for. */
#include "compile.h"

#include "answer.h"
#include "header_server.h"
#include "host_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last two: enum nvrtcResult. Each round adds a header that NVRTC named as missing, and perhaps its siblings. */
enum { OPTIONS_MAX = 8, ROUNDS_MAX = 32, INVALID_OPTION = 5, COMPILATION_FAILED = 6 };

/* As nvcc compiles the experiments, and with the C library's integer types, which nvcc includes too. */
static size_t make_options(const struct lab_compile_request *request, const char *options[OPTIONS_MAX],
                           char architecture[32])
{
    size_t count = 0;
    snprintf(architecture, 32, "--gpu-architecture=%s", request->architecture);
    options[count++] = architecture;
    options[count++] = "--std=c++17";
    options[count++] = "--pre-include=runtime/pattern.h";
    options[count++] = "--ptxas-options=-v";
    if (request->fast_math)
        options[count++] = "--use_fast_math";
    if (request->line_info)
        options[count++] = "--generate-line-info";
    return count;
}

/* Asks for the entries of the request, such as instances of templates. */
static int add_entries(const struct lab_nvrtc *nvrtc, void *program, const json_t *entries)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < json_array_size(entries); i++)
        result = nvrtc->add_name(program, json_string_value(json_array_get(entries, i)));
    return result;
}

/* Has NVRTC compile the source with the headers that are known. Returns its result. */
static int run_nvrtc(struct lab_compilation *compilation)
{
    const struct lab_nvrtc *nvrtc = compilation->context->nvrtc;
    const struct lab_compile_request *request = compilation->request;
    const struct lab_headers *headers = compilation->context->headers;
    const char *options[OPTIONS_MAX];
    char architecture[32];
    size_t count = make_options(request, options, architecture);
    if (compilation->program != NULL)
        nvrtc->destroy(&compilation->program);
    int result = nvrtc->create(&compilation->program, request->source, request->name, (int)headers->count,
                               headers->texts, headers->names);
    if (result == 0)
        result = add_entries(nvrtc, compilation->program, request->entries);
    return result == 0 ? nvrtc->compile(compilation->program, (int)count, options) : result;
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
static int compile(struct lab_compilation *compilation)
{
    bool again = true;
    int result = 0;
    for (int round = 0; again && round < ROUNDS_MAX; round++) {
        result = run_nvrtc(compilation);
        char *log =
            result == COMPILATION_FAILED ? lab_nvrtc_log(compilation->context->nvrtc, compilation->program) : NULL;
        again = log != NULL && add_header(compilation, log);
        free(log);
    }
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
