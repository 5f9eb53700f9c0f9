/* One measurement at a time on a device, whoever starts it: every worker holds a lock file per device while it
 * measures. The files lie in one folder that all users of the machine share (--lock-dir); the kernel releases a lock when
 * the process that holds it ends.
 */
#ifndef LAB_DEVICE_LOCK_H
#define LAB_DEVICE_LOCK_H

#include "core/errors.h"

#include <stdatomic.h>

/* Waits for the device of that id, calling `waiting` once when it is not free at once. `folder` is created with mode 1777
 * where it is missing; its parent must exist. Returns a descriptor for lab_device_unlock, or -1 with *error: code
 * "cancelled", or "lock" when the folder or the file cannot be created. */
int lab_device_lock(const char *folder, const char *device_id, const atomic_bool *cancel,
                    void (*waiting)(void *context), void *context, struct lab_error *error);
void lab_device_unlock(int lock);

#endif
