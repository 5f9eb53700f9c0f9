/* Examining the machine of a node, between its runs (jobs.h: lab_jobs_examine). */
#ifndef LAB_EXAMINATION_H
#define LAB_EXAMINATION_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_node;

/* Of a node; locked by jobs->lock. */
struct lab_examination {
    size_t waiting;   /* calls that wait for the next one */
    uint64_t count;   /* how many have ended */
    json_t *document; /* of the last one; NULL: it failed */
    struct lab_error error;
};

/* Examines the node's machine if a call waits for that; false if none does. On the runner's thread. */
bool lab_node_examine(struct lab_node *node);

#endif
