/* The steps in which a point is measured: measure.c takes them for one point, blocks.c for two alternately. */
#ifndef LAB_MEASURING_H
#define LAB_MEASURING_H

#include "measure/budget.h"
#include "measure/sampling.h"
#include "measure/stopping.h"

/* Samples of a point whose share of the time budget is used up. */
enum { LAB_SAMPLES_MIN = 3 };

/* What both sides of a comparison use, so that neither differs from the other in it. */
struct lab_shared {
    struct lab_timers timers, baseline_timers;
    struct lab_flushes flushes;
    struct lab_budget budget;
};

struct lab_measurer {
    struct lab_run *run;
    struct lab_shared *shared; /* `own`, or that of the other side of a comparison */
    struct lab_shared own;
    struct lab_stopping_limits limits;
    double sample_s, settle_s; /* the run's parameters of these names */
    double rest_s;             /* before samples of work that is not `sustained` */
    /* Samples of the current point and of its baseline in seconds per repetition; space for max_samples each. */
    double *samples, *baseline_samples;
    size_t *round_ends, *block_ends; /* of lab_outcome; space for max_samples each */
    char reason[192];                /* why the current point is unmeasurable */
    size_t passes;                   /* of hardware counters; 0: they are not wanted, or cannot be read */
    bool said_uncounted;             /* that a point has no time for them */
};

/* A point while it is measured, from lab_measuring_begin to lab_measuring_end. */
struct lab_measuring {
    struct lab_measurer *m;
    const struct lab_work *work;
    struct lab_outcome *outcome;
    double share_end_s;                     /* end of the point's share of the budget, on the clock of lab_now_s */
    double deadline_s;                      /* end of its samples; set by lab_measuring_prepare and _keep_energy */
    double energy_s;                        /* time that measuring its energy usually takes; 0: it is not measured */
    bool energy_is_kept;                    /* this time is not part of that of the samples */
    struct lab_sampling sampling, baseline; /* taken alternately; baseline.work is NULL if there is no baseline */
    struct lab_stopping stopping;
    size_t discarded; /* invalid samples */
};

/* Begins a point: clears *outcome and the error of the first lane's device. The point and another `points - 1` that are
 * measured together end when their shares of the budget end. */
struct lab_measuring lab_measuring_begin(struct lab_measurer *m, const struct lab_work *work,
                                         struct lab_outcome *outcome, size_t points);
/* Ends a point, after a failure if `good` is false: waits then until nothing of the work is running, and copies the
 * error of the first lane's device to the run. */
void lab_measuring_end(const struct lab_measuring *p, bool good);

/* Goes on with the point with other memory: `work`, which is the same but for its addresses, replaces its work. What
 * was measured stays. */
void lab_measuring_renew(struct lab_measuring *p, const struct lab_work *work);

/* Makes this point's turn possible after that of another one: binds the thread to the NUMA node of its run, and lets
 * the work restore the state of its devices. Fails like the steps. */
bool lab_measuring_enter(const struct lab_measuring *p);

/* The steps return false with the error of the first lane's device set. If one sets outcome->unmeasurable, the point
 * ends.
 *
 * Prepares flushes, warms up and calibrates. */
bool lab_measuring_prepare(struct lab_measuring *p);

/* Runs compute work until the device has found its speed (METHOD.md 6), as if settle_s were at most `longest_s`; does
 * nothing if no point has compute work. Several points are run alternately. */
bool lab_measuring_settle(struct lab_measuring *const *points, size_t count, double longest_s);

/* Merges the present conditions of all devices into those of the outcome. */
bool lab_measuring_read_conditions(struct lab_measuring *p);

/* The pause before each sample of the point; 0 for none. */
double lab_measuring_rest_s(const struct lab_measuring *p);

/* Takes a pair of samples that is not recorded. Sets *seconds to the sample of the work; NAN: it is not valid. */
bool lab_measuring_run_once(struct lab_measuring *p, double *seconds);

/* Takes a pair of samples and records it if it is valid. There must be space for it. Sets outcome->stop_reason, unless
 * it is set, when the samples are enough. */
bool lab_measuring_take(struct lab_measuring *p);

/* Decides whether the energy is measured: if the work asks for it and the device reports it (energy.c, METHOD.md 6).
 * Keeps the usual time for it from that of the samples, if 0.4 times as much is left for them. */
bool lab_measuring_keep_energy(struct lab_measuring *p);
/* Sets outcome->energy_j if it is measured and the time for it has been kept, or is left after the samples. */
bool lab_measuring_energy(struct lab_measuring *p);

/* Prepares to read the hardware counters of the measurer's device, if the run asks for them; a note says why they
 * cannot be read. Takes about a second, which is not part of the time budget. */
void lab_measuring_prepare_counters(struct lab_measurer *m);
/* Reads the hardware counters into outcome->counts, if the run asks for them and the device has them; the time budget
 * is extended by the time that this takes. A device that refuses to count is not asked again; a note says why. */
bool lab_measuring_count(struct lab_measuring *p);

/* Checks the result after the samples, unless it accumulates, then poisons the destination, runs one more repetition
 * and checks its result. */
bool lab_measuring_verify(struct lab_measuring *p);

#endif
