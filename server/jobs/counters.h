/* What the queue and its workers have done since the start, for GET /metrics. Threads add to the counters while others
 * read them; none is locked.
 */
#ifndef LAB_JOBS_COUNTERS_H
#define LAB_JOBS_COUNTERS_H

#include "core/histogram.h"
#include "descriptor/experiment.h"
#include "store.h"

/* Counts the runs of an experiment. */
struct lab_run_counters {
    const char *experiment;                           /* its name; "(unknown)": this build does not have it */
    atomic_uint_least64_t finished[LAB_STATUS_COUNT]; /* by final status */
    struct lab_histogram duration;                    /* of those that were started */
};

/* What ended a worker's process although the server had not asked it to end. Other signals count as LAB_DEATH_OTHER. */
enum lab_death {
    LAB_DEATH_EXIT,
    LAB_DEATH_SEGV,
    LAB_DEATH_BUS,
    LAB_DEATH_ABRT,
    LAB_DEATH_ILL,
    LAB_DEATH_FPE,
    LAB_DEATH_KILL,
    LAB_DEATH_TERM,
    LAB_DEATH_OTHER,
    LAB_DEATHS
};
/* "exit", "SIGSEGV", …, "other". */
const char *lab_death_name(enum lab_death death);

struct lab_worker_counters {
    atomic_uint_least64_t starts;
    atomic_uint_least64_t failed_starts; /* it could not be started, or did not describe its devices */
    atomic_uint_least64_t kills;         /* it had to be killed to end a run, or it violated the protocol */
    atomic_uint_least64_t deaths[LAB_DEATHS];
};

/* The classes by which measurements are counted: what the check of their results found. */
enum lab_check { LAB_CHECK_PASSED, LAB_CHECK_WRONG, LAB_CHECK_NONE, LAB_CHECKS };

struct lab_jobs_counters {
    atomic_uint_least64_t measurements[LAB_CHECKS];
    struct lab_worker_counters workers;
    size_t run_count; /* one for each experiment, for own kernels, and for unknown experiments */
    struct lab_run_counters runs[];
};

/* NULL when out of memory; to be freed with free(). */
struct lab_jobs_counters *lab_jobs_counters_create(void);

/* A run of the experiment has ended; NULL: this build does not have the experiment. `duration_s` is negative when it
 * was never started. */
void lab_jobs_counters_add_run(struct lab_jobs_counters *counters, const struct lab_experiment *experiment,
                               enum lab_status status, double duration_s);
/* A worker's process was ended by `signal`; 0: it exited. */
void lab_worker_counters_add_death(struct lab_worker_counters *counters, int signal);
static inline void lab_count(atomic_uint_least64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

#endif
