/* Puts what NVRTC returns into JSON. */
#include "answer.h"

#include "core/base64.h"
#include "core/symbols.h"
#include "core/text.h"
#include "host_code.h"
#include "messages.h"
#include "names.h"
#include "occupancy.h"
#include "ptx_facts.h"
#include "resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log, cut to LAB_LOG_BYTES_MAX. */
static json_t *cut_log(char *log)
{
    if (strlen(log) > LAB_LOG_BYTES_MAX) {
        log[LAB_LOG_BYTES_MAX] = '\0';
        lab_utf8_drop_invalid(log);
    }
    return json_string(log);
}

/* Puts a message without a place before the others. */
static void add_message(json_t *answer, const char *severity, const char *text)
{
    json_t *messages = json_object_get(answer, "messages");
    json_array_insert_new(messages, 0, json_pack("{s:s, s:s}", "severity", severity, "text", text));
    json_array_remove(messages, LAB_MESSAGES_MAX);
}

static void reject(json_t *answer, const char *text)
{
    json_object_set_new(answer, "status", json_string("rejected"));
    add_message(answer, "error", text);
}

/* The kernels of the log and the PTX with their occupancy and "signature", the name in C++. */
static json_t *list_kernels(const char *log, const char *ptx, const json_t *names, const char *architecture)
{
    json_t *kernel, *kernels = lab_kernel_resources(log, ptx);
    size_t index;
    lab_ptx_facts(ptx, kernels);
    json_array_foreach(kernels, index, kernel)
    {
        json_t *symbol = json_object_get(kernel, "name");
        json_t *name = json_object_get(names, json_string_value(symbol));
        long registers = (long)json_integer_value(json_object_get(kernel, "registers"));
        long shared_bytes = (long)json_integer_value(json_object_get(kernel, "shared_bytes"));
        json_object_set(kernel, "signature", name != NULL ? name : symbol);
        json_object_set_new(kernel, "occupancy", lab_occupancy(architecture, registers, shared_bytes));
    }
    return kernels;
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

static void add_code(const struct lab_compilation *compilation, const char *log, json_t *answer)
{
    const struct lab_nvrtc *nvrtc = compilation->context->nvrtc;
    const struct lab_compile_request *request = compilation->request;
    size_t ptx_size, cubin_size;
    char *ptx = lab_nvrtc_ptx(nvrtc, compilation->program, &ptx_size);
    char *cubin = lab_nvrtc_cubin(nvrtc, compilation->program, &cubin_size);
    if (ptx == NULL || cubin == NULL) {
        reject(answer, "There is not enough memory for the compiled code.");
    } else if (ptx_size + cubin_size > LAB_CODE_BYTES_MAX) {
        reject(answer, "The compiled code is larger than 16 MiB.");
    } else {
        json_t *kernels = list_kernels(log, ptx, json_object_get(answer, "names"), request->architecture);
        char *text = lab_base64_encode(cubin, cubin_size);
        if (json_array_size(kernels) == 0)
            add_message(
                answer, "warning",
                "There is no kernel: a kernel is a __global__ function, of a template an instance that the entry "
                "names, such as scale<float>.");
        json_object_set_new(answer, "ptx", json_string(ptx));
        json_object_set_new(answer, "cubin", json_string(text));
        json_object_set_new(answer, "kernels", kernels);
        json_object_set_new(answer, "entries", symbols_of(nvrtc, compilation->program, request->entries));
        free(text);
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

/* Puts names in the place of symbols in the messages. */
static void rename_symbols(json_t *messages, const json_t *names)
{
    enum { TEXT_MAX = 2 * LAB_MESSAGE_BYTES_MAX };
    json_t *message;
    size_t index;
    json_array_foreach(messages, index, message)
    {
        char *text = lab_symbols_replace(json_string_value(json_object_get(message, "text")), names, TEXT_MAX);
        if (text != NULL)
            json_object_set_new(message, "text", json_string(text));
        free(text);
    }
}

json_t *lab_compile_answer(const struct lab_compilation *compilation, bool compiled)
{
    const struct lab_compile_context *context = compilation->context;
    const char *name = compilation->request->name;
    char *log = lab_nvrtc_log(context->nvrtc, compilation->program);
    if (log == NULL)
        return NULL;
    lab_utf8_drop_invalid(log);
    json_t *host_code = lab_host_code_error(log, name, compilation->missing, context->headers->has_toolkit);
    json_t *messages = lab_messages(log, name, host_code), *names = lab_names(context->demangler, log);
    compiled = compiled && host_code == NULL;
    json_decref(host_code);
    json_t *answer = json_pack("{s:s, s:o, s:o}", "status", compiled ? "compiled" : "rejected", "messages", messages,
                               "names", names);
    const char *severity = json_string_value(json_object_get(json_array_get(messages, 0), "severity"));
    if (compiled)
        add_code(compilation, log, answer);
    else if (severity == NULL || strcmp(severity, "error") != 0)
        reject_resources(answer, log);
    rename_symbols(messages, names);
    json_object_set_new(answer, "log", cut_log(log));
    free(log);
    return answer;
}
