/* The folder the store lives in, and the lock file that keeps it to one process. */
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

/* A new folder is on the disk only when the one it stands in is. */
static void sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

/* Makes the folder and those above it that are missing, each for its owner alone. */
static bool make_folder(const char *path)
{
    if (mkdir(path, 0700) == 0) {
        char above[PATH_MAX];
        snprintf(above, sizeof above, "%s", path);
        sync_folder(dirname(above));
        return true;
    }
    if (errno == EEXIST)
        return true; /* if it is no folder, opening a file in it will say so */
    if (errno != ENOENT)
        return false;

    char above[PATH_MAX];
    snprintf(above, sizeof above, "%s", path);
    char *parent = dirname(above);
    /* The second time the parent is there, or this ends in another error. */
    return strcmp(parent, path) != 0 && make_folder(parent) && mkdir(path, 0700) == 0;
}

/* Absolute, so that a later change of the working directory does not matter, and so that no name is special to SQLite. */
char *lab_store_path(const char *path)
{
    char folder[PATH_MAX], name[PATH_MAX], resolved[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof folder || path[length - 1] == '/') {
        lab_result(LAB_STORE_FAILED, "\"%s\" is not the name of a file", path);
        return NULL;
    }
    memcpy(folder, path, length + 1);
    memcpy(name, path, length + 1);
    const char *parent = dirname(folder);
    if (!make_folder(parent) || realpath(parent, resolved) == NULL) {
        lab_result(LAB_STORE_FAILED, "cannot make the folder %s: %s", parent, strerrordesc_np(errno));
        return NULL;
    }
    char *absolute = NULL;
    if (asprintf(&absolute, "%s/%s", resolved, basename(name)) < 0) {
        lab_result(LAB_STORE_FAILED, "out of memory");
        return NULL;
    }
    return absolute;
}

static void tell_holder(int lock, const char *path)
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

int lab_lock_take(const char *path)
{
    char name[PATH_MAX + sizeof ".lock"];
    snprintf(name, sizeof name, "%s.lock", path);
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) {
        lab_result(LAB_STORE_FAILED, "cannot open %s: %s", name, strerrordesc_np(errno));
        return -1;
    }
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            tell_holder(lock, path);
        else
            lab_result(LAB_STORE_FAILED, "cannot lock %s: %s", name, strerrordesc_np(errno));
        close(lock);
        return -1;
    }
    /* Only for people and for the message above: the lock itself is the kernel's and dies with the process. */
    if (ftruncate(lock, 0) != 0 || dprintf(lock, "%d\n", (int)getpid()) < 0) {
        lab_result(LAB_STORE_FAILED, "cannot write %s: %s", name, strerrordesc_np(errno));
        close(lock);
        return -1;
    }
    return lock;
}

/* The file stays: removing it would let two processes hold locks on two files of one name. */
void lab_lock_release(int lock)
{
    if (lock < 0)
        return;
    (void)!ftruncate(lock, 0);
    close(lock);
}
