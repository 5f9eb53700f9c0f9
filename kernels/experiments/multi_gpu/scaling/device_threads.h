/* One host thread per device. In each run, all threads call the same function at the same time; between runs they
 * sleep.
 */
#ifndef LAB_SCALING_DEVICE_THREADS_H
#define LAB_SCALING_DEVICE_THREADS_H

#include <stddef.h>

struct scaling_threads;

/* Starts `count` threads. Thread `index` calls serve(context, index) in each scaling_threads_run. Returns NULL if the
 * threads cannot be started. */
struct scaling_threads *scaling_threads_start(size_t count, void (*serve)(void *context, size_t index), void *context);

/* Ends the threads and frees everything. NULL is allowed and does nothing. */
void scaling_threads_stop(struct scaling_threads *threads);

/* Wakes all threads together and returns when all of them have returned from `serve`. */
void scaling_threads_run(struct scaling_threads *threads);

/* Barrier for use within `serve`: returns when all threads have called it. In one run either all threads call it or
 * none. */
void scaling_threads_barrier(struct scaling_threads *threads);

#endif
