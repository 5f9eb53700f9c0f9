#include "pool.h"

#include "http/counters.h"

#include "core/clock.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Virtual memory; a handler uses a small part of it, more with AddressSanitizer. */
enum { STACK_BYTES = 512 * 1024 };

struct lab_pool {
    pthread_mutex_t lock;     /* for all members below; `wait` needs none */
    pthread_cond_t submitted; /* a job was submitted, or `stopping` was set */
    pthread_cond_t returned;  /* a job has returned while the pool is stopping */
    STAILQ_HEAD(, lab_job) jobs;
    size_t queued, queue_max, running;
    bool stopping;
    struct lab_histogram wait; /* how long jobs have waited for a thread */
    size_t thread_count;
    pthread_t threads[];
};

static const double wait_bounds_s[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                       0.05,   0.1,     0.25,   0.5,   1,      2.5,   0};

static void *pool_run(void *context)
{
    struct lab_pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        struct lab_job *job = STAILQ_FIRST(&pool->jobs);
        if (job == NULL && pool->stopping)
            break;
        if (job == NULL) {
            pthread_cond_wait(&pool->submitted, &pool->lock);
            continue;
        }
        STAILQ_REMOVE_HEAD(&pool->jobs, link);
        pool->queued--;
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        lab_histogram_add(&pool->wait, lab_clock_now() - job->submitted_at);
        job->run(job);
        pthread_mutex_lock(&pool->lock);
        pool->running--;
        if (pool->stopping)
            pthread_cond_broadcast(&pool->returned);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static struct lab_pool *create(size_t threads, size_t queue_max)
{
    struct lab_pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->threads[0]);
    if (pool == NULL)
        return NULL;
    lab_condition_init(&pool->returned);
    pthread_cond_init(&pool->submitted, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    STAILQ_INIT(&pool->jobs);
    pool->queue_max = queue_max;
    pool->wait.bounds = wait_bounds_s;
    return pool;
}

struct lab_pool *lab_pool_start(const char *name, size_t threads, size_t queue_max)
{
    struct lab_pool *pool = create(threads, queue_max);
    pthread_attr_t attributes;
    if (pool == NULL)
        return NULL;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (pool->thread_count < threads &&
           pthread_create(&pool->threads[pool->thread_count], &attributes, pool_run, pool) == 0)
        pthread_setname_np(pool->threads[pool->thread_count++], name);
    pthread_attr_destroy(&attributes);
    if (pool->thread_count == threads)
        return pool;
    lab_pool_stop(pool, 0);
    lab_pool_free(pool);
    return NULL;
}

static bool add(struct lab_pool *pool, struct lab_job *job, size_t queue_max)
{
    pthread_mutex_lock(&pool->lock);
    bool accepted = !pool->stopping && pool->queued < queue_max;
    if (accepted) {
        job->submitted_at = lab_clock_now();
        STAILQ_INSERT_TAIL(&pool->jobs, job, link);
        pool->queued++;
        pthread_cond_signal(&pool->submitted);
    }
    pthread_mutex_unlock(&pool->lock);
    return accepted;
}

bool lab_pool_submit(struct lab_pool *pool, struct lab_job *job)
{
    return add(pool, job, pool->queue_max);
}

bool lab_pool_continue(struct lab_pool *pool, struct lab_job *job)
{
    return add(pool, job, SIZE_MAX);
}

void lab_pool_read(struct lab_pool *pool, struct lab_pool_state *state)
{
    pthread_mutex_lock(&pool->lock);
    *state = (struct lab_pool_state){
        .threads = pool->thread_count, .running = pool->running, .queued = pool->queued, .wait = &pool->wait};
    pthread_mutex_unlock(&pool->lock);
}

/* Waits until no job is queued or running, at most `seconds`. */
static bool wait_for_jobs(struct lab_pool *pool, double seconds)
{
    struct timespec until = lab_clock_moment(lab_clock_now() + seconds);
    int result = 0;
    while ((pool->queued > 0 || pool->running > 0) && result == 0)
        result = pthread_cond_timedwait(&pool->returned, &pool->lock, &until);
    return pool->queued == 0 && pool->running == 0;
}

bool lab_pool_stop(struct lab_pool *pool, double seconds)
{
    if (pool == NULL)
        return true;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->submitted);
    bool finished = wait_for_jobs(pool, seconds);
    pthread_mutex_unlock(&pool->lock);
    return finished;
}

void lab_pool_free(struct lab_pool *pool)
{
    if (pool == NULL)
        return;
    for (size_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->submitted);
    pthread_cond_destroy(&pool->returned);
    free(pool);
}
