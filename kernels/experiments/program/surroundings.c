#include "surroundings.h"

#include "core/array.h"
#include "core/program.h"
#include "sandbox/sandbox.h"
#include "trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends a text, which is freed with the others; NULL ends them. */
static void append(struct program_texts *texts, char *text)
{
    char **grown = lab_array_grow(texts->items, texts->count, sizeof *grown);
    if (grown == NULL) {
        texts->failed = true;
        free(text);
        return;
    }
    texts->items = grown;
    texts->items[texts->count++] = text;
}

__attribute__((format(printf, 2, 3))) static void add_variable(struct program_surroundings *s, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0)
        append(&s->variables, text);
    else
        s->variables.failed = true;
    va_end(arguments);
}

/* A path that is not absolute, or not there, is left out, and so is all of the machine. */
static void add_readable(struct program_surroundings *s, const char *path)
{
    char *resolved = path[0] == '/' ? realpath(path, NULL) : NULL;
    if (resolved != NULL && strcmp(resolved, "/") != 0)
        append(&s->readable, resolved);
    else
        free(resolved);
}

static void add_path(struct program_surroundings *s, const char *name, const char *path)
{
    add_variable(s, "%s=%s", name, path);
    add_readable(s, path);
}

/* The folder of the CUDA toolkit, above that of nvcc; "": there is none. */
static void find_toolkit(char folder[PATH_MAX])
{
    if (!lab_program_find("nvcc", NULL, folder))
        folder[0] = '\0';
    for (int i = 0; i < 2 && folder[0] != '\0'; i++) /* bin/nvcc */
        *strrchr(folder, '/') = '\0';
}

/* The folders in which the loader looks for libraries: those of the worker, and the toolkit's. */
static void add_libraries(struct program_surroundings *s, const char *toolkit)
{
    const char *given = getenv("LD_LIBRARY_PATH");
    if (given == NULL)
        given = "";
    if (toolkit[0] != '\0')
        add_variable(s, "LD_LIBRARY_PATH=%s%s%s/lib64", given, given[0] != '\0' ? ":" : "", toolkit);
    else if (given[0] != '\0')
        add_variable(s, "LD_LIBRARY_PATH=%s", given);
    for (const char *at = given; *at != '\0'; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char *folder = strndup(at, length);
        if (folder != NULL)
            add_readable(s, folder);
        else
            s->readable.failed = true;
        free(folder);
        at += length;
    }
}

static void add_toolkit(struct program_surroundings *s)
{
    char toolkit[PATH_MAX];
    find_toolkit(toolkit);
    add_readable(s, toolkit);
    add_libraries(s, toolkit);
    add_variable(s, "PATH=%s%s/usr/local/bin:/usr/bin:/bin", toolkit, toolkit[0] != '\0' ? "/bin:" : "");
}

static void add_devices(struct program_surroundings *s, const struct lab_run *run)
{
    program_devices_find(&s->devices, run, "");
    for (size_t i = 0; i < s->devices.count; i++)
        s->device_files[i] = s->devices.files[i];
    add_variable(s, "%s", s->devices.visible);
}

/* The folder of a library, because it loads others that are beside it. */
static void add_folder_of(struct program_surroundings *s, const char *library)
{
    char *path = realpath(library, NULL);
    if (path == NULL)
        return;
    *strrchr(path, '/') = '\0';
    add_readable(s, path);
    free(path);
}

/* What tells the program of the descriptors that it gets, and what it records to them. */
static void add_kept(struct program_surroundings *s, const struct program_call *call)
{
    const struct lab_tracer *tracer = call->tracer;
    add_variable(s, "GPULAB_RESULTS_FD=%d", LAB_SANDBOX_KEPT + PROGRAM_KEPT_RESULTS);
    if (tracer == NULL)
        return;
    add_variable(s, LAB_TRACE_VARIABLE_FD "=%d", LAB_SANDBOX_KEPT + PROGRAM_KEPT_RECORDS);
    add_path(s, "CUDA_INJECTION64_PATH", tracer->library);
    if (call->counters != NULL)
        add_variable(s, LAB_TRACE_VARIABLE_COUNTERS "=%s", call->counters);
    if (tracer->cupti[0] == '\0')
        return;
    add_path(s, LAB_TRACE_VARIABLE_CUPTI, tracer->cupti);
    add_folder_of(s, tracer->cupti);
    if (call->counters == NULL)
        add_path(s, "NVTX_INJECTION64_PATH", tracer->cupti);
}

bool program_surroundings_find(struct program_surroundings *s, const struct lab_run *run,
                               const struct program_call *call)
{
    *s = (struct program_surroundings){0};
    add_toolkit(s);
    add_variable(s, "LANG=C.UTF-8");
    for (size_t i = 0; call->readable != NULL && call->readable[i] != NULL; i++)
        add_readable(s, call->readable[i]);
    if (!call->is_compiler) {
        add_devices(s, run);
        add_kept(s, call);
    }
    append(&s->variables, NULL);
    append(&s->readable, NULL);
    return !s->variables.failed && !s->readable.failed;
}

static void release(struct program_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
    *texts = (struct program_texts){0};
}

void program_surroundings_release(struct program_surroundings *s)
{
    release(&s->variables);
    release(&s->readable);
}
