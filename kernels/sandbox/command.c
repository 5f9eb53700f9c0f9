/* Arguments of bubblewrap, of gpulab-sandbox, and of the program, in this order. */
#include "command.h"

#include "system_paths.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct words {
    char **items;
    size_t count, capacity;
    bool good;
};

static void add(struct words *words, const char *word)
{
    if (words->count + 1 >= words->capacity) {
        size_t capacity = 2 * words->capacity + 64;
        char **grown = realloc(words->items, capacity * sizeof *grown);
        words->good = words->good && grown != NULL;
        if (grown == NULL)
            return;
        words->items = grown;
        words->capacity = capacity;
    }
    words->items[words->count] = strdup(word);
    words->good = words->good && words->items[words->count] != NULL;
    words->items[++words->count] = NULL;
}

static void add_all(struct words *words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(words, list[i]);
}

#define ADD(words, ...)                                                                                                \
    add_all(words, (const char *const[]){__VA_ARGS__}, sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

static void add_variable(struct words *words, const char *name, const char *folder, const char *below)
{
    char text[PATH_MAX + 32];
    snprintf(text, sizeof text, "%s=%s%s", name, folder, below);
    ADD(words, "--variable", text);
}

static void add_number(struct words *words, const char *option, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    ADD(words, option, text);
}

/* --- bubblewrap --------------------------------------------------------------------------------------------------- */

/* Shows a path of the machine at the same place. bubblewrap would make the folders above it for root alone. */
static void bind_path(struct words *words, const char *how, const char *path)
{
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", path);
    char *last = strrchr(parent, '/');
    if (last != NULL && last != parent) {
        *last = '\0';
        ADD(words, "--perms", "0755", "--dir", parent);
    }
    ADD(words, how, path, path);
}

/* Shows a path of the system; a link such as /lib stays one. */
static void show(struct words *words, const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0) {
        target[length] = '\0';
        ADD(words, "--symlink", target, path);
    } else {
        bind_path(words, "--ro-bind-try", path);
    }
}

/* As root, no namespace of users is made: its only user would be root. gpulab-sandbox needs the capabilities to become
 * the user, to end the user's processes, and to read how much memory they share. */
static void add_bubblewrap(struct words *words, const struct lab_sandbox *sandbox, const struct lab_sandbox_call *call,
                           const char *folder)
{
    char temporary[PATH_MAX + sizeof LAB_SANDBOX_TEMPORARY];
    snprintf(temporary, sizeof temporary, "%s/%s", folder, LAB_SANDBOX_TEMPORARY);
    ADD(words, sandbox->bubblewrap, "--die-with-parent", "--as-pid-1", "--unshare-ipc", "--unshare-pid",
        "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL");
    if (sandbox->has_user)
        ADD(words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL", "--cap-add",
            "CAP_SYS_PTRACE");
    ADD(words, "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--ro-bind-try", "/proc/sysrq-trigger",
        "/proc/sysrq-trigger", "--dev", "/dev", "--bind", temporary, "/tmp", "--bind", temporary, "/dev/shm");
    for (const struct lab_system_path *path = lab_system_paths; path->at.path != NULL; path++)
        if (!path->mounted)
            show(words, path->at.path);
    for (size_t i = 0; call->devices != NULL && call->devices[i] != NULL; i++)
        bind_path(words, "--dev-bind-try", call->devices[i]);
    for (size_t i = 0; call->readable != NULL && call->readable[i] != NULL; i++)
        bind_path(words, "--ro-bind-try", call->readable[i]);
    bind_path(words, "--ro-bind", sandbox->helper);
    bind_path(words, "--bind", folder);
    ADD(words, "--remount-ro", "/dev", "--remount-ro", "/", "--");
}

/* --- gpulab-sandbox ----------------------------------------------------------------------------------------------- */

enum { SPARE_TASKS = 512 };

/* The processes and threads of a user that run now. */
static uint64_t count_tasks(uid_t user)
{
    uint64_t count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc != NULL && (entry = readdir(proc)) != NULL;) {
        char path[64];
        struct stat tasks;
        snprintf(path, sizeof path, "%.20s/task", entry->d_name);
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && fstatat(dirfd(proc), path, &tasks, 0) == 0 &&
            tasks.st_uid == user && tasks.st_nlink > 2)
            count += tasks.st_nlink - 2; /* a folder for each thread */
    }
    if (proc != NULL)
        closedir(proc);
    return count;
}

static void add_helper(struct words *words, const struct lab_sandbox *sandbox, const struct lab_sandbox_call *call,
                       const char *folder)
{
    const struct lab_sandbox_limits *limits = &call->limits;
    ADD(words, sandbox->helper, "--reported", "--folder", folder);
    if (sandbox->way == LAB_SANDBOX_BUBBLEWRAP)
        add(words, "--namespaces");
    if (sandbox->has_user) {
        char user[32];
        snprintf(user, sizeof user, "%u:%u", sandbox->user.uid, sandbox->user.gid);
        ADD(words, "--user", user);
    }
    if (call->kept_count > 0)
        add_number(words, "--kept", call->kept_count);
    add_number(words, "--processor-seconds", limits->processor_s);
    add_number(words, "--memory-bytes", limits->memory_bytes);
    add_number(words, "--tasks", limits->tasks);
    /* The kernel counts all of the user's, also of programs that start later, so this bound is looser: for a program
     * that starts them faster than they are counted. */
    add_number(words, "--user-tasks",
               2 * limits->tasks + SPARE_TASKS + count_tasks(sandbox->has_user ? sandbox->user.uid : geteuid()));
    add_number(words, "--open-files", limits->open_files);
    add_number(words, "--file-bytes", limits->file_bytes);
    for (size_t i = 0; call->readable != NULL && call->readable[i] != NULL; i++)
        ADD(words, "--read", call->readable[i]);
    for (size_t i = 0; call->devices != NULL && call->devices[i] != NULL; i++)
        ADD(words, "--device", call->devices[i]);
    add_variable(words, "HOME", folder, "");
    add_variable(words, "TMPDIR", folder, "/" LAB_SANDBOX_TEMPORARY);
    for (size_t i = 0; call->environment != NULL && call->environment[i] != NULL; i++)
        if (strncmp(call->environment[i], "HOME=", 5) != 0 && strncmp(call->environment[i], "TMPDIR=", 7) != 0)
            ADD(words, "--variable", call->environment[i]);
    add(words, "--");
}

char **lab_sandbox_command_create(const struct lab_sandbox *sandbox, const struct lab_sandbox_call *call,
                                  const char *folder, const char *cgroup)
{
    struct words words = {.good = true};
    if (cgroup[0] != '\0')
        ADD(&words, sandbox->helper, "--cgroup", cgroup, "--");
    if (sandbox->way == LAB_SANDBOX_BUBBLEWRAP)
        add_bubblewrap(&words, sandbox, call, folder);
    add_helper(&words, sandbox, call, folder);
    for (size_t i = 0; call->arguments[i] != NULL; i++)
        add(&words, call->arguments[i]);
    if (words.good)
        return words.items;
    lab_sandbox_command_free(words.items);
    return NULL;
}

void lab_sandbox_command_free(char **command)
{
    for (size_t i = 0; command != NULL && command[i] != NULL; i++)
        free(command[i]);
    free(command);
}
