/* Where a run's thread works and its host memory lies: beside its device, on the same NUMA node.
 */
#ifndef LAB_PLACEMENT_H
#define LAB_PLACEMENT_H

#include <stdint.h>

/* Binds the calling thread, and by first touch the memory it makes, to the processors of `node`. Returns the node, or
 * LAB_UNKNOWN when there is none (negative or unknown node, or the kernel does not let us); the thread is then as
 * before. */
int64_t lab_placement_bind(int64_t node);

/* Lets the calling thread run where it ran at first. */
void lab_placement_release(void);

#endif
