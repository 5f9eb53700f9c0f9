#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* What the supervisor and bubblewrap need beside the program. */
enum { SPARE_BYTES = 64 << 20, SPARE_TASKS = 16 };

/* --- files of a cgroup -------------------------------------------------------------------------------------------- */

static bool write_text(const char *cgroup, const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", cgroup, name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return good;
}

static bool write_number(const char *cgroup, const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return write_text(cgroup, name, text);
}

static void read_text(const char *cgroup, const char *name, char *text, size_t size)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", cgroup, name);
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file != NULL)
        fclose(file);
}

/* Whether a cgroup can limit something, such as "memory". */
static bool has_controller(const char *cgroup, const char *name)
{
    char text[512], *rest = text;
    read_text(cgroup, "cgroup.subtree_control", text, sizeof text);
    for (const char *word; (word = strsep(&rest, " \n")) != NULL;)
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

/* --- the delegated one -------------------------------------------------------------------------------------------- */

/* The folder where cgroups of version 2 are mounted; "": nowhere. */
static void find_mount(char path[PATH_MAX])
{
    char line[2 * PATH_MAX], *rest;
    FILE *mounts = fopen("/proc/self/mounts", "re");
    path[0] = '\0';
    while (mounts != NULL && path[0] == '\0' && fgets(line, sizeof line, mounts) != NULL) {
        rest = line;
        strsep(&rest, " ");
        const char *folder = strsep(&rest, " "), *type = strsep(&rest, " ");
        if (type != NULL && strcmp(type, "cgroup2") == 0)
            snprintf(path, PATH_MAX, "%s", folder);
    }
    if (mounts != NULL)
        fclose(mounts);
}

/* The path of this process's cgroup, below the mount; "": none that can be used. */
static void find_own(char path[PATH_MAX])
{
    char line[PATH_MAX];
    FILE *file = fopen("/proc/self/cgroup", "re");
    path[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) == 0 && strstr(line, "..") == NULL)
            snprintf(path, PATH_MAX, "%s", line + 3);
    }
    if (file != NULL)
        fclose(file);
}

/* Whether systemd has delegated a cgroup to this user. */
static bool is_delegated(const char *cgroup)
{
    char value[2] = "", procs[2 * PATH_MAX + 16];
    snprintf(procs, sizeof procs, "%s/cgroup.procs", cgroup);
    return getxattr(cgroup, "user.delegate", value, 1) == 1 && value[0] == '1' && access(procs, W_OK) == 0;
}

void lab_cgroup_find(struct lab_sandbox *sandbox)
{
    char mount[PATH_MAX], own[PATH_MAX], path[2 * PATH_MAX];
    sandbox->cgroup[0] = '\0';
    find_mount(mount);
    find_own(own);
    if (mount[0] == '\0' || own[0] == '\0' || strcmp(own, "/") == 0)
        return;
    snprintf(path, sizeof path, "%s%s", mount, own);
    if (!is_delegated(path)) /* the process is in a part of it (DelegateSubgroup=) */
        *strrchr(path, '/') = '\0';
    if (!is_delegated(path) || strlen(path) >= sizeof sandbox->cgroup)
        return;
    memcpy(sandbox->cgroup, path, strlen(path) + 1);
    /* What is not delegated, or cannot be passed on because processes are in this very cgroup, is not limited. */
    write_text(path, "cgroup.subtree_control", "+memory");
    write_text(path, "cgroup.subtree_control", "+pids");
    sandbox->cgroup_memory = has_controller(path, "memory");
    sandbox->cgroup_tasks = has_controller(path, "pids");
}

/* --- that of a program -------------------------------------------------------------------------------------------- */

bool lab_cgroup_make(const struct lab_sandbox *sandbox, const struct lab_sandbox_limits *limits, char path[PATH_MAX])
{
    static atomic_uint count;
    path[0] = '\0';
    if (sandbox->cgroup[0] == '\0')
        return false;
    snprintf(path, PATH_MAX, "%s/program-%ld-%u", sandbox->cgroup, (long)getpid(), atomic_fetch_add(&count, 1));
    bool made = mkdir(path, 0755) == 0;
    bool good =
        made && (!sandbox->cgroup_memory || (write_number(path, "memory.max", limits->memory_bytes + SPARE_BYTES) &&
                                             (write_text(path, "memory.swap.max", "0") || errno == ENOENT)));
    good = good && (!sandbox->cgroup_tasks || write_number(path, "pids.max", limits->tasks + SPARE_TASKS));
    if (made && !good)
        rmdir(path);
    if (!good)
        path[0] = '\0';
    return good;
}

bool lab_cgroup_remove(const char *path)
{
    enum { TRIES = 200 };
    const struct timespec pause = {.tv_nsec = 5000000};
    char events[512];
    if (path[0] == '\0')
        return false;
    read_text(path, "memory.events", events, sizeof events);
    const char *killed = strstr(events, "oom_kill ");
    write_text(path, "cgroup.kill", "1");
    for (int i = 0; i < TRIES && rmdir(path) != 0 && errno == EBUSY; i++)
        nanosleep(&pause, NULL); /* until the kernel has ended them */
    return killed != NULL && strtoull(killed + strlen("oom_kill "), NULL, 10) > 0;
}
