/* How everything is measured; METHOD.md is the law and this is where it is kept. An experiment says what one repetition
 * of its work is and how its result is checked; sampling, latch, warm-up, stopping, conditions and verification happen
 * here, once.
 *
 * Sources: nvbandwidth (latched copies), nvbench (stopping criterion, noise), the CUDA runtime API's synchronisation
 * rules.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "experiment/parameters.h"
#include "measure/run.h"

enum lab_timing {
    LAB_TIME_LATCHED,   /* events around work queued behind a latch: the enqueue itself is not timed */
    LAB_TIME_EVENTS,    /* events, without a latch: for work that blocks or is too many operations to queue */
    LAB_TIME_HOST_CLOCK /* the host's monotonic clock around the work and its synchronisation: pageable copies */
};

/* One point's work. All callbacks return false with the error of the first lane's device set. */
struct lab_work {
    enum lab_timing timing;
    size_t lane_count; /* from 1; released together, a sample begins on the first and ends when all have ended */
    const struct lab_lane *lanes;
    size_t operations; /* runtime operations that one call of `enqueue` queues: bounds what goes behind a latch */
    double sample_s;   /* a sample repeats the work until it lasts that long, where that is more than 100 us; 0 */
    double settle_s;   /* keeps doing the work for that long before the first sample, until clocks have settled; 0 */
    void *context;

    bool (*enqueue)(void *context); /* one repetition, on the streams */
    bool (*poison)(void *context);  /* destroys the destination and returns when that is done; NULL: not verified */
    bool (*verify)(void *context, uint64_t *wrong); /* counts wrong elements of the whole result */

    /* Optional load from elsewhere, which must outlast what is measured: queues one repetition of it on `background`, a
     * stream of the first lane's device. It takes about as long as `enqueue`. */
    struct lab_stream *background;
    bool (*load)(void *context);
};

/* What came of a point. `samples` are seconds per repetition and belong to the measurer until its next call. */
struct lab_outcome {
    size_t count;
    const double *samples;
    const char *stop_reason;
    bool verified_known, verified;
    uint64_t wrong;
    struct lab_conditions conditions;
    const char *unmeasurable; /* the reason why there are no samples to trust; NULL when there are */
};

struct lab_measurer;

/* One per run: holds the budget, the latch and the samples. `points` is how many times lab_measure will be called; the
 * time budget, which runs from here on, is shared among them, and what one leaves over goes to the rest. NULL with
 * run->error set. */
struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points);
void lab_measurer_release(struct lab_measurer *measurer);

/* One point fewer is to be measured. */
void lab_measurer_skip(struct lab_measurer *measurer);

/* Warms up, samples until a named reason to stop, verifies. A result that does not verify is an outcome, not an error
 * (run->any_wrong is set); neither is a point whose samples came out invalid too often, which is to be reported as
 * skipped. False with run->error set when the device failed or the run was cancelled before there was one sample. */
bool lab_measure(struct lab_measurer *measurer, const struct lab_work *work, struct lab_outcome *outcome);

/* A rough time of the work in seconds, from a few samples, outside the budget and never reported: for finding settings. */
bool lab_time(struct lab_measurer *measurer, const struct lab_work *work, double *seconds);

/* Fills the parts of a measurement that come from an outcome; the caller adds axes, metric, unit and samples. */
void lab_measurement_from_outcome(struct lab_measurement *measurement, const struct lab_outcome *outcome);

/* Sends one metric of a point: each of its samples is numerator / seconds, or the seconds themselves where the numerator
 * is 0. `measurement` has axes and outcome already. False with run->error when out of memory. */
bool lab_report_outcome(struct lab_run *run, struct lab_measurement *measurement, const struct lab_outcome *outcome,
                        const char *metric, const char *unit, double numerator);

#endif
