/* The order matters: folders of the user are found as that user, and files are forbidden after they are named. */
#include "confine.h"

#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/report.h"
#include "sandbox/system_calls.h"
#include "sandbox/system_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static bool become_user(const struct lab_sandbox_settings *settings)
{
    const struct lab_sandbox_user *user = &settings->user;
    return !settings->has_user || (setgroups(0, NULL) == 0 && setresgid(user->gid, user->gid, user->gid) == 0 &&
                                   setresuid(user->uid, user->uid, user->uid) == 0);
}

static void limit(const struct lab_sandbox_settings *settings)
{
    lab_limit_processor(settings->processor_s);
    lab_limit_set(RLIMIT_DATA, settings->memory_bytes);
    lab_limit_set(RLIMIT_NPROC, settings->user_tasks);
    lab_limit_set(RLIMIT_NOFILE, settings->open_files);
    lab_limit_set(RLIMIT_FSIZE, settings->file_bytes);
    lab_limit_set(RLIMIT_MSGQUEUE, 0);
    lab_limit_core();
}

static size_t count(const char *const *list)
{
    size_t found = 0;
    while (list[found] != NULL)
        found++;
    return found;
}

/* In namespaces, /proc is the sandbox's own, and /tmp and /dev/shm are the folder for temporary files. */
static bool forbid_files(const struct lab_sandbox_settings *settings)
{
    size_t capacity = count(settings->readable) + count(settings->devices) + 4, used = 0;
    for (const struct lab_system_path *path = lab_system_paths; path->at.path != NULL; path++)
        capacity++;
    struct lab_landlock_path *paths = calloc(capacity, sizeof *paths);
    if (paths == NULL)
        return false;
    for (const struct lab_system_path *path = lab_system_paths; path->at.path != NULL; path++)
        paths[used++] = path->at;
    for (const char **path = settings->readable; *path != NULL; path++)
        paths[used++] = (struct lab_landlock_path){*path, LAB_LANDLOCK_READ};
    for (const char **path = settings->devices; *path != NULL; path++)
        paths[used++] = (struct lab_landlock_path){*path, LAB_LANDLOCK_USE};
    paths[used++] = (struct lab_landlock_path){settings->folder, LAB_LANDLOCK_WRITE};
    if (settings->namespaces) {
        paths[used++] = (struct lab_landlock_path){"/tmp", LAB_LANDLOCK_WRITE};
        paths[used++] = (struct lab_landlock_path){"/dev/shm", LAB_LANDLOCK_WRITE};
        paths[used++] = (struct lab_landlock_path){"/proc", LAB_LANDLOCK_USE};
    }
    bool good =
        lab_landlock_restrict(paths, used, settings->namespaces ? LAB_LANDLOCK_ANY_NETWORK : LAB_LANDLOCK_NO_TCP);
    free(paths);
    return good;
}

/* Leaves the standard descriptors, those that are kept, and one that exec closes. */
static int close_descriptors(int kept, int failure)
{
    int first = LAB_SANDBOX_KEPT + kept, moved = fcntl(failure, F_DUPFD_CLOEXEC, LAB_SANDBOX_PASSED + kept);
    for (int i = 0; i < kept; i++)
        dup2(LAB_SANDBOX_PASSED + i, LAB_SANDBOX_KEPT + i);
    failure = dup3(moved, first, O_CLOEXEC);
    lab_close_from(first + 1);
    return failure;
}

/* Returns only if something fails: what. errno is why, or 0. */
static const char *become_program(const struct lab_sandbox_settings *settings)
{
    const struct lab_system_calls_surroundings surroundings = {.namespaces = settings->namespaces,
                                                               .scopes = lab_landlock_version() >= LAB_LANDLOCK_SCOPES};
    setsid();
    if (!become_user(settings))
        return "its user cannot be set";
    if (chdir(settings->folder) != 0)
        return "its folder cannot be entered";
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || !lab_limit_rights())
        return "the kernel cannot keep it from gaining rights";
    limit(settings);
    bool files = forbid_files(settings) || settings->namespaces, calls = lab_system_calls_forbid_others(surroundings);
    errno = 0;
    if (!files)
        return "this kernel does not have Landlock, which is in Linux 5.13 and newer where lsm= of its command line names it";
    if (!calls)
        return "this kernel does not filter system calls (seccomp)";
    execve(settings->arguments[0], settings->arguments, settings->environment);
    return settings->arguments[0];
}

void lab_confine(const struct lab_sandbox_settings *settings, int failure)
{
    char detail[LAB_SANDBOX_DETAIL_MAX];
    failure = close_descriptors((int)settings->kept, failure);
    const char *what = become_program(settings), *why = errno != 0 ? strerrordesc_np(errno) : "";
    snprintf(detail, sizeof detail, "The program cannot be started: %.400s%s%s.", what, why[0] != '\0' ? ": " : "",
             why);
    ssize_t ignored = write(failure, detail, sizeof detail);
    (void)ignored;
    _exit(127);
}
