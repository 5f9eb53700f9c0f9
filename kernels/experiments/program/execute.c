#include "execute.h"

#include "devices.h"

#include "core/program.h"
#include "core/user.h"
#include "formats/formats.h"
#include "sandbox/sandbox.h"
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The descriptors that a program gets, from LAB_SANDBOX_KEPT on. */
enum { KEPT_RESULTS, KEPT_RECORDS, KEPT };

enum { VARIABLES_MAX = 16, PATHS_MAX = 96, LISTED_MAX = 4096 };

/* --- the sandbox of this process ---------------------------------------------------------------------------------- */

/* The sandbox of all runs. Runs are executed by one thread. */
static struct lab_sandbox sandbox;

static bool probe(const char *user, struct lab_error *error)
{
    static bool probed;
    struct lab_sandbox_options options = {.has_user = user != NULL};
    if (user != NULL && !lab_user_find(user, &options.user.uid, &options.user.gid, error))
        return false;
    if (!probed)
        lab_sandbox_probe(&options, &sandbox);
    probed = true;
    return sandbox.way != LAB_SANDBOX_NONE || lab_error_set(error, LAB_ERROR_NO_SANDBOX, "", "%s", sandbox.detail);
}

json_t *program_sandbox(const char *user, struct lab_error *error)
{
    if (!probe(user, error))
        return NULL;
    return json_pack("{s:s, s:s?, s:b, s:b}", "protection", lab_sandbox_way_name(sandbox.way), "user", user,
                     "cgroup_memory", sandbox.cgroup_memory, "cgroup_tasks", sandbox.cgroup_tasks);
}

/* --- what a program gets ------------------------------------------------------------------------------------------ */

/* Variables and paths of a call, in memory of their own. */
struct surroundings {
    char text[LISTED_MAX];
    size_t used;
    char *variables[VARIABLES_MAX + 1];
    const char *readable[PATHS_MAX + 1];
    size_t variable_count, readable_count;
    struct program_devices devices;
    const char *device_files[PROGRAM_DEVICE_FILES_MAX + 1];
};

/* Copies a text; NULL when there is no place. */
static char *copy(struct surroundings *s, const char *text, size_t length)
{
    if (s->used + length + 1 > sizeof s->text)
        return NULL;
    char *copied = memcpy(s->text + s->used, text, length);
    copied[length] = '\0';
    s->used += length + 1;
    return copied;
}

static void add_variable(struct surroundings *s, const char *text)
{
    char *copied = copy(s, text, strlen(text));
    if (copied != NULL && s->variable_count < VARIABLES_MAX)
        s->variables[s->variable_count++] = copied;
}

static void add_readable(struct surroundings *s, const char *path)
{
    char resolved[PATH_MAX];
    if (path[0] != '/' || realpath(path, resolved) == NULL || strcmp(resolved, "/") == 0)
        return;
    char *copied = copy(s, resolved, strlen(resolved));
    if (copied != NULL && s->readable_count < PATHS_MAX)
        s->readable[s->readable_count++] = copied;
}

/* The folder of the CUDA toolkit, above that of nvcc, with its libraries. */
static void add_toolkit(struct surroundings *s, char libraries[PATH_MAX])
{
    char nvcc[PATH_MAX];
    libraries[0] = '\0';
    if (!lab_program_find("nvcc", NULL, nvcc))
        return;
    for (int i = 0; i < 2; i++) /* bin/nvcc */
        *strrchr(nvcc, '/') = '\0';
    add_readable(s, nvcc);
    snprintf(libraries, PATH_MAX, "%.4000s/lib64", nvcc);
}

/* The folders in which the loader looks for libraries: those of the worker, and the toolkit's. */
static void add_libraries(struct surroundings *s, const char *toolkit)
{
    const char *given = getenv("LD_LIBRARY_PATH");
    char text[LISTED_MAX / 2], folder[PATH_MAX];
    snprintf(text, sizeof text, "LD_LIBRARY_PATH=%s%s%s", given != NULL ? given : "",
             given != NULL && given[0] != '\0' && toolkit[0] != '\0' ? ":" : "", toolkit);
    if (text[strlen("LD_LIBRARY_PATH=")] != '\0')
        add_variable(s, text);
    for (const char *at = given; at != NULL && *at != '\0'; at += *at == ':') {
        size_t length = strcspn(at, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, at);
        add_readable(s, folder);
        at += length;
    }
}

static void add_number(struct surroundings *s, const char *name, long number)
{
    char text[64];
    snprintf(text, sizeof text, "%s=%ld", name, number);
    add_variable(s, text);
}

