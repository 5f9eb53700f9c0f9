/* NUMA placement: keeps a run's thread and its host memory on the NUMA node of its device. */
#ifndef LAB_PLACEMENT_H
#define LAB_PLACEMENT_H

#include <stdint.h>

/* Binds the calling thread to the processors of `node`; memory that it allocates afterwards is on that node by first
 * touch. Returns the node, or LAB_UNKNOWN when the node is negative or unknown or the kernel refuses; the thread's
 * affinity is unchanged then. */
int64_t lab_placement_bind(int64_t node);

/* Restores the affinity that the calling thread had before the first lab_placement_bind. */
void lab_placement_release(void);

#endif
