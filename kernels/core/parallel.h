/* Divides a loop among CPU threads.
 */
#ifndef LAB_PARALLEL_H
#define LAB_PARALLEL_H

#include <stddef.h>

/* Processes one range of the loop: the items from `begin` to `end` - 1. */
typedef void lab_parallel_function(void *context, size_t begin, size_t end);

/* Calls `function` for ranges that together are the items 0 to `total` - 1, on up to 8 threads at the same time, of
 * which one is the caller's. Returns when all calls have returned. Each range begins at a multiple of `grain`, which is
 * the smallest number of items worth a thread (at least 1). A range whose thread cannot be started is processed by the
 * caller. Does nothing if `total` is 0. */
void lab_parallel_for(size_t total, size_t grain, lab_parallel_function *function, void *context);

#endif