static void add_path(struct surroundings *s, const char *name, const char *path)
{
    char text[PATH_MAX + 64];
    snprintf(text, sizeof text, "%s=%s", name, path);
    add_variable(s, text);
    add_readable(s, path);
}

/* What tells the program of the descriptors that it gets. A compiler gets none. */
static void add_kept(struct surroundings *s, const struct program_call *call)
{
    if (call->is_compiler)
        return;
    add_number(s, "GPULAB_RESULTS_FD", LAB_SANDBOX_KEPT + KEPT_RESULTS);
    if (call->tracer == NULL)
        return;
    add_number(s, LAB_TRACE_VARIABLE_FD, LAB_SANDBOX_KEPT + KEPT_RECORDS);
    add_path(s, "CUDA_INJECTION64_PATH", call->tracer->library);
    if (call->tracer->cupti[0] == '\0')
        return;
    add_path(s, LAB_TRACE_VARIABLE_CUPTI, call->tracer->cupti);
    add_path(s, "NVTX_INJECTION64_PATH", call->tracer->cupti);
}

static void surround(struct surroundings *s, const struct program *program, const struct program_call *call)
{
    char libraries[PATH_MAX], text[PATH_MAX + 64];
    s->used = s->variable_count = s->readable_count = 0;
    add_toolkit(s, libraries);
    add_libraries(s, libraries);
    snprintf(text, sizeof text, "PATH=%s%s/usr/local/bin:/usr/bin:/bin", libraries[0] != '\0' ? s->readable[0] : "",
             libraries[0] != '\0' ? "/bin:" : "");
    add_variable(s, text);
    add_variable(s, "LANG=C.UTF-8");
    for (size_t i = 0; call->readable != NULL && call->readable[i] != NULL; i++)
        add_readable(s, call->readable[i]);
    program_devices_find(&s->devices, program->run, "");
    size_t count = call->is_compiler ? 0 : s->devices.count;
    for (size_t i = 0; i < count; i++)
        s->device_files[i] = s->devices.files[i];
    s->device_files[count] = NULL;
    if (!call->is_compiler)
        add_variable(s, s->devices.visible);
    add_kept(s, call);
    s->variables[s->variable_count] = NULL;
    s->readable[s->readable_count] = NULL;
}

/* Bytes of a compiler, which a source can make read without end ("/dev/zero"). */
static const uint64_t compiler_memory = UINT64_C(8) << 30;

/* Bounds that are far above what programs of lessons and benchmarks need, and below what disturbs the machine. */
static struct lab_sandbox_limits limits_of(const struct program_call *call)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
    uint64_t processors = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    return (struct lab_sandbox_limits){
        .wall_s = call->limit_s,
        .processor_s = (uint64_t)(call->limit_s + 1) * processors + 1,
        .memory_bytes = call->is_compiler && memory > compiler_memory ? compiler_memory : memory,
        .tasks = 256 + 32 * processors,
        .open_files = 1024,
        .file_bytes = UINT64_C(1) << 30,
        .folder_bytes = UINT64_C(2) << 30,
        .folder_files = 20000,
    };
}

/* --- what a program gives ----------------------------------------------------------------------------------------- */

/* Appends bytes, up to `most` together. */
static void collect(struct program_bytes *collected, const char *bytes, size_t size, size_t most)
{
    if (size > most - collected->size)
        size = most - collected->size;
    if (collected->size + size + 1 > collected->capacity) {
        size_t capacity = 2 * (collected->size + size + 1);
        char *larger = realloc(collected->bytes, capacity);
        if (larger == NULL)
            return;
        collected->bytes = larger;
        collected->capacity = capacity;
    }
    memcpy(collected->bytes + collected->size, bytes, size);
    collected->size += size;
    collected->bytes[collected->size] = '\0';
}

struct taking {
    struct program *program;
    const struct program_call *call;
    struct program_bytes *printed;
};

static bool take(void *context, enum lab_sandbox_stream stream, const char *bytes, size_t size)
{
    struct taking *taking = context;
    const struct program_call *call = taking->call;
    bool is_output = stream == LAB_SANDBOX_OUTPUT;
    if (!call->silent)
        program_output_add(taking->program->output,
                           call->is_compiler ? PROGRAM_COMPILER
                           : is_output       ? PROGRAM_STDOUT
                                             : PROGRAM_STDERR,
                           bytes, size);
    if (call->is_compiler || (is_output && call->prints_results))
        collect(taking->printed, bytes, size, LAB_RESULT_SIZE_MAX);
    return true;
}

