/* gpulab-compiler: reads one request from standard input, compiles its source with NVRTC, writes one answer to standard
 * output, and exits. Between reading and compiling it enters a sandbox, because the source may be hostile. With
 * --disassemble it becomes nvdisasm.
 */
#include "compile.h"
#include "core/clock.h"
#include "core/error_json.h"
#include "core/lines.h"
#include "descriptor/build_options.h"
#include "disassemble.h"
#include "header_server.h"
#include "protection.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: gpulab-compiler [--processor-seconds N] [--memory-mib N] [--disassemble]\n"
    "Started by gpulab. Reads a request from standard input and writes an answer to standard output, both JSON.\n"
    "With --disassemble: reads a cubin and writes its SASS.\n";

struct arguments {
    struct lab_protection_limits limits;
    int disassemble; /* boolean, of the type that getopt_long sets */
};

/* Writes the answer and ends the process at once: libraries that close their files at exit cannot do so in the
 * sandbox. */
__attribute__((noreturn)) static void answer(json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    bool good =
        text != NULL && lab_write_all(STDOUT_FILENO, text, strlen(text)) && lab_write_all(STDOUT_FILENO, "\n", 1);
    _exit(good ? 0 : 1);
}

__attribute__((noreturn)) static void answer_error(const struct lab_error *error)
{
    answer(json_pack("{s:o}", "error", lab_error_write(error)));
}

/* "compiler": version, architectures, the protections that are in effect, and whether there is an nvdisasm. */
static json_t *describe(const struct lab_nvrtc *nvrtc, const struct lab_protection *protections, bool sass)
{
    int major = 0, minor = 0, count = 0, numbers[128];
    char version[32];
    nvrtc->version(&major, &minor);
    snprintf(version, sizeof version, "%d.%d", major, minor);
    json_t *architectures = json_array(), *protection = json_array();
    if (nvrtc->architecture_count(&count) == 0 && count <= (int)(sizeof numbers / sizeof *numbers) &&
        nvrtc->architectures(numbers) == 0)
        for (int i = 0; i < count; i++)
            json_array_append_new(architectures, json_sprintf("sm_%d", numbers[i]));
    if (protections->system_calls)
        json_array_append_new(protection, json_string("seccomp"));
    if (protections->files)
        json_array_append_new(protection, json_string("landlock"));
    return json_pack("{s:s, s:o, s:o, s:b}", "version", version, "architectures", architectures, "protection",
                     protection, "sass", sass);
}

/* Adds a header with a #define for each "NAME" or "NAME=VALUE". */
static bool add_macros(const json_t *defines, struct lab_headers *headers)
{
    char text[LAB_MACROS_MAX * (LAB_MACRO_BYTES_MAX + 16)] = "";
    size_t index, used = 0;
    json_t *define;
    json_array_foreach(defines, index, define)
    {
        const char *name = json_string_value(define), *value = strchr(name, '=');
        int length = value != NULL ? (int)(value - name) : (int)strlen(name);
        used += (size_t)snprintf(text + used, sizeof text - used, "#define %.*s %s\n", length, name,
                                 value != NULL ? value + 1 : "1");
    }
    return lab_headers_add_own(headers, LAB_MACROS_HEADER, text);
}

/* Adds the files of the request. */
static bool add_files(const json_t *files, struct lab_headers *headers)
{
    const char *name;
    json_t *text;
    json_object_foreach((json_t *)files, name, text)
    {
        if (!lab_headers_add_own(headers, name, json_string_value(text)))
            return false;
    }
    return true;
}

/* Collects the headers that the source includes, before the sandbox closes the file system, and starts the process that
 * finds those that NVRTC misses. Returns its descriptor. */
