/* Measures the points of an experiment by the rules of METHOD.md. An experiment defines one repetition of its work
 * and how its result is checked; sampling, latch, warm-up, stopping, conditions and verification are implemented
 * here, once for all experiments.
 *
 * Sources: nvbandwidth (copies behind a latch), nvbench (stopping criterion, noise), the synchronisation rules of the
 * CUDA runtime API.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "descriptor/parameters.h"
#include "measure/run.h"

enum lab_timing {
    LAB_TIME_LATCHED,    /* events around work that is enqueued behind a latch, so that enqueueing is not timed */
    LAB_TIME_EVENTS,     /* events without a latch: for work that blocks, or is too many operations to enqueue ahead */
    LAB_TIME_HOST_CLOCK, /* the host's monotonic clock around the work and its synchronisation: for pageable copies */
    LAB_TIME_BY_WORK     /* the work measures its own time: for work of other processes, and for waits */
};

/* The work of one point. All callbacks return false with the error of the first lane's device set. */
struct lab_work {
    enum lab_timing timing;
    size_t lane_count; /* at least 1; all start together; a sample ends when the last lane has ended */
    const struct lab_lane *lanes;
    size_t operations; /* runtime operations that one call of `enqueue` enqueues; limits repetitions behind a latch */
    double sample_s;   /* a sample lasts at least this long, and at least the parameter sample_s and 100 us */
    bool compute;      /* the device's power may limit its speed: it is settled before the first sample (METHOD.md 6) */
    bool sustained;    /* the pauses of the run are before samples of other work */
    bool energy;       /* the energy of a repetition is wanted, where it can be measured (METHOD.md 6) */
    void *context;     /* first argument of the callbacks */

    /* Enqueues one repetition on the lanes' streams. */
    bool (*enqueue)(void *context);
    /* LAB_TIME_BY_WORK: runs `repetitions` repetitions, waits for them and sets *seconds to the time of one. NULL
     * otherwise. */
    bool (*sample)(void *context, size_t repetitions, double *seconds);
    /* Called before `enqueue` is called `times` times, outside the timed part, so that work of several processes can
     * tell the others. NULL for none. */
    bool (*announce)(void *context, size_t times);
    /* Overwrites the destination with wrong data and returns when this is done. NULL if the work is not verified. */
    bool (*poison)(void *context);
    /* Sets *wrong to the number of wrong elements in the complete result. NULL if the work is not verified. */
    bool (*verify)(void *context, uint64_t *wrong);
    bool accumulates; /* repetitions add to the result, so only that of one repetition after `poison` is verified */

    /* Prepares each sample, outside the timed part; the lanes are synchronised before the sample starts. NULL for
     * none. */
    bool (*before_sample)(void *context);
    /* Called after each sample that counts, when its work has ended and before the next one is prepared. NULL for
     * none. */
    bool (*keep)(void *context);
    /* The most repetitions in a sample, besides a leading one. 0: as many as needed, or one if there is a
     * before_sample, which prepares the first one only. */
    size_t repetitions_max;
    /* Restores the state of the devices that the work needs and that the other side of a comparison may have changed,
     * such as peer access (METHOD.md 19): called before each turn of the work. Returns false with run->error set. NULL
     * for none. */
    bool (*restore)(void *restored);
    void *restored;
    /* The last-level cache of each lane's device is flushed before each sample, which then has one repetition
     * (METHOD.md 7). */
    bool cold;
    /* Each repetition synchronises the lanes, as a collective operation does. The timing must be LAB_TIME_EVENTS. A
     * sample extends from the end of a leading repetition to the end of the last one, both on the first lane. It does
     * not contain the time in which events release and join the lanes (METHOD.md 18). */
    bool collective;
    bool cacheless; /* the state of the cache does not matter: neither cold nor warm is reported */

    /* Optional background load that must outlast the work that is measured. `load` enqueues one repetition of it on
     * `background`, a stream of the first lane's device; it should take about as long as one repetition of the work. */
    struct lab_stream *background;
    bool (*load)(void *context);

    /* Work that is sampled alternately with this one, so that both see the same clocks and temperatures (METHOD.md 19);
     * NULL for none. Its lanes may be on other devices. It has no baseline of its own, and its poison and verify are
     * not called. */
    const struct lab_work *baseline;
};

/* The result of measuring a point. */
struct lab_outcome {
    size_t count;          /* number of samples */
    const double *samples; /* seconds per repetition; belong to the measurer, valid until its next call */
    /* Seconds per repetition of the baseline; baseline_samples[i] was taken immediately before samples[i], so
     * baseline_samples[i] / samples[i] is a sample of the speedup. Owned like `samples`; NULL without a baseline. */
    const double *baseline_samples;
    /* The samples of round i of a comparison are samples[round_ends[i - 1]], or samples[0], up to round_ends[i],
     * exclusive. Its block k, for which memory was allocated anew, has the rounds from block_ends[k - 1], or 0, up to
     * block_ends[k], exclusive. Owned like `samples`; no rounds and blocks without a comparison. */
    size_t round_count, block_count;
    const size_t *round_ends, *block_ends;
    double energy_j;                   /* energy of a repetition in joules; NAN: not measured */
    bool counted;                      /* the hardware counters are known (METHOD.md 22) */
    struct lab_hardware_counts counts; /* of one repetition */
    const char *stop_reason;           /* METHOD.md 5: "converged", …; NULL if `unmeasurable` is set */
    bool verified_known;               /* the result was checked; otherwise `verified` and `wrong` are not set */
    bool verified;                     /* no element was wrong */
    uint64_t wrong;                    /* number of wrong elements */
    const char *cache; /* state of the last-level cache before each sample: "cold", "warm"; NULL if cacheless */
    struct lab_conditions conditions;
    const char *unmeasurable; /* why the point could not be measured; NULL when it was. Valid like `samples` */
};

