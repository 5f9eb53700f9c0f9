/* Simulates when the blocks of the kernels run, unit by unit. */
#include "concurrent_kernels.h"

#include <stdbool.h>

struct state {
    const struct concurrent_kernels *kernels;
    size_t left[CONCURRENT_KERNELS_MAX]; /* blocks that have not started */
    bool done[CONCURRENT_KERNELS_MAX];   /* all blocks have ended */
};

/* Whether the kernel is at the head of its queue and the one before it in its stream has ended. */
static bool may_start(const struct state *s, size_t k)
{
    const struct concurrent_kernels *all = s->kernels;
    for (size_t earlier = 0; earlier < k; earlier++) {
        bool same_queue = all->streams[earlier] % all->queues == all->streams[k] % all->queues;
        bool waits_in_queue = same_queue && s->left[earlier] == all->blocks;
        if (waits_in_queue || (all->streams[earlier] == all->streams[k] && !s->done[earlier]))
            return false;
    }
    return true;
}

/* Executes one unit of time. Returns the number of kernels of which blocks ran. */
static size_t run_unit(struct state *s)
{
    size_t free = s->kernels->slots, running = 0;
    bool ran[CONCURRENT_KERNELS_MAX] = {false};
    for (size_t k = 0; k < s->kernels->count && free > 0 && running < s->kernels->most; k++) {
        if (s->left[k] == 0 || !may_start(s, k))
            continue;
        size_t started = s->left[k] < free ? s->left[k] : free;
        s->left[k] -= started;
        free -= started;
        ran[k] = true;
        running++;
    }
    for (size_t k = 0; k < s->kernels->count; k++)
        s->done[k] = s->done[k] || (ran[k] && s->left[k] == 0);
    return running;
}

struct concurrent_kernels_times concurrent_kernels_predict(const struct concurrent_kernels *kernels)
{
    struct state s = {.kernels = kernels};
    struct concurrent_kernels_times times = {0};
    for (size_t k = 0; k < kernels->count; k++)
        s.left[k] = kernels->blocks;
    for (size_t running; (running = run_unit(&s)) > 0; times.units++)
        times.at_once = running > times.at_once ? running : times.at_once;
    return times;
}
