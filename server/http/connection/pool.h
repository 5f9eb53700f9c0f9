/* A pool of threads for jobs that may wait for the disk. Jobs start in the order in which they were submitted. */
#ifndef LAB_HTTP_POOL_H
#define LAB_HTTP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct lab_pool;
struct lab_pool_state;

/* A member of the struct that it works on. That struct must exist until `run` is called; `run` may free it. */
struct lab_job {
    STAILQ_ENTRY(lab_job) link;
    void (*run)(struct lab_job *job);
    double submitted_at; /* when the pool got it, by lab_clock_now; set by the pool */
};

/* Starts `threads` threads, called `name` (at most 15 bytes). At most `queue_max` jobs wait for a thread. NULL when out
 * of memory, or when no more threads are allowed. */
struct lab_pool *lab_pool_start(const char *name, size_t threads, size_t queue_max);
/* False when the queue is full or the pool has been stopped; the job is then not run. Any thread. */
bool lab_pool_submit(struct lab_pool *pool, struct lab_job *job);
/* As lab_pool_submit, for the next step of work that has begun: such jobs are accepted also when the queue is full. */
bool lab_pool_continue(struct lab_pool *pool, struct lab_job *job);
/* What the pool does now, and how long its jobs have waited (counters.h). */
void lab_pool_read(struct lab_pool *pool, struct lab_pool_state *state);
/* Runs all jobs that were submitted and accepts no more. False when a job has not returned after `seconds`. NULL is
 * allowed and does nothing. */
bool lab_pool_stop(struct lab_pool *pool, double seconds);
/* Ends the threads of a pool that was stopped and frees it. NULL is allowed and does nothing. */
void lab_pool_free(struct lab_pool *pool);

#endif
