/* Compiles a text and puts what NVRTC returns into JSON. */
#include "compile.h"

#include "core/base64.h"
#include "core/text.h"
#include "messages.h"
#include "occupancy.h"
#include "resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 8, INVALID_OPTION = 5, COMPILATION_FAILED = 6 }; /* the last two: enum nvrtcResult */

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

typedef int size_function(void *program, size_t *size);
typedef int bytes_function(void *program, char *bytes);

/* What one pair of NVRTC's functions returns, followed by a NUL; NULL if there is none or not enough memory. The caller
 * frees it. */
static char *get(void *program, size_function *get_size, bytes_function *get_bytes, size_t *size)
{
    *size = 0;
    if (get_size(program, size) != 0)
        return NULL;
    char *bytes = malloc(*size + 1);
    if (bytes == NULL || get_bytes(program, bytes) != 0) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = '\0';
    return bytes;
}

/* The log, cut to LAB_LOG_BYTES_MAX. */
static json_t *cut_log(char *log)
{
    if (strlen(log) > LAB_LOG_BYTES_MAX) {
        log[LAB_LOG_BYTES_MAX] = '\0';
        lab_utf8_drop_invalid(log);
    }
    return json_string(log);
}

/* Appends an error without a place to the messages of `answer`, and rejects the source. */
static void reject(json_t *answer, const char *text)
{
    json_object_set_new(answer, "status", json_string("rejected"));
    json_array_append_new(json_object_get(answer, "messages"),
                          json_pack("{s:s, s:s}", "severity", "error", "text", text));
}

static void add_code(const struct lab_nvrtc *nvrtc, void *program, const char *log, json_t *answer)
{
    size_t ptx_size, cubin_size;
    char *ptx = get(program, nvrtc->ptx_size, nvrtc->ptx, &ptx_size);
    char *cubin = get(program, nvrtc->cubin_size, nvrtc->cubin, &cubin_size);
    if (ptx == NULL || cubin == NULL) {
        reject(answer, "There is not enough memory for the compiled code.");
    } else if (ptx_size + cubin_size > LAB_CODE_BYTES_MAX) {
        reject(answer, "The compiled code is larger than 16 MiB.");
    } else {
        json_object_set_new(answer, "ptx", json_string(ptx));
        char *text = lab_base64_encode(cubin, cubin_size);
        json_object_set_new(answer, "cubin", json_string(text));
        free(text);
        json_object_set_new(answer, "kernels", lab_kernel_resources(log, ptx));
    }
    free(ptx);
    free(cubin);
}

/* Says why ptxas rejected a source without a message: it only logs what the kernels use. */
static void reject_resources(json_t *answer, const char *log)
{
    enum { STATIC_SHARED_BYTES_MAX = 48 * 1024 }; /* of every architecture */
    json_t *kernel, *kernels = lab_kernel_resources(log, "");
    size_t index;
    char text[LAB_DETAIL_MAX] = "NVRTC rejected the source without a message; the log says what was compiled.";
    json_array_foreach(kernels, index, kernel)
    {
        json_int_t bytes = json_integer_value(json_object_get(kernel, "shared_bytes"));
        if (bytes > STATIC_SHARED_BYTES_MAX)
            snprintf(text, sizeof text,
                     "The kernel %s declares %" JSON_INTEGER_FORMAT
                     " bytes of shared memory; at most %d can be "
                     "declared with a size, more only as extern __shared__ with the size in the launch.",
                     json_string_value(json_object_get(kernel, "name")), bytes, STATIC_SHARED_BYTES_MAX);
    }
    json_decref(kernels);
    reject(answer, text);
}

/* The answer to a source that NVRTC compiled or rejected. */
static json_t *make_answer(const struct lab_nvrtc *nvrtc, void *program, const char *name, int result)
{
    size_t size;
    char *log = get(program, nvrtc->log_size, nvrtc->log, &size);
    if (log == NULL)
        return NULL;
    lab_utf8_drop_invalid(log);
    json_t *messages = lab_messages(log, name);
    json_t *answer = json_pack("{s:s, s:o}", "status", result == 0 ? "compiled" : "rejected", "messages", messages);
    const char *severity = json_string_value(json_object_get(json_array_get(messages, 0), "severity"));
    if (result == 0)
        add_code(nvrtc, program, log, answer);
    else if (severity == NULL || strcmp(severity, "error") != 0)
        reject_resources(answer, log);
    json_object_set_new(answer, "log", cut_log(log));
    free(log);
    return answer;
}

/* Asks for the entries of the request, such as instances of templates. */
static int add_entries(const struct lab_nvrtc *nvrtc, void *program, const json_t *entries)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < json_array_size(entries); i++)
        result = nvrtc->add_name(program, json_string_value(json_array_get(entries, i)));
    return result;
}

/* {entry: symbol} of the entries of the request. */
static json_t *symbols_of(const struct lab_nvrtc *nvrtc, void *program, const json_t *entries)
{
    json_t *symbols = json_object();
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const char *entry = json_string_value(json_array_get(entries, i)), *symbol;
        if (nvrtc->symbol(program, entry, &symbol) == 0)
            json_object_set_new(symbols, entry, json_string(symbol));
    }
    return symbols;
}

/* Adds "occupancy" to each kernel of the answer. */
static void add_occupancy(json_t *answer, const char *architecture)
{
    json_t *kernel;
    size_t index;
    json_array_foreach(json_object_get(answer, "kernels"), index, kernel)
    {
        long registers = (long)json_integer_value(json_object_get(kernel, "registers"));
        long shared_bytes = (long)json_integer_value(json_object_get(kernel, "shared_bytes"));
        json_object_set_new(kernel, "occupancy", lab_occupancy(architecture, registers, shared_bytes));
    }
}

json_t *lab_compile_source(const struct lab_nvrtc *nvrtc, const struct lab_compile_request *request,
                           const struct lab_headers *headers, struct lab_error *error)
{
    const char *options[OPTIONS_MAX];
    char architecture[32];
    size_t count = make_options(request, options, architecture);
    void *program;
    int result =
        nvrtc->create(&program, request->source, request->name, (int)headers->count, headers->texts, headers->names);
    if (result == 0)
        result = add_entries(nvrtc, program, request->entries);
    if (result == 0)
        result = nvrtc->compile(program, (int)count, options);
    json_t *answer = NULL;
    if (result == INVALID_OPTION)
        lab_error_set(error, "unknown-architecture", "/architecture", "NVRTC does not know the architecture %s.",
                      request->architecture);
    else if (result != 0 && result != COMPILATION_FAILED)
        lab_error_set(error, "compiler-failed", "/source", "NVRTC failed: %s.", nvrtc->error_text(result));
    else if ((answer = make_answer(nvrtc, program, request->name, result)) == NULL)
        lab_error_set(error, "compiler-failed", "/source", "There is not enough memory for NVRTC's log.");
    if (answer != NULL && result == 0) {
        add_occupancy(answer, request->architecture);
        json_object_set_new(answer, "entries", symbols_of(nvrtc, program, request->entries));
    }
    return answer;
}
