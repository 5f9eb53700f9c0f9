/* The folder of the database, and the lock file that allows one process to use it. */
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Flushes a folder, because a new entry is on disk only when its parent folder is. */
static void sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

/* Creates the folder and its missing parents with mode 0700. */
static bool create_folder(const char *path)
{
    if (mkdir(path, 0700) == 0) {
        char above[PATH_MAX];
        snprintf(above, sizeof above, "%s", path);
        sync_folder(dirname(above));
        return true;
    }
    if (errno == EEXIST)
        return true; /* if it is not a folder, opening a file in it will fail */
    if (errno != ENOENT)
        return false;

    char above[PATH_MAX];
    snprintf(above, sizeof above, "%s", path);
    char *parent = dirname(above);
    /* Once the parent exists, the second mkdir succeeds or fails for another reason. */
    return strcmp(parent, path) != 0 && create_folder(parent) && mkdir(path, 0700) == 0;
}

/* Absolute, so that a later change of the working directory has no effect and no name has a special meaning for SQLite. */
char *lab_store_path(const char *path)
{
    char folder[PATH_MAX], name[PATH_MAX], resolved[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof folder || path[length - 1] == '/') {
        lab_result(LAB_STORE_FAILED, "\"%s\" is not a file name", path);
        return NULL;
    }
    memcpy(folder, path, length + 1);
    memcpy(name, path, length + 1);
    const char *parent = dirname(folder);
    if (!create_folder(parent) || realpath(parent, resolved) == NULL) {
        lab_result(LAB_STORE_FAILED, "cannot create the folder %s: %s", parent, strerrordesc_np(errno));
        return NULL;
    }
    char *absolute = NULL;
    if (asprintf(&absolute, "%s/%s", resolved, basename(name)) < 0) {
        lab_result(LAB_STORE_FAILED, "out of memory");
        return NULL;
    }
    return absolute;
}

static void report_owner(int lock, const char *path)
{
    char pid[32] = "";
    ssize_t got = pread(lock, pid, sizeof pid - 1, 0);
    pid[got > 0 ? got : 0] = '\0';
    pid[strspn(pid, "0123456789")] = '\0';
    if (pid[0] != '\0')
        lab_result(LAB_STORE_FAILED, "%s is in use by process %s", path, pid);
    else
        lab_result(LAB_STORE_FAILED, "%s is in use by another process", path);
}

int lab_lock_acquire(const char *path)
{
    char name[PATH_MAX + sizeof ".lock"];
    snprintf(name, sizeof name, "%s.lock", path);
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) {
        lab_result(LAB_STORE_FAILED, "cannot open %s: %s", name, strerrordesc_np(errno));
        return -1;
    }
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        bool in_use = errno == EWOULDBLOCK;
        if (in_use)
            report_owner(lock, path);
        else
            lab_result(LAB_STORE_FAILED, "cannot lock %s: %s", name, strerrordesc_np(errno));
        close(lock);
        return in_use ? LAB_LOCK_IN_USE : -1;
    }
    /* The process id only informs people and report_owner; the lock belongs to the kernel, which releases it with the process. */
    if (ftruncate(lock, 0) != 0 || dprintf(lock, "%d\n", (int)getpid()) < 0) {
        lab_result(LAB_STORE_FAILED, "cannot write %s: %s", name, strerrordesc_np(errno));
        close(lock);
        return -1;
    }
    return lock;
}

/* Keeps the file: if it were removed, two processes could lock two different files of the same name. */
void lab_lock_release(int lock)
{
    if (lock < 0)
        return;
    (void)!ftruncate(lock, 0);
    close(lock);
}
