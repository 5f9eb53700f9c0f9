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
    size_t calls;          /* of lab_jobs_examine that have not returned */
    size_t waiting;        /* those of them whose examination has not begun */
    uint64_t begun, ended; /* how many have */
    bool last;             /* the node's last work was an examination: a run that can start is before the next one */
    json_t *document;      /* of the last one that ended; NULL: it failed */
    struct lab_error error;
};

/* Whether an examination is wanted, and begins before the node's next run. The lock is held. */
bool lab_examination_is_next(const struct lab_examination *examination);
/* Begins an examination, for all calls that wait. The lock is held. */
void lab_examination_begin(struct lab_node *node);
/* Makes the examination that has begun. On the runner's thread. */
void lab_node_examine(struct lab_node *node);

#endif
