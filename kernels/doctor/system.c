/* What the system lets gpulab do: sandboxes, disks, memory, locks of devices. */
#include "core/format.h"

#include "files.h"
#include "shareable.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Less free space than this is too little for a program's files, a copy of a spooled import or the log of the
 * database. */
static const double least_free_bytes = 64 << 20, little_free_bytes = 1 << 30;

/* --- sandboxes ---------------------------------------------------------------------------------------------------- */

static bool is_number(const struct doctor *doctor, const char *name, double wanted)
{
    double number;
    return doctor_read_number(doctor, name, &number) && number == wanted;
}

/* Namespaces of users let a user who is not root start bubblewrap. */
static void examine_namespaces(struct doctor *doctor, const struct doctor_check *check)
{
    if (is_number(doctor, "/proc/sys/user/max_user_namespaces", 0))
        doctor_missing(doctor, check, "sysctl user.max_user_namespaces=15000", "user.max_user_namespaces is 0");
    else if (is_number(doctor, "/proc/sys/kernel/unprivileged_userns_clone", 0))
        doctor_missing(doctor, check, "sysctl kernel.unprivileged_userns_clone=1",
                       "kernel.unprivileged_userns_clone is 0");
    else if (is_number(doctor, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1) &&
             !doctor_exists(doctor, "/etc/apparmor.d/bwrap-userns-restrict"))
        doctor_missing(doctor, check,
                       "A profile of AppArmor that permits them to bwrap (bwrap-userns-restrict of the package "
                       "apparmor-profiles, copied to /etc/apparmor.d), or sysctl "
                       "kernel.apparmor_restrict_unprivileged_userns=0",
                       "AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)");
    else if (doctor_exists(doctor, "/proc/self/ns/user"))
        doctor_works(doctor, check, "permitted by the settings of the kernel");
    else
        doctor_missing(doctor, check, "A kernel with CONFIG_USER_NS", "this kernel has none");
}

static void examine_sandbox(struct doctor *doctor, const struct doctor_check *check)
{
    struct lab_sandbox sandbox;
    char detail[DOCTOR_TEXT_MAX];
    if (doctor->options->sandbox == NULL)
        return;
    bool found = lab_sandbox_probe(doctor->options->sandbox, &sandbox);
    doctor_shareable(sandbox.detail, detail, sizeof detail);
    if (found && sandbox.way == LAB_SANDBOX_BUBBLEWRAP)
        doctor_works(doctor, check, "bubblewrap, with Landlock and seccomp");
    else if (found)
        doctor_works(doctor, check, "Landlock and seccomp, without namespaces: %.*s",
                     (int)strcspn(detail, ".") /* its first sentence */, detail);
    else
        doctor_missing(doctor, check, NULL, "%s", detail);
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

/* Goes up from `path` to a folder that exists. */
static void find_existing(char path[PATH_MAX])
{
    while (access(path, F_OK) != 0 && errno == ENOENT) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            strcpy(path, ".");
        else if (slash == path)
            path[1] = '\0';
        else
            *slash = '\0';
    }
}

static void examine_disk(struct doctor *doctor, const struct doctor_check *check, const char *folder)
{
    struct statvfs disk;
    char path[PATH_MAX], free_text[LAB_FORMAT_SIZE];
    find_existing(strcpy(path, folder));
    if (access(path, W_OK | X_OK) != 0) {
        doctor_blocks(doctor, check, "Let the user who runs gpulab write to the folder",
                      "this user may not write to its folder");
        return;
    }
    if (statvfs(path, &disk) != 0)
        return;
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    lab_format_bytes(free_bytes, free_text);
    if (free_bytes < least_free_bytes)
        doctor_blocks(doctor, check, "Free space on the disk", "only %s are free", free_text);
    else if (free_bytes < little_free_bytes)
        doctor_missing(doctor, check, "Free space on the disk", "only %s are free", free_text);
    else
        doctor_works(doctor, check, "%s free", free_text);
}

