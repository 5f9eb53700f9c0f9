/* The group of a run that several workers execute together (core/protocol.h). */
#ifndef LAB_WORKER_GROUP_H
#define LAB_WORKER_GROUP_H

#include "measure/run.h"

struct worker_group {
    struct lab_group group;
    const char *run; /* the id of the run */
};

/* Reads the group of an operation, with this process's `device_count` devices, and sets run->group, which is NULL if
 * the operation has none. Returns false with run->error set. `group` and the operation must outlast the run. */
bool worker_group_read(struct worker_group *group, const json_t *operation, size_t device_count, struct lab_run *run);

#endif
