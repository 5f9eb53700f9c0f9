#include "execute.h"

#include "surroundings.h"

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
    int input, kept[PROGRAM_KEPT];
};

static bool open_files(struct files *files, const struct program_call *call)
{
    files->input = call->input != NULL ? memory_file(call->input) : -1;
    bool good = (files->input >= 0) == (call->input != NULL);
    for (size_t i = 0; i < PROGRAM_KEPT; i++)
        good = (files->kept[i] = memory_file(NULL)) >= 0 && good;
    return good;
}

static void close_files(const struct files *files)
{
    if (files->input >= 0)
        close(files->input);
    for (size_t i = 0; i < PROGRAM_KEPT; i++)
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
    struct program_surroundings s;
    bool ready = open_files(&files, call);
    ready = program_surroundings_find(&s, run, call) && ready;
    if (ready) {
        const struct lab_sandbox_call sandboxed = {.arguments = call->arguments,
                                                   .environment = s.variables.items,
                                                   .folder = program->folder.path,
                                                   .readable = (const char *const *)s.readable.items,
                                                   .devices = s.device_files,
                                                   .input = files.input,
                                                   .kept = files.kept,
                                                   .kept_count = call->is_compiler ? 0 : PROGRAM_KEPT,
                                                   .limits = limits_of(call),
                                                   .cancel = run->cancel,
                                                   .sink = take,
                                                   .context = &taking};
        lab_sandbox_run(&sandbox, &sandboxed, &result);
        describe(&result, end);
        read_back(files.kept[PROGRAM_KEPT_RESULTS], &end->given, LAB_RESULT_SIZE_MAX);
        read_back(files.kept[PROGRAM_KEPT_RECORDS], &end->records, LAB_TRACE_LIMIT_DEFAULT);
    }
    program_surroundings_release(&s);
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
