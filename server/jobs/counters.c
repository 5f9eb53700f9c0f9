#include "counters.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double duration_bounds_s[] = {0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600, 0};

static const struct {
    int signal;
    const char *name;
} deaths[LAB_DEATHS] = {
    [LAB_DEATH_EXIT] = {0, "exit"},          [LAB_DEATH_SEGV] = {SIGSEGV, "SIGSEGV"},
    [LAB_DEATH_BUS] = {SIGBUS, "SIGBUS"},    [LAB_DEATH_ABRT] = {SIGABRT, "SIGABRT"},
    [LAB_DEATH_ILL] = {SIGILL, "SIGILL"},    [LAB_DEATH_FPE] = {SIGFPE, "SIGFPE"},
    [LAB_DEATH_KILL] = {SIGKILL, "SIGKILL"}, [LAB_DEATH_TERM] = {SIGTERM, "SIGTERM"},
    [LAB_DEATH_OTHER] = {-1, "other"},
};

struct lab_jobs_counters *lab_jobs_counters_create(void)
{
    size_t experiments = 0;
    while (lab_experiments[experiments] != NULL)
        experiments++;
    size_t count = experiments + 2; /* of own kernels, and of experiments that this build does not know */
    struct lab_jobs_counters *counters = calloc(1, sizeof *counters + count * sizeof counters->runs[0]);
    if (counters == NULL)
        return NULL;
    counters->run_count = count;
    for (size_t i = 0; i < count; i++) {
        counters->runs[i].experiment = i < experiments    ? lab_experiments[i]->name
                                       : i == experiments ? lab_kernel.name
                                                          : "(unknown)";
        counters->runs[i].duration.bounds = duration_bounds_s;
    }
    return counters;
}

void lab_jobs_counters_add_run(struct lab_jobs_counters *counters, const struct lab_experiment *experiment,
                               enum lab_status status, double duration_s)
{
    size_t i = 0;
    while (i < counters->run_count - 1 &&
           (experiment == NULL || strcmp(counters->runs[i].experiment, experiment->name) != 0))
        i++;
    lab_count(&counters->runs[i].finished[status]);
    if (duration_s >= 0)
        lab_histogram_add(&counters->runs[i].duration, duration_s);
}

const char *lab_death_name(enum lab_death death)
{
    return deaths[death].name;
}

void lab_worker_counters_add_death(struct lab_worker_counters *counters, int signal)
{
    size_t death = 0;
    while (death < LAB_DEATH_OTHER && deaths[death].signal != signal)
        death++;
    lab_count(&counters->deaths[death]);
}
