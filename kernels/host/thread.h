/* Starts the threads of the host runtime. */
#ifndef LAB_HOST_THREAD_H
#define LAB_HOST_THREAD_H

#include "core/errors.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* Starts a thread that may run on `cores` and blocks all signals except those that its own faults raise (SIGSEGV, …).
 * `name` has at most 15 characters. Returns false with *error set. */
bool lab_host_thread_start(pthread_t *thread, const char *name, const cpu_set_t *cores, void *(*body)(void *),
                           void *context, struct lab_error *error);

#endif