static void examine_database(struct doctor *doctor, const struct doctor_check *check)
{
    char path[PATH_MAX];
    if (doctor->options->database != NULL && strlen(doctor->options->database) < sizeof path)
        examine_disk(doctor, check, dirname(strcpy(path, doctor->options->database)));
}

static void examine_temporary(struct doctor *doctor, const struct doctor_check *check)
{
    char path[PATH_MAX];
    examine_disk(doctor, check, doctor_path(doctor, "/tmp", path));
}

static void examine_locks(struct doctor *doctor, const struct doctor_check *check)
{
    char path[PATH_MAX];
    if (strlen(doctor->options->lock_dir) >= sizeof path)
        return;
    find_existing(strcpy(path, doctor->options->lock_dir));
    if (access(path, W_OK | X_OK) == 0)
        doctor_works(doctor, check, "their folder can be written");
    else
        doctor_blocks(doctor, check,
                      "Create the folder for all users as root (install -d -m 1777 /run/lock/gpulab), or name another "
                      "one (--lock-dir)",
                      "this user may not write to their folder");
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void examine_locked_memory(struct doctor *doctor, const struct doctor_check *check)
{
    char soft[32], hard[32], line[128], text[LAB_FORMAT_SIZE];
    if (!doctor_find_line(doctor, "/proc/self/limits", "Max locked memory", line, sizeof line) ||
        sscanf(line, "%31s %31s", soft, hard) != 2)
        return;
    if (strcmp(hard, "unlimited") == 0 || doctor_has_capability(doctor, DOCTOR_IPC_LOCK))
        doctor_works(doctor, check, "unlimited");
    else
        doctor_missing(doctor, check,
                       "LimitMEMLOCK=infinity of a service of systemd, or memlock in /etc/security/limits.conf",
                       "this process may lock %s", lab_format_bytes(strtod(hard, NULL), text));
}

static void examine_huge_pages(struct doctor *doctor, const struct doctor_check *check)
{
    char setting[64];
    if (!doctor_read_line(doctor, "/sys/kernel/mm/transparent_hugepage/enabled", setting, sizeof setting))
        return;
    if (strstr(setting, "[never]") != NULL)
        doctor_disturbs(doctor, check, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
                        "switched off: the memory of the CPU has small pages, and is slower for that");
    else
        doctor_works(doctor, check, "%s",
                     strstr(setting, "[always]") != NULL ? "always" : "where a program asks for them");
}

static void count_node(void *context, const char *name)
{
    (void)name;
    ++*(size_t *)context;
}

static void examine_numa(struct doctor *doctor, const struct doctor_check *check)
{
    size_t nodes = 0;
    doctor_each_numbered(doctor, "/sys/devices/system/node", "node", count_node, &nodes);
    if (nodes > 0)
        doctor_works(doctor, check, "%zu node%s", nodes, nodes == 1 ? "" : "s");
}

const struct doctor_check doctor_system_checks[] = {
    {.name = "sandbox",
     .title = "sandbox",
     .enables = "program; kernel: checks in C",
     .debian = "bubblewrap",
     .rhel = "bubblewrap",
     .examine = examine_sandbox},
    {.name = "user-namespaces",
     .title = "namespaces of users",
     .enables = "bubblewrap of users who are not root",
     .examine = examine_namespaces},
    {.name = "locks",
     .title = "locks of devices",
     .enables = "runs of several labs and users beside each other",
     .examine = examine_locks},
    {.name = "database-disk",
     .title = "disk of the database",
     .enables = "the history of runs",
     .examine = examine_database},
    {.name = "temporary-disk",
     .title = "disk of /tmp",
     .enables = "program, mpi, commands without a lab",
     .examine = examine_temporary},
    {.name = "locked-memory",
     .title = "locked memory",
     .enables = "page-locked memory of the CPU as a device",
     .examine = examine_locked_memory},
    {.name = "huge-pages",
     .title = "huge pages",
     .enables = "memory of the CPU as a device",
     .examine = examine_huge_pages},
    {.name = "numa", .title = "NUMA", .enables = "memory and threads near the device", .examine = examine_numa},
    {0},
};
