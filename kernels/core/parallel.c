/* Starts one thread for each range but the first. */
#include "core/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

struct range {
    lab_parallel_function *function;
    void *context;
    size_t begin, end;
};

static void *process(void *argument)
{
    const struct range *range = argument;
    range->function(range->context, range->begin, range->end);
    return NULL;
}

/* The number of ranges for `grains` grains of work. */
static size_t range_count(size_t grains)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors > 0 && processors < THREADS_MAX ? (size_t)processors : THREADS_MAX;
    return grains < most ? grains : most;
}

void lab_parallel_for(size_t total, size_t grain, lab_parallel_function *function, void *context)
{
    struct range ranges[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    size_t grains = total / grain + (total % grain != 0);
    size_t count = range_count(grains);
    for (size_t i = 0; i < count; i++) {
        size_t end = i + 1 == count ? total : grains * (i + 1) / count * grain;
        ranges[i] = (struct range){function, context, grains * i / count * grain, end};
        started[i] = i > 0 && pthread_create(&threads[i], NULL, process, &ranges[i]) == 0;
    }
    for (size_t i = 0; i < count; i++)
        if (!started[i])
            process(&ranges[i]);
    for (size_t i = 0; i < count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}