/* A file in memory with a text, or an empty one, at its start. -1 on failure. */
static int memory_file(const char *text)
{
    int file = memfd_create("gpulab", MFD_CLOEXEC);
    size_t length = text != NULL ? strlen(text) : 0;
    if (file >= 0 && length > 0 && (write(file, text, length) != (ssize_t)length || lseek(file, 0, SEEK_SET) != 0)) {
        close(file);
        return -1;
    }
    return file;
}

/* Reads what the program has written to a file in memory, which it may write still. */
static void read_back(int file, struct program_bytes *collected, size_t most)
{
    char buffer[65536];
    ssize_t size;
    for (off_t at = 0; collected->size < most && (size = pread(file, buffer, sizeof buffer, at)) > 0; at += size)
        collect(collected, buffer, (size_t)size, most);
}

/* --- how it ended ------------------------------------------------------------------------------------------------- */

static void describe(const struct lab_sandbox_result *result, struct program_end *end)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    end->ended_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    end->elapsed_s = result->wall_s;
    end->processor_s = result->processor_s;
    if (result->end != LAB_SANDBOX_ITSELF) {
        snprintf(end->text, sizeof end->text, "%s", result->detail);
    } else if (WIFEXITED(result->status)) {
        end->code = WEXITSTATUS(result->status);
        snprintf(end->text, sizeof end->text, "exited with code %d", end->code);
    } else {
        end->signal = WTERMSIG(result->status);
        const char *name = sigabbrev_np(end->signal);
        snprintf(end->text, sizeof end->text, "was ended by SIG%s (%s)", name != NULL ? name : "?",
                 strsignal(end->signal));
    }
}

static bool judge(struct lab_run *run, const struct lab_sandbox_result *result)
{
    switch (result->end) {
    case LAB_SANDBOX_ITSELF:
        return true;
    case LAB_SANDBOX_CANCELLED:
        return lab_error_set(&run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
    case LAB_SANDBOX_NOT_STARTED:
        return lab_error_set(&run->error, LAB_ERROR_PROGRAM_FAILED, "", "The program could not be started: %s",
                             result->detail);
    default:
        return lab_error_set(&run->error, LAB_ERROR_PROGRAM_FAILED, "", "%s", result->detail);
    }
}

/* The files in memory of a call: its input, and those that the program gets. */
struct files {
    int input, kept[KEPT];
};

static bool open_files(struct files *files, const struct program_call *call)
{
    files->input = call->input != NULL ? memory_file(call->input) : -1;
    bool good = (files->input >= 0) == (call->input != NULL);
    for (size_t i = 0; i < KEPT; i++)
        good = (files->kept[i] = memory_file(NULL)) >= 0 && good;
    return good;
}

static void close_files(const struct files *files)
{
    if (files->input >= 0)
        close(files->input);
    for (size_t i = 0; i < KEPT; i++)
        if (files->kept[i] >= 0)
            close(files->kept[i]);
}

bool program_execute(struct program *program, const struct program_call *call, struct program_end *end)
{
    struct lab_run *run = program->run;
    struct lab_sandbox_result result = {0};
    struct files files;
    *end = (struct program_end){.code = -1};
    struct taking taking = {program, call, call->is_compiler ? &program->compiled : &end->printed};
    struct surroundings *s = calloc(1, sizeof *s);
    bool ready = open_files(&files, call) && s != NULL;
    if (ready) {
        surround(s, program, call);
        const struct lab_sandbox_call sandboxed = {.arguments = call->arguments,
                                                   .environment = s->variables,
                                                   .folder = program->folder,
                                                   .readable = s->readable,
                                                   .devices = s->device_files,
                                                   .input = files.input,
                                                   .kept = files.kept,
                                                   .kept_count = call->is_compiler ? 0 : KEPT,
                                                   .limits = limits_of(call),
                                                   .cancel = run->cancel,
                                                   .sink = take,
                                                   .context = &taking};
        lab_sandbox_run(&sandbox, &sandboxed, &result);
        describe(&result, end);
        read_back(files.kept[KEPT_RESULTS], &end->given, LAB_RESULT_SIZE_MAX);
        read_back(files.kept[KEPT_RECORDS], &end->records, LAB_TRACE_LIMIT_DEFAULT);
    }
    free(s);
    close_files(&files);
    return ready ? judge(run, &result) : lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

void program_end_release(struct program_end *end)
{
    free(end->given.bytes);
    free(end->printed.bytes);
    free(end->records.bytes);
    *end = (struct program_end){.code = -1};
}
