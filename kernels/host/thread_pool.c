/* The thread pool of a device. */
#include "thread_pool.h"

#include "thread.h"

#include <stdlib.h>

/* Takes and executes parts until none is left. The caller holds the lock, which is released during each part. */
static void take_parts(struct host_thread_pool *pool)
{
    while (pool->claimed < pool->parts) {
        size_t begin = pool->claimed++ * pool->part_units;
        size_t end = begin + pool->part_units < pool->total ? begin + pool->part_units : pool->total;
        pthread_mutex_unlock(&pool->lock);
        pool->function(pool->context, begin, end);
        pthread_mutex_lock(&pool->lock);
        if (++pool->finished == pool->parts)
            lab_host_condition_signal(&pool->done, 1);
    }
}

static void *run_helper(void *context)
{
    struct host_thread_pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        take_parts(pool);
        if (!pool->stopping)
            lab_host_condition_wait(&pool->work, &pool->lock, pool->spin_ns);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

bool lab_host_pool_start(struct host_thread_pool *pool, size_t cores, const cpu_set_t *where, uint64_t spin_ns,
                         struct lab_error *error)
{
    *pool = (struct host_thread_pool){.lock = PTHREAD_MUTEX_INITIALIZER, .spin_ns = spin_ns};
    lab_host_condition_init(&pool->work);
    lab_host_condition_init(&pool->done);
    pool->helpers = calloc(cores, sizeof *pool->helpers);
    if (pool->helpers == NULL) {
        lab_host_pool_stop(pool);
        return lab_error_set(error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for a thread pool of %zu cores",
                             cores);
    }
    for (size_t i = 0; i + 1 < cores; i++) {
        if (!lab_host_thread_start(&pool->helpers[i], "host-core", where, run_helper, pool, error)) {
            lab_host_pool_stop(pool);
            return false;
        }
        pool->helper_count++;
    }
    return true;
}

void lab_host_pool_stop(struct host_thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    lab_host_condition_signal(&pool->work, pool->helper_count);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->helper_count; i++)
        pthread_join(pool->helpers[i], NULL);
    free(pool->helpers);
    lab_host_condition_release(&pool->work);
    lab_host_condition_release(&pool->done);
    pthread_mutex_destroy(&pool->lock);
}

void lab_host_pool_run(struct host_thread_pool *pool, size_t total, size_t grain, host_range_function *function,
                       void *context)
{
    /* Parts begin at multiples of this many units, so that two cores seldom write the same cache line. */
    enum { ALIGNMENT = 64 };
    size_t parts = total / grain;
    parts = parts > pool->helper_count + 1 ? pool->helper_count + 1 : parts;
    lab_host_pool_run_parts(pool, total, parts <= 1 ? total : (total / parts / ALIGNMENT + 1) * ALIGNMENT, function,
                            context);
}

void lab_host_pool_run_parts(struct host_thread_pool *pool, size_t total, size_t part_units,
                             host_range_function *function, void *context)
{
    if (total <= part_units || pool->helper_count == 0) {
        function(context, 0, total);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->function = function;
    pool->context = context;
    pool->total = total;
    pool->part_units = part_units;
    pool->parts = (total + part_units - 1) / part_units;
    pool->claimed = 0;
    pool->finished = 0;
    lab_host_condition_signal(&pool->work, pool->parts - 1);
    take_parts(pool);
    while (pool->finished < pool->parts)
        lab_host_condition_wait(&pool->done, &pool->lock, pool->spin_ns);
    pool->parts = 0;
    pool->claimed = 0;
    pthread_mutex_unlock(&pool->lock);
}
