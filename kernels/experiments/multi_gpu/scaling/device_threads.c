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
    pthread_mutex_t starting;    /* locked until the barriers exist */
    pthread_barrier_t run;       /* of the threads and the caller: at the begin and at the end of each run */
    pthread_barrier_t in_served; /* of the threads: scaling_threads_barrier */
    bool stopping;
    size_t count;
    struct member members[];
};

static void *serve_runs(void *argument)
{
    const struct member *member = argument;
    struct scaling_threads *threads = member->threads;
    pthread_mutex_lock(&threads->starting);
    pthread_mutex_unlock(&threads->starting);
    for (;;) {
        pthread_barrier_wait(&threads->run);
        if (threads->stopping)
            return NULL;
        threads->serve(threads->context, member->index);
        pthread_barrier_wait(&threads->run);
    }
}

/* If not all threads can be created, the barriers are those of the ones that were, which then are stopped. */
struct scaling_threads *scaling_threads_start(size_t count, void (*serve)(void *context, size_t index), void *context)
{
    struct scaling_threads *threads = calloc(1, sizeof *threads + count * sizeof *threads->members);
    if (threads == NULL)
        return NULL;
    threads->serve = serve;
    threads->context = context;
    pthread_mutex_init(&threads->starting, NULL);
    pthread_mutex_lock(&threads->starting);
    for (; threads->count < count; threads->count++) {
        struct member *member = &threads->members[threads->count];
        *member = (struct member){.threads = threads, .index = threads->count};
        if (pthread_create(&member->thread, NULL, serve_runs, member) != 0)
            break;
    }
    pthread_barrier_init(&threads->run, NULL, (unsigned)threads->count + 1);
    pthread_barrier_init(&threads->in_served, NULL, (unsigned)threads->count + (threads->count == 0));
    pthread_mutex_unlock(&threads->starting);
    if (threads->count == count)
        return threads;
    scaling_threads_stop(threads);
    return NULL;
}

void scaling_threads_stop(struct scaling_threads *threads)
{
    if (threads == NULL)
        return;
    threads->stopping = true;
    pthread_barrier_wait(&threads->run);
    for (size_t i = 0; i < threads->count; i++)
        pthread_join(threads->members[i].thread, NULL);
    pthread_barrier_destroy(&threads->in_served);
    pthread_barrier_destroy(&threads->run);
    pthread_mutex_destroy(&threads->starting);
    free(threads);
}

void scaling_threads_run(struct scaling_threads *threads)
{
    pthread_barrier_wait(&threads->run);
    pthread_barrier_wait(&threads->run);
}

void scaling_threads_barrier(struct scaling_threads *threads)
{
    pthread_barrier_wait(&threads->in_served);
}
