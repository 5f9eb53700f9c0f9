/* Removes the samples of runs that are older than some days and not pinned; their summaries stay. */
#ifndef LAB_RETENTION_H
#define LAB_RETENTION_H

#include "periodic.h"

struct lab_store;

struct lab_retention {
    struct lab_store *store;
    unsigned days;
    struct lab_periodic periodic;
};

/* Starts to remove, in small batches, at once and then every hour. `days` 0: all samples are kept. `retention` starts
 * as {0}. False when no more threads are allowed. */
bool lab_retention_start(struct lab_retention *retention, struct lab_store *store, unsigned days);
void lab_retention_stop(struct lab_retention *retention);

#endif
