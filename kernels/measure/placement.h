/* NUMA placement: keeps the threads of a run and its host memory on the NUMA node of their device. Any thread may call
 * these functions, and each changes its own affinity only.
 */
#ifndef LAB_PLACEMENT_H
#define LAB_PLACEMENT_H

#include "facts/facts.h"

#include <stdint.h>

/* Binds the calling thread to the processors of `node` that the process may use; memory that it allocates afterwards is
 * on that node by first touch. Returns the node, or LAB_UNKNOWN when the node is negative or unknown or the kernel
 * refuses; the thread's affinity is unchanged then. */
int64_t lab_placement_bind(int64_t node);

/* Restores the affinity that the process had before its first lab_placement_bind. */
void lab_placement_release(void);

/* Binds the thread to `node` again after it was bound to others; LAB_UNKNOWN: releases it. */
void lab_placement_return(int64_t node);

/* The node of memory on `a` and `b`: LAB_UNKNOWN when they differ. */
static inline int64_t lab_placement_common(int64_t a, int64_t b)
{
    return a == b ? a : LAB_UNKNOWN;
}

/* For tests: reads the processors of the nodes from this folder instead of LAB_PLACEMENT_NODES. Borrowed. */
void lab_placement_read_nodes(const char *folder);
#define LAB_PLACEMENT_NODES "/sys/devices/system/node"

#endif
