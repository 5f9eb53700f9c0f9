/* Pools of threads: the order and the bound of the queue, and stopping while a job does not return.
 */
#include "http/connection/pool.h"
#include "support/test.h"

#include "support/http_client.h"

#include <semaphore.h>
#include <stdatomic.h>

struct step {
    struct lab_job job;
    sem_t *started, *go; /* NULL: not used */
    atomic_int *order;
    int place; /* in which order the job ran */
};

static void run_step(struct lab_job *job)
{
    struct step *step = (struct step *)job;
    if (step->started != NULL)
        sem_post(step->started);
    if (step->go != NULL)
        sem_wait(step->go);
    step->place = ++*step->order;
}

TEST(test_jobs_run_in_order)
{
    enum { COUNT = 100 };
    atomic_int order = 0;
    struct step steps[COUNT] = {0};
    struct lab_pool *pool = lab_pool_start("test", 1, COUNT);
    assert_non_null(pool);
    for (int i = 0; i < COUNT; i++) {
        steps[i] = (struct step){.job.run = run_step, .order = &order};
        assert_true(lab_pool_submit(pool, &steps[i].job));
    }
    assert_true(lab_pool_stop(pool, 10));
    lab_pool_free(pool);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(steps[i].place, i + 1);
}

TEST(test_the_queue_is_bounded)
{
    enum { QUEUE = 3 };
    sem_t started, go;
    atomic_int order = 0;
    sem_init(&started, 0, 0);
    sem_init(&go, 0, 0);
    struct lab_pool *pool = lab_pool_start("test", 1, QUEUE);
    struct step running = {{.run = run_step}, &started, &go, &order, 0}, waiting[QUEUE], refused;
    assert_true(lab_pool_submit(pool, &running.job));
    sem_wait(&started);
    for (int i = 0; i < QUEUE; i++) {
        waiting[i] = (struct step){.job.run = run_step, .order = &order};
        assert_true(lab_pool_submit(pool, &waiting[i].job));
    }
    refused = (struct step){.job.run = run_step, .order = &order};
    assert_false(lab_pool_submit(pool, &refused.job));
    sem_post(&go);
    assert_true(lab_pool_stop(pool, 10));
    lab_pool_free(pool);
    assert_int_equal(order, 1 + QUEUE);
    assert_int_equal(refused.place, 0);
    sem_destroy(&started);
    sem_destroy(&go);
}

TEST(test_a_job_that_does_not_return_is_left)
{
    static sem_t started, go;
    static atomic_int order;
    static struct step hanging = {{.run = run_step}, &started, &go, &order, 0}, late;
    sem_init(&started, 0, 0);
    sem_init(&go, 0, 0);
    struct lab_pool *pool = lab_pool_start("test", 1, 1);
    assert_true(lab_pool_submit(pool, &hanging.job));
    sem_wait(&started);
    double began = lab_clock_now();
    assert_false(lab_pool_stop(pool, 0.1));
    assert_true(lab_clock_now() - began >= 0.1);
    late = (struct step){.job.run = run_step, .order = &order};
    assert_false(lab_pool_submit(pool, &late.job));
    sem_post(&go);
    assert_true(lab_pool_stop(pool, 10));
    lab_pool_free(pool); /* the job has returned meanwhile */
    assert_int_equal(order, 1);
}

TEST(test_no_pool)
{
    assert_true(lab_pool_stop(NULL, 0));
    lab_pool_free(NULL);
}
