/* The cores of a device working on one thing: the calling thread and a helper for each further core share out the parts
 * of some work. Work too small to be worth a helper's wake-up stays on the calling thread. */
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool lab_host_thread_start(pthread_t *thread, const char *name, const cpu_set_t *where, void *(*body)(void *),
                           void *context, struct lab_error *error)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}; /* what the thread does itself */
    sigset_t others, before;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof *where, where);
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int failure = pthread_create(thread, &attributes, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failure != 0)
        return lab_error_set(error, "no-thread", "", "the host runtime cannot start its thread %s: %s", name,
                             strerror(failure));
    pthread_setname_np(*thread, name);
    return true;
}

/* Lock held, given up while working. */
static void take_parts(struct host_team *team)
{
    while (team->claimed < team->parts) {
        size_t begin = team->claimed++ * team->part_units;
        size_t end = begin + team->part_units < team->total ? begin + team->part_units : team->total;
        pthread_mutex_unlock(&team->lock);
        team->part(team->context, begin, end);
        pthread_mutex_lock(&team->lock);
        if (++team->finished == team->parts)
            lab_host_doorbell_ring(&team->done, 1);
    }
}

static void *help(void *context)
{
    struct host_team *team = context;
    pthread_mutex_lock(&team->lock);
    while (!team->stopping) {
        take_parts(team);
        if (!team->stopping)
            lab_host_doorbell_wait(&team->work, &team->lock, team->awake_ns);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

bool lab_host_team_start(struct host_team *team, size_t cores, const cpu_set_t *where, uint64_t awake_ns,
                         struct lab_error *error)
{
    *team = (struct host_team){.lock = PTHREAD_MUTEX_INITIALIZER, .awake_ns = awake_ns};
    lab_host_doorbell_init(&team->work);
    lab_host_doorbell_init(&team->done);
    team->helpers = calloc(cores, sizeof *team->helpers);
    if (team->helpers == NULL) {
        lab_host_team_stop(team);
        return lab_error_set(error, "insufficient-memory", "", "no memory for a team of %zu cores", cores);
    }
    for (size_t i = 0; i + 1 < cores; i++) {
        if (!lab_host_thread_start(&team->helpers[i], "host-core", where, help, team, error)) {
            lab_host_team_stop(team);
            return false;
        }
        team->helper_count++;
    }
    return true;
}

void lab_host_team_stop(struct host_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->stopping = true;
    lab_host_doorbell_ring(&team->work, team->helper_count);
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->helper_count; i++)
        pthread_join(team->helpers[i], NULL);
    free(team->helpers);
    lab_host_doorbell_destroy(&team->work);
    lab_host_doorbell_destroy(&team->done);
    pthread_mutex_destroy(&team->lock);
}

void lab_host_team_run(struct host_team *team, size_t total, size_t grain, host_part *part, void *context)
{
    /* Parts begin at multiples of this many units, so that two cores seldom write the same cache line. */
    enum { ALIGNMENT = 64 };
    size_t parts = total / grain;
    parts = parts > team->helper_count + 1 ? team->helper_count + 1 : parts;
    lab_host_team_share(team, total, parts <= 1 ? total : (total / parts / ALIGNMENT + 1) * ALIGNMENT, part, context);
}

void lab_host_team_share(struct host_team *team, size_t total, size_t part_units, host_part *part, void *context)
{
    if (total <= part_units || team->helper_count == 0) {
        part(context, 0, total);
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->part = part;
    team->context = context;
    team->total = total;
    team->part_units = part_units;
    team->parts = (total + part_units - 1) / part_units;
    team->claimed = 0;
    team->finished = 0;
    lab_host_doorbell_ring(&team->work, team->parts - 1);
    take_parts(team);
    while (team->finished < team->parts)
        lab_host_doorbell_wait(&team->done, &team->lock, team->awake_ns);
    team->parts = 0;
    team->claimed = 0;
    pthread_mutex_unlock(&team->lock);
}
