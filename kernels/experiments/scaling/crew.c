/* The crew's threads and how they wait. */
#include "crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    struct scaling_crew *crew;
    size_t index;
    pthread_t thread;
};

struct scaling_crew {
    void (*serve)(void *context, size_t index);
    void *context;
    pthread_barrier_t meeting;
    pthread_mutex_t lock; /* of what follows: */
    pthread_cond_t released, done;
    size_t round; /* how often the crew has been run */
    size_t busy;  /* threads that have not ended this round */
    bool stopping;
    size_t count;
    struct member members[];
};

static void *serve_rounds(void *argument)
{
    const struct member *member = argument;
    struct scaling_crew *crew = member->crew;
    size_t served = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (crew->round == served && !crew->stopping)
            pthread_cond_wait(&crew->released, &crew->lock);
        if (crew->stopping)
            break;
        served = crew->round;
        pthread_mutex_unlock(&crew->lock);
        crew->serve(crew->context, member->index);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->done);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

struct scaling_crew *scaling_crew_start(size_t count, void (*serve)(void *context, size_t index), void *context)
{
    struct scaling_crew *crew = calloc(1, sizeof *crew + count * sizeof *crew->members);
    if (crew == NULL)
        return NULL;
    crew->serve = serve;
    crew->context = context;
    if (pthread_barrier_init(&crew->meeting, NULL, (unsigned)count) != 0) {
        free(crew);
        return NULL;
    }
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->released, NULL);
    pthread_cond_init(&crew->done, NULL);
    for (; crew->count < count; crew->count++) {
        struct member *member = &crew->members[crew->count];
        *member = (struct member){.crew = crew, .index = crew->count};
        if (pthread_create(&member->thread, NULL, serve_rounds, member) != 0) {
            scaling_crew_stop(crew);
            return NULL;
        }
    }
    return crew;
}

void scaling_crew_stop(struct scaling_crew *crew)
{
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->stopping = true;
    pthread_cond_broadcast(&crew->released);
    pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < crew->count; i++)
        pthread_join(crew->members[i].thread, NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->released);
    pthread_mutex_destroy(&crew->lock);
    pthread_barrier_destroy(&crew->meeting);
    free(crew);
}

void scaling_crew_run(struct scaling_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->busy = crew->count;
    crew->round++;
    pthread_cond_broadcast(&crew->released);
    while (crew->busy > 0)
        pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void scaling_crew_meet(struct scaling_crew *crew)
{
    pthread_barrier_wait(&crew->meeting);
}
