/* Which way works on this machine, found out by using it. */
#include "cgroup.h"
#include "core/program.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool discard(void *context, enum lab_sandbox_stream stream, const char *bytes, size_t size)
{
    (void)context;
    (void)stream;
    (void)bytes;
    (void)size;
    return true;
}

/* Runs a program that does nothing. False: `result` says why it did not run. */
static bool try(const struct lab_sandbox *sandbox, struct lab_sandbox_result *result)
{
    char program[] = "/usr/bin/true", folder[] = "/tmp/gpulab-sandbox-XXXXXX";
    char *const arguments[] = {program, NULL}, *const environment[] = {NULL};
    const struct lab_sandbox_call call = {
        .arguments = arguments,
        .environment = environment,
        .folder = folder,
        .input = -1,
        .limits = {.wall_s = 30,
                   .processor_s = 30,
                   .memory_bytes = 1 << 28,
                   .tasks = 16,
                   .open_files = 64,
                   .file_bytes = 1,
                   .folder_bytes = 1 << 20,
                   .folder_files = 16},
        .sink = discard,
    };
    *result = (struct lab_sandbox_result){.end = LAB_SANDBOX_NOT_STARTED};
    if (mkdtemp(folder) == NULL) {
        snprintf(result->detail, sizeof result->detail, "There can be no folder in /tmp.");
        return false;
    }
    bool good = lab_sandbox_run(sandbox, &call, result) && result->end == LAB_SANDBOX_ITSELF && result->status == 0;
    lab_sandbox_folder_remove(folder);
    if (!good && result->detail[0] == '\0')
        snprintf(result->detail, sizeof result->detail, "A program that does nothing failed.");
    return good;
}

static bool find_helper(const char *wanted, char path[PATH_MAX])
{
    bool found = wanted != NULL ? realpath(wanted, path) != NULL : lab_program_find_own("gpulab-sandbox", path);
    return found && access(path, X_OK) == 0;
}

/* Appends a sentence to the sandbox's. */
static void add_detail(struct lab_sandbox *sandbox, const char *before, const char *text)
{
    size_t length = strlen(sandbox->detail);
    snprintf(sandbox->detail + length, sizeof sandbox->detail - length, "%s%s%.250s", length > 0 ? " " : "", before,
             text);
}

static bool try_bubblewrap(struct lab_sandbox *sandbox)
{
    struct lab_sandbox_result result;
    if (!lab_program_find("bwrap", "/usr/bin", sandbox->bubblewrap)) {
        add_detail(sandbox, "", "bubblewrap is not installed (package bubblewrap).");
        return false;
    }
    sandbox->way = LAB_SANDBOX_BUBBLEWRAP;
    if (try(sandbox, &result))
        return true;
    add_detail(sandbox, "bubblewrap is installed and does not work: ", result.detail);
    return false;
}

static bool try_landlock(struct lab_sandbox *sandbox)
{
    struct lab_sandbox_result result;
    if (geteuid() == 0 && !sandbox->has_user) {
        add_detail(sandbox, "",
                   "Without bubblewrap, root needs another user to run programs as (option --program-user).");
        return false;
    }
    sandbox->way = LAB_SANDBOX_LANDLOCK;
    if (try(sandbox, &result))
        return true;
    add_detail(sandbox, "Landlock and seccomp do not work: ", result.detail);
    return false;
}

bool lab_sandbox_probe(const struct lab_sandbox_options *options, struct lab_sandbox *sandbox)
{
    *sandbox = (struct lab_sandbox){.has_user = options->has_user, .user = options->user};
    if (options->has_user && geteuid() != 0) {
        add_detail(sandbox, "", "Only root can run programs as another user.");
        return false;
    }
    if (!find_helper(options->helper, sandbox->helper)) {
        add_detail(sandbox, "", "The program gpulab-sandbox is not beside this one.");
        return false;
    }
    lab_cgroup_find(sandbox);
    if ((!options->without_bubblewrap && try_bubblewrap(sandbox)) || try_landlock(sandbox))
        return true;
    sandbox->way = LAB_SANDBOX_NONE;
    return false;
}
