/* A threads: threads that do a thing together, again and again, and wait in between.
 */
#ifndef LAB_SCALING_DEVICE_THREADS_H
#define LAB_SCALING_DEVICE_THREADS_H

#include <stddef.h>

struct scaling_threads;

/* `count` threads, thread `index` of which calls serve(context, index) each time the threads is run. NULL when so many
 * threads cannot be had. */
struct scaling_threads *scaling_threads_start(size_t count, void (*serve)(void *context, size_t index), void *context);

/* Ends the threads; NULL is nothing. */
void scaling_threads_stop(struct scaling_threads *threads);

/* Lets all threads go at once and returns when all are done. */
void scaling_threads_run(struct scaling_threads *threads);

/* From within `serve`: returns when all threads have come here. Either all call it in a run, or none. */
void scaling_threads_barrier(struct scaling_threads *threads);

#endif
