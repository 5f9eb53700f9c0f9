/* Takes single samples of some work: releases it, times it and waits for it, on one lane or several (METHOD.md 1, 2, 3,
 * 11). measure.c decides how many samples make a point.
 */
#ifndef LAB_SAMPLING_H
#define LAB_SAMPLING_H

#include "measure/clock.h"
#include "measure/flush.h"
#include "measure/measure.h"
#include "measure/timer.h"

/* The state of sampling one piece of work. */
struct lab_sampling {
    const struct lab_work *work;
    struct lab_timer *timer;           /* the timer of the first lane's device */
    const struct lab_flushes *flushes; /* of the lanes' devices; not used unless the work is cold */
    size_t repetitions;                /* repetitions of the work in one sample */
    size_t load_ratio;                 /* repetitions of the background load per repetition of the work */
    double repetition_s;               /* the time of a repetition, as calibrated */
    double latch_timeout_s;
    bool lead; /* a sample has a leading repetition that is not timed (METHOD.md 2) */
};

enum lab_sample_status { LAB_SAMPLE_VALID, LAB_SAMPLE_INVALID, LAB_SAMPLE_FAILED };

/* Runs the work and the load once, because anything that is loaded or allocated at first use could deadlock behind a
 * latch. `flushes` contains those of the lanes' devices if the work is cold. Timer and flushes must outlast the
 * sampling. Returns false with the error of the first lane's device set. */
bool lab_sampling_warm_up(struct lab_sampling *sampling, struct lab_timer *timer, const struct lab_flushes *flushes,
                          const struct lab_work *work);

/* Finds how many repetitions a sample of at least `sample_s`, work->sample_s and 100 us has; the samples that this
 * takes are discarded. LAB_SAMPLE_INVALID: none of them was valid. LAB_SAMPLE_FAILED: the error of the first lane's
 * device is set. */
enum lab_sample_status lab_sampling_calibrate(struct lab_sampling *sampling, double sample_s);

/* Waits, after a failure, until nothing of the work is running, so that its memory can be released. Keeps the error of
 * the first lane's device. Does nothing for a sampling that is `{0}`. */
void lab_sampling_drain(const struct lab_sampling *sampling);

/* Takes one sample and sets *seconds, the time per repetition. LAB_SAMPLE_INVALID: the latch timed out, or the load
 * ended before the work, and the sample must not be used. LAB_SAMPLE_FAILED: the error of the first lane's device is
 * set. */
enum lab_sample_status lab_sample_take(struct lab_sampling *sampling, double *seconds);

/* Does what comes before a sample and is not timed: before_sample, and the flush of the cache if the work is cold.
 * Returns false with the error of the first lane's device set. */
bool lab_sampling_prepare_sample(const struct lab_sampling *sampling);

/* Announces that the work is going to be enqueued `times` times. Returns false with the error of the first lane's
 * device set. */
bool lab_work_announce(const struct lab_work *work, size_t times);

/* Waits for all lanes and the background load. Returns false with the error of the first lane's device set. */
bool lab_work_synchronize(const struct lab_work *work);

#endif
