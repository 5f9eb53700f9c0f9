/* Device lock files. Waiting polls the lock, because a blocking flock could not be ended by a cancel. */
#include "device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int open_lock(const char *folder, const char *device_id, struct lab_error *error)
{
    char path[PATH_MAX];
    if (mkdir(folder, 0777) == 0) {
        chmod(folder, 01777); /* world-writable and sticky, like /tmp, independent of the umask */
    } else if (errno != EEXIST) {
        lab_error_set(error, LAB_ERROR_LOCK, "", "cannot create the lock folder %.150s: %s; --lock-dir selects another",
                      folder, strerror(errno));
        return -1;
    }
    int length = snprintf(path, sizeof path, "%s/%s", folder, device_id);
    if (length < 0 || (size_t)length >= sizeof path) {
        lab_error_set(error, LAB_ERROR_LOCK, "", "the path of the lock folder %.150s… is too long", folder);
        return -1;
    }
    /* The first try has no O_CREAT: in a sticky folder the kernel may refuse open with O_CREAT on another user's file,
     * even though the file exists (fs.protected_regular). */
    int lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0 && errno == ENOENT)
        lock = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (lock < 0)
        lab_error_set(error, LAB_ERROR_LOCK, "", "cannot open the lock file %.200s: %s", path, strerror(errno));
    return lock;
}

int lab_device_lock(const char *folder, const char *device_id, const atomic_bool *cancel,
                    void (*waiting)(void *context), void *context, struct lab_error *error)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int lock = open_lock(folder, device_id, error);
    bool reported = false;
    while (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            lab_error_set(error, LAB_ERROR_LOCK, "", "cannot lock device %s: %s", device_id, strerror(errno));
            goto fail;
        }
        if (atomic_load(cancel)) {
            lab_error_set(error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
            goto fail;
        }
        if (!reported)
            waiting(context);
        reported = true;
        nanosleep(&pause, NULL);
    }
    return lock;
fail:
    close(lock);
    return -1;
}

void lab_device_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
