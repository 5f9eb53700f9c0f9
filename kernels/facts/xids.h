/* The Xid errors that the driver reports of devices while something runs on them.
 *
 * Source of the numbers: NVIDIA, "XID Errors" (docs.nvidia.com/deploy/xid-errors).
 */
#ifndef LAB_XIDS_H
#define LAB_XIDS_H

#include "facts/nvml.h"

#include <stdbool.h>
#include <stddef.h>

enum { LAB_XIDS_MAX = 8 };

/* The errors that came: their numbers, each once. */
struct lab_xids {
    size_t count;
    unsigned numbers[LAB_XIDS_MAX];
};

struct lab_xid_watch;

/* Begins to watch the devices with these UUIDs. NULL if NVML cannot report Xid errors as events. */
struct lab_xid_watch *lab_xids_begin(struct lab_nvml *nvml, const char *const *uuids, size_t count);
/* Ends it. Waits for the first error at most `wait_ms`. NULL is allowed; there are no errors then. */
void lab_xids_end(struct lab_xid_watch *watch, unsigned wait_ms, struct lab_xids *xids);

/* What an error is, as "GPU memory page fault"; NULL: another one. */
const char *lab_xid_text(unsigned number);
/* Whether a program causes the error by its own fault, and not the device. */
bool lab_xid_is_of_program(unsigned number);

#endif
