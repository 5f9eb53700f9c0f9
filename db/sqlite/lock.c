/* The lock file that allows one process to use the database. */
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

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
    /* The process id only informs people and report_owner, so a full disk is no obstacle; the lock belongs to the
     * kernel, which releases it with the process. */
    (void)!ftruncate(lock, 0);
    dprintf(lock, "%d\n", (int)getpid());
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