/* Measures the points of one run. Owns the timers and the samples, and divides the time budget. */
struct lab_measurer;

/* Creates the measurer of a run. `points` is the number of points that will be measured or skipped. The time budget
 * starts now and is divided equally among the remaining points, so time that a point does not use is left for the later
 * ones. The trace pass (run->tracing) has a quarter of it. Returns NULL with run->error set. */
struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points);
/* Creates the measurer of a run whose points are measured together with those of another one. They share the budget,
 * whose `points` count those of both, and the timers. `other` must outlast it. */
struct lab_measurer *lab_measurer_create_beside(struct lab_run *run, struct lab_measurer *other);
/* Releases the measurer; NULL is allowed and does nothing. */
void lab_measurer_free(struct lab_measurer *measurer);

/* Reduces the number of remaining points by one, for a point that will not be measured. */
void lab_measurer_skip(struct lab_measurer *measurer);

/* Seconds that the run may still take, 1.25 times its time budget and 2 s in all; negative when it has taken more. What
 * takes longer must be skipped, also outside lab_measure: preparing a point, tracing. */
double lab_measurer_remaining_s(const struct lab_measurer *measurer);

/* Seconds until the time budget is used up and points take as few samples as possible; negative after it. */
double lab_measurer_budget_left_s(const struct lab_measurer *measurer);

/* Why nothing more can be measured: the remaining time is negative. NULL if it is not. Valid until the next call with
 * this measurer. */
const char *lab_measurer_used_up(struct lab_measurer *measurer);

/* Measures one point: warms up, takes samples until there is a reason to stop, verifies. Returns true also when the
 * result is wrong (run->any_wrong is set then), and when the point cannot be measured: too many samples were invalid, a
 * device cannot flush its cache, or the time budget is used up or too short for the work (outcome->unmeasurable is set
 * then, and the caller must report the point as skipped). Returns false with run->error set when the device failed, or
 * when the run was cancelled before the first sample; nothing of the work is running then. */
bool lab_measure(struct lab_measurer *measurer, const struct lab_work *work, struct lab_outcome *outcome);

/* A point that is measured at the same time as others. */
struct lab_concurrent_point {
    struct lab_measurer *measurer; /* of a run of its own, a copy of that of `whole` below, and so is its budget */
    const struct lab_work *work;
    struct lab_outcome *outcome;
    bool good; /* what lab_measure returned; set here */
};

/* Calls lab_measure for all points at the same time, each on a thread of its own. Their works must not share any
 * device. `whole` is the measurer of the run, which has the budget; its points that are left are reduced by `count`. */
void lab_measure_concurrently(struct lab_measurer *whole, struct lab_concurrent_point *points, size_t count);

/* A point of each side of a comparison while both are measured alternately, in blocks (METHOD.md 19). The caller
 * prepares both points for each turn, with memory that is allocated anew, in the order of lab_blocks_first. */
struct lab_blocks;

/* Begins a pair of points. The measurers share a budget; they and the outcomes must outlast it. Returns NULL with the
 * error of the head's run set when out of memory. */
struct lab_blocks *lab_blocks_create(struct lab_measurer *const measurers[LAB_SIDES],
                                     struct lab_outcome outcomes[LAB_SIDES]);
/* Ends the pair; NULL is allowed and does nothing. */
void lab_blocks_free(struct lab_blocks *blocks);

/* The side that is prepared and measured first in the next turn. A block has two turns. */
size_t lab_blocks_first(const struct lab_blocks *blocks);
/* The number of blocks so far. The next turn is of the block of this number, from 0 on. */
size_t lab_blocks_count(const struct lab_blocks *blocks);

/* Measures a turn and adds its samples to the outcomes. Like lab_measure for each side, except that both end together:
 * if either cannot be measured, neither is, and only the outcome of that one says why. After a failure one of the runs
 * has the error, or both. */
bool lab_blocks_measure(struct lab_blocks *blocks, const struct lab_work *const works[LAB_SIDES]);
/* Whether the turns so far, at least one, are enough. Sets the reasons to stop of both outcomes then. */
bool lab_blocks_complete(struct lab_blocks *blocks);

/* Sets *seconds to the approximate time of one repetition, the median of a few samples. For calibration: the work does
 * not count as a point and is not reported, but takes at most the share of one. Returns false with run->error set; the
 * code is "cancelled" after a cancel. */
bool lab_time_roughly(struct lab_measurer *measurer, const struct lab_work *work, double *seconds);

/* Copies stop reason, verification, cache and conditions of `outcome` to `measurement`, which then points to the
 * conditions in `outcome`. The caller sets axes, metric, unit and samples. */
void lab_measurement_from_outcome(struct lab_measurement *measurement, const struct lab_outcome *outcome);

#endif
