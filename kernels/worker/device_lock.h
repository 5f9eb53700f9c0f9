/* Device locks: at most one process measures on a device, even when several labs run on the machine. A worker holds an
 * exclusive flock on one file per device while it measures. The files are in a folder that all users of the machine
 * share (--lock-dir). The kernel releases a lock when the process that holds it ends.
 */
#ifndef LAB_DEVICE_LOCK_H
#define LAB_DEVICE_LOCK_H

#include "core/errors.h"

#include <stdatomic.h>

/* Locks the device with that id. Calls `waiting` once if another process has the lock, then waits until it is free or
 * *cancel is set. Creates `folder` with mode 1777 if it is missing; its parent must exist. Returns a descriptor for
 * lab_device_unlock, or -1 with *error: code "cancelled", or "lock" when the folder or the file cannot be created or
 * locked. */
int lab_device_lock(const char *folder, const char *device_id, const atomic_bool *cancel,
                    void (*waiting)(void *context), void *context, struct lab_error *error);
/* Releases the lock; -1 is allowed and does nothing. */
void lab_device_unlock(int lock);

#endif