static int find_headers(const struct lab_nvrtc *nvrtc, const struct lab_compile_request *request,
                        struct lab_headers *headers)
{
    char folder[PATH_MAX] = "", cccl[PATH_MAX + 8] = "";
    const char *folders[] = {NULL, NULL, NULL};
    if (lab_nvrtc_include_folder(nvrtc, folder, sizeof folder)) {
        snprintf(cccl, sizeof cccl, "%s/cccl", folder); /* CUB, Thrust and libcu++, from CUDA 13 on */
        folders[0] = folder;
        folders[1] = cccl;
        headers->has_toolkit = true;
    }
    struct lab_error error;
    if (!add_macros(json_object_get(request->options, "defines"), headers) || !add_files(request->files, headers) ||
        !lab_headers_find(headers, "#include \"runtime/pattern.h\"\n", folders) ||
        !lab_headers_find(headers, request->source, folders)) {
        lab_error_set(&error, LAB_ERROR_TOO_MANY_HEADERS, "/source",
                      "The source includes more than %d headers or %d MiB of them.", LAB_HEADERS_MAX,
                      LAB_HEADERS_BYTES_MAX >> 20);
        answer_error(&error);
    }
    return lab_header_server_start(headers, folders);
}

static bool parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){.limits = {.processor_s = 20, .memory_mib = 4096}};
    const struct option options[] = {{"processor-seconds", required_argument, NULL, 'p'},
                                     {"memory-mib", required_argument, NULL, 'm'},
                                     {"disassemble", no_argument, &arguments->disassemble, true},
                                     {NULL, 0, NULL, 0}};
    struct lab_protection_limits *limits = &arguments->limits;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        char *end;
        unsigned long value = optarg != NULL ? strtoul(optarg, &end, 10) : 0;
        if (option == 0)
            continue;
        if (value == 0 || value > 1 << 20 || *end != '\0')
            return false;
        *(option == 'p' ? &limits->processor_s : &limits->memory_mib) = (unsigned)value;
    }
    return optind == argc;
}

__attribute__((noreturn)) static void compile(const struct lab_protection_limits *limits)
{
    struct lab_nvrtc nvrtc;
    struct lab_demangler demangler;
    struct lab_compile_request request;
    struct lab_headers headers = {0};
    struct lab_compile_context context = {&nvrtc, &demangler, &headers, -1};
    struct lab_protection protection;
    struct lab_error error;
    char why[256], nvdisasm[PATH_MAX];
    bool have_nvrtc = lab_nvrtc_open(&nvrtc, why, sizeof why);
    lab_demangler_open(&demangler);
    if (!lab_compile_request_read(&request, STDIN_FILENO, &error))
        answer_error(&error);
    if (!have_nvrtc) {
        lab_error_set(&error, LAB_ERROR_NO_COMPILER, "",
                      "This lab has no NVRTC, which is part of the CUDA toolkit: %s.", why);
        answer_error(&error);
    }
    double begin = lab_clock_now();
    bool sass = lab_nvdisasm_find(&nvrtc, nvdisasm);
    if (request.source != NULL)
        context.header_server = find_headers(&nvrtc, &request, &headers);
    if (!lab_protection_enter(limits, context.header_server, &protection)) {
        lab_error_set(&error, LAB_ERROR_NO_SANDBOX, "",
                      "The source is not compiled, because this kernel offers neither seccomp nor Landlock.");
        answer_error(&error);
    }
    if (context.header_server >= 0)
        context.header_server = LAB_PROTECTION_KEPT;
    json_t *document = json_object();
    if (request.source != NULL && (document = lab_compile_source(&context, &request, &error)) == NULL)
        answer_error(&error);
    json_object_set_new(document, "compiler", describe(&nvrtc, &protection, sass));
    json_object_set_new(document, "seconds", json_real(lab_clock_now() - begin));
    answer(document);
}

/* Returns only when the SASS cannot be had: the exit code. */
static int disassemble(const struct lab_protection_limits *limits)
{
    struct lab_nvrtc nvrtc;
    char why[256], nvdisasm[PATH_MAX];
    if (!lab_nvdisasm_find(lab_nvrtc_load(&nvrtc, why, sizeof why) ? &nvrtc : NULL, nvdisasm)) {
        fputs("This lab has no nvdisasm, which is part of the CUDA toolkit.\n", stderr);
        return 1;
    }
    return lab_disassemble(nvdisasm, limits);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse_arguments(argc, argv, &arguments)) {
        fputs(usage, stderr);
        return 2;
    }
    if (arguments.disassemble)
        return disassemble(&arguments.limits);
    compile(&arguments.limits);
}
