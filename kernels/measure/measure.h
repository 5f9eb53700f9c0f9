/* Measures the points of an experiment by the rules of METHOD.md. An experiment defines one repetition of its work
 * and how its result is checked; sampling, latch, warm-up, stopping, conditions and verification are implemented
 * here, once for all experiments.
 *
 * Sources: nvbandwidth (copies behind a latch), nvbench (stopping criterion, noise), the synchronisation rules of the
 * CUDA runtime API.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "experiment/parameters.h"
#include "measure/run.h"

enum lab_timing {
    LAB_TIME_LATCHED,   /* events around work that is enqueued behind a latch, so that enqueueing is not timed */
    LAB_TIME_EVENTS,    /* events without a latch: for work that blocks, or is too many operations to enqueue ahead */
    LAB_TIME_HOST_CLOCK /* the host's monotonic clock around the work and its synchronisation: for pageable copies */
};

/* The work of one point. All callbacks return false with the error of the first lane's device set. */
struct lab_work {
    enum lab_timing timing;
    size_t lane_count; /* at least 1; all start together: a sample lasts from the first lane's start to the last end */
    const struct lab_lane *lanes;
    size_t operations; /* runtime operations that one call of `enqueue` enqueues; limits repetitions behind a latch */
    double sample_s;   /* a sample repeats the work until it lasts this long; values below 100 us mean 100 us */
    double settle_s;   /* repeats the work for this long before the first sample, until the clocks are stable; 0: not */
    void *context;     /* of the callbacks */

    bool (*enqueue)(void *context); /* one repetition, on the lanes' streams */
    bool (*poison)(void *context);  /* overwrites the destination and returns when that is done; NULL: not verified */
    bool (*verify)(void *context,
                   uint64_t *wrong); /* counts the wrong elements of the whole result; NULL as `poison` */

    /* Optional background load that must outlast the work that is measured. `load` enqueues one repetition of it on
     * `background`, a stream of the first lane's device; it should take about as long as one repetition of the work. */
    struct lab_stream *background;
    bool (*load)(void *context);
};

/* The result of measuring a point. `samples` are seconds per repetition; they belong to the measurer and are valid
 * until its next call. */
struct lab_outcome {
    size_t count;
    const double *samples;
    const char *stop_reason;
    bool verified_known, verified;
    uint64_t wrong;
    struct lab_conditions conditions;
    const char *unmeasurable; /* why there are no valid samples; NULL when there are */
};

struct lab_measurer;

/* One per run: holds the time budget, the timers and the samples. `points` is the number of calls of lab_measure to
 * come. The time budget starts now and is divided equally among the remaining points; time that a point does not use
 * goes to the later ones. Returns NULL with run->error set. */
struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points);
/* NULL is allowed and does nothing. */
void lab_measurer_release(struct lab_measurer *measurer);

/* Reduces the number of points to come by one: a point will not be measured. */
void lab_measurer_skip(struct lab_measurer *measurer);

/* Measures one point: warms up, takes samples until there is a reason to stop, verifies. Returns true also when the
 * result is wrong (run->any_wrong is set then), and when too many samples were invalid (outcome->unmeasurable is set
 * then, and the point is to be reported as skipped). Returns false with run->error set when the device failed, or
 * when the run was cancelled before the first sample. */
bool lab_measure(struct lab_measurer *measurer, const struct lab_work *work, struct lab_outcome *outcome);

/* The approximate time of one repetition in seconds, the median of a few samples. For calibration: it does not count as
 * a point and is not reported. Returns false with run->error set. */
bool lab_time_roughly(struct lab_measurer *measurer, const struct lab_work *work, double *seconds);

/* Copies stop reason, verification and conditions of the outcome, which must outlive the measurement. The caller sets
 * axes, metric, unit and samples. */
void lab_measurement_from_outcome(struct lab_measurement *measurement, const struct lab_outcome *outcome);

/* Reports one metric of a point. Each sample is numerator / seconds, or the seconds themselves when the numerator is 0.
 * The axes and the outcome must be set in `measurement`. Returns false with run->error set when out of memory. */
bool lab_report_outcome(struct lab_run *run, struct lab_measurement *measurement, const struct lab_outcome *outcome,
                        const char *metric, const char *unit, double numerator);

#endif
