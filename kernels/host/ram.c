/* Reads the memory limits of the machine and of control groups (cgroups) of versions 1 and 2, from the process's own
 * group up to the root. In a container that does not see the path of its own group, the root is the container's
 * group. */
#include "ram.h"

#include "topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mount point and the files of a control group version. */
struct cgroup_version {
    const char *mount;
    const char *limit, *usage;
    const char *reclaimable; /* in memory.stat: file cache that the kernel frees under memory pressure */
};

static const struct cgroup_version unified = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
static const struct cgroup_version hybrid = {"/sys/fs/cgroup/unified", "memory.max", "memory.current", "inactive_file"};
static const struct cgroup_version legacy = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                             "total_inactive_file"};

enum { PATH_BYTES = 1024, TEXT_BYTES = 8192 };

/* Finds the line "name number" or "name: number" in a text, and sets *number. */
static bool find_number(const char *text, const char *name, uint64_t *number)
{
    size_t length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
        if (strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == ':'))
            return sscanf(line + length + 1, "%" SCNu64, number) == 1;
    return false;
}

static bool read_number(const char *root, const char *directory, const char *file, uint64_t *number)
{
    char path[PATH_BYTES + 64], text[64];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return lab_host_read_text(root, path, text, sizeof text) &&
           sscanf(text, "%" SCNu64, number) == 1; /* false for "max" */
}

/* Sets *number to `bound` if it is larger. */
static void limit_to(uint64_t *number, uint64_t bound)
{
    *number = *number < bound ? *number : bound;
}

/* Reduces ram->total to the limit of one control group, and ram->available to the unused part of the limit. */
static void apply_group(const char *root, const struct cgroup_version *version, const char *directory,
                        struct host_ram *ram)
{
    char path[PATH_BYTES + 64], text[TEXT_BYTES];
    uint64_t limit, usage, cache = 0;
    if (!read_number(root, directory, version->limit, &limit))
        return;
    limit_to(&ram->total, limit);
    if (!read_number(root, directory, version->usage, &usage))
        return;
    snprintf(path, sizeof path, "%s/memory.stat", directory);
    if (lab_host_read_text(root, path, text, sizeof text))
        find_number(text, version->reclaimable, &cache);
    usage -= cache < usage ? cache : usage;
    limit_to(&ram->available, limit > usage ? limit - usage : 0);
}

/* Applies the limits of the group `group` ("/a/b") and of all its parents. */
static void apply_groups(const char *root, const struct cgroup_version *version, const char *group,
                         struct host_ram *ram)
{
    char directory[PATH_BYTES];
    int length = snprintf(directory, sizeof directory, "%s%s", version->mount, group);
    if (length < 0 || (size_t)length >= sizeof directory)
        return;
    size_t top = strlen(version->mount);
    for (;;) {
        apply_group(root, version, directory, ram);
        char *slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < top)
            return;
        *slash = '\0';
    }
}

/* Applies the limits of the process's control groups. /proc/self/cgroup has a line "0::/group" for version 2 and a line
 * "N:controllers:/group" for each hierarchy of version 1. */
static void apply_cgroups(const char *root, struct host_ram *ram)
{
    char text[TEXT_BYTES], *rest = NULL;
    if (!lab_host_read_text(root, "/proc/self/cgroup", text, sizeof text))
        return;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        if (controllers[1] == '\0') {
            apply_groups(root, &unified, group, ram);
            apply_groups(root, &hybrid, group, ram);
        } else if (strcmp(controllers + 1, "memory") == 0) {
            apply_groups(root, &legacy, group, ram);
        }
    }
}

bool lab_host_ram(const char *root, struct host_ram *ram)
{
    char text[TEXT_BYTES];
    if (!lab_host_read_text(root, "/proc/meminfo", text, sizeof text) || !find_number(text, "MemTotal", &ram->total) ||
        !find_number(text, "MemAvailable", &ram->available))
        return false;
    ram->total *= 1024;
    ram->available *= 1024;
    apply_cgroups(root, ram);
    uint64_t reserved = ram->total / 64;
    ram->available -= reserved < ram->available ? reserved : ram->available;
    return true;
}
