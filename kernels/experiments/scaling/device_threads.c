/* Starts, releases and joins the device threads. */
#include "device_threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* One thread. */
struct member {
    struct scaling_threads *threads;
    size_t index;
    pthread_t thread;
};

struct scaling_threads {
    void (*serve)(void *context, size_t index);
    void *context;
    pthread_barrier_t barrier;
    pthread_mutex_t lock; /* protects the members released to stopping */
    pthread_cond_t released, done;
    size_t round; /* number of runs so far */
    size_t busy;  /* threads still in `serve` in this round */
    bool stopping;
    size_t count;
    struct member members[];
};

static void *run_rounds(void *argument)
{
    const struct member *member = argument;
    struct scaling_threads *threads = member->threads;
    size_t served = 0;
    pthread_mutex_lock(&threads->lock);
    for (;;) {
        while (threads->round == served && !threads->stopping)
            pthread_cond_wait(&threads->released, &threads->lock);
        if (threads->stopping)
            break;
        served = threads->round;
        pthread_mutex_unlock(&threads->lock);
        threads->serve(threads->context, member->index);
        pthread_mutex_lock(&threads->lock);
        if (--threads->busy == 0)
            pthread_cond_signal(&threads->done);
    }
    pthread_mutex_unlock(&threads->lock);
    return NULL;
}

struct scaling_threads *scaling_threads_start(size_t count, void (*serve)(void *context, size_t index), void *context)
{
    struct scaling_threads *threads = calloc(1, sizeof *threads + count * sizeof *threads->members);
    if (threads == NULL)
        return NULL;
    threads->serve = serve;
    threads->context = context;
    if (pthread_barrier_init(&threads->barrier, NULL, (unsigned)count) != 0) {
        free(threads);
        return NULL;
    }
    pthread_mutex_init(&threads->lock, NULL);
    pthread_cond_init(&threads->released, NULL);
    pthread_cond_init(&threads->done, NULL);
    for (; threads->count < count; threads->count++) {
        struct member *member = &threads->members[threads->count];
        *member = (struct member){.threads = threads, .index = threads->count};
        if (pthread_create(&member->thread, NULL, run_rounds, member) != 0) {
            scaling_threads_stop(threads);
            return NULL;
        }
    }
    return threads;
}

void scaling_threads_stop(struct scaling_threads *threads)
{
    if (threads == NULL)
        return;
    pthread_mutex_lock(&threads->lock);
    threads->stopping = true;
    pthread_cond_broadcast(&threads->released);
    pthread_mutex_unlock(&threads->lock);
    for (size_t i = 0; i < threads->count; i++)
        pthread_join(threads->members[i].thread, NULL);
    pthread_cond_destroy(&threads->done);
    pthread_cond_destroy(&threads->released);
    pthread_mutex_destroy(&threads->lock);
    pthread_barrier_destroy(&threads->barrier);
    free(threads);
}

void scaling_threads_run(struct scaling_threads *threads)
{
    pthread_mutex_lock(&threads->lock);
    threads->busy = threads->count;
    threads->round++;
    pthread_cond_broadcast(&threads->released);
    while (threads->busy > 0)
        pthread_cond_wait(&threads->done, &threads->lock);
    pthread_mutex_unlock(&threads->lock);
}

void scaling_threads_barrier(struct scaling_threads *threads)
{
    pthread_barrier_wait(&threads->barrier);
}
