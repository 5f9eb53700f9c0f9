/* A device's thread pool: the calling thread and one helper thread for each further core divide a range of work units
 * among themselves.
 */
#ifndef LAB_HOST_THREAD_POOL_H
#define LAB_HOST_THREAD_POOL_H

#include "condition.h"
#include "core/errors.h"

#include <sched.h>
#include <stdbool.h>

/* Executes the units begin <= i < end of some work. */
typedef void host_range_function(void *context, size_t begin, size_t end);

struct host_thread_pool {
    pthread_mutex_t lock;
    struct host_condition work; /* signalled when there are parts to take */
    struct host_condition done; /* signalled when the last part is finished */
    uint64_t spin_ns;           /* how long a waiting thread spins before it sleeps */
    size_t helper_count;
    pthread_t *helpers;
    bool stopping;
    /* The current work: `total` units in `parts` parts of part_units units, the last part shorter. */
    host_range_function *function;
    void *context;
    size_t total, part_units, parts;
    size_t claimed, finished; /* number of parts that a thread has taken, and that are complete */
};

/* Starts `cores` - 1 helper threads that may run on any core in `where`. Returns false with *error set. */
bool lab_host_pool_start(struct host_thread_pool *pool, size_t cores, const cpu_set_t *where, uint64_t spin_ns,
                         struct lab_error *error);
void lab_host_pool_stop(struct host_thread_pool *pool);

/* Executes `total` units on the calling thread and on as many helpers as get at least `grain` units each. Returns when
 * all units are complete. Only one thread may call this at a time. */
void lab_host_pool_run(struct host_thread_pool *pool, size_t total, size_t grain, host_range_function *function,
                       void *context);

/* Like lab_host_pool_run, but in parts of `part_units` units: each thread takes the next part when it has finished
 * one. */
void lab_host_pool_run_parts(struct host_thread_pool *pool, size_t total, size_t part_units,
                             host_range_function *function, void *context);

#endif
