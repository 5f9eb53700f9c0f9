/* One measurement at a time on a device, whoever starts it: every worker holds a lock file per device while it
 * measures. The files lie in a folder that all users of the machine share; the kernel lets go of a lock when its holder
 * dies.
 */
#ifndef LAB_DEVICE_LOCK_H
#define LAB_DEVICE_LOCK_H

#include "core/errors.h"

#include <stdatomic.h>

/* Waits for the device of that id, calling `waiting` once when it is not free at once. Returns a descriptor to be given
 * back, -1 with *error: code "cancelled", or "lock" when the file cannot be made. */
int lab_device_lock(const char *device_id, const atomic_bool *cancel, void (*waiting)(void *context), void *context,
                    struct lab_error *error);
void lab_device_unlock(int lock);

#endif
