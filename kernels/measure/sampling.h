/* Takes single samples of some work: releases it, times it and waits for it, on one lane or several (METHOD.md 1, 2, 3,
 * 11). measure.c decides how many samples make a point.
 */
#ifndef LAB_SAMPLING_H
#define LAB_SAMPLING_H

#include "measure/clock.h"
#include "measure/flush.h"
#include "measure/measure.h"

/* The objects for timing work whose first lane is on one device: a latch, the stream on which the latch is enqueued, and
 * events. */
struct lab_timer;

/* Returns NULL with the device's error set on failure. */
struct lab_timer *lab_timer_create(struct lab_device *device);
/* Releases the timer; NULL is allowed and does nothing. */
void lab_timer_release(struct lab_timer *timer);
/* The device that the timer was created for. */
struct lab_device *lab_timer_device(const struct lab_timer *timer);

/* The state of sampling one piece of work. */
struct lab_sampling {
    const struct lab_work *work;
    struct lab_timer *timer;           /* the timer of the first lane's device */
    const struct lab_flushes *flushes; /* of the lanes' devices; not used unless the work is cold */
    double latch_timeout_s;
    size_t repetitions; /* repetitions of the work in one sample */
    size_t load_ratio;  /* repetitions of the background load per repetition of the work */
};

enum lab_sample_status { LAB_SAMPLE_VALID, LAB_SAMPLE_INVALID, LAB_SAMPLE_FAILED };

/* Runs the work and the load once, because anything that is loaded or allocated at first use could deadlock behind a
 * latch. Then finds how many repetitions a sample of at least `sample_s`, work->sample_s and 100 us has. `flushes` contains those of the lanes' devices if
 * the work is cold. Timer and flushes must outlast the sampling. Returns false with the error of the first lane's device
 * set. */
bool lab_sampling_begin(struct lab_sampling *sampling, struct lab_timer *timer, const struct lab_flushes *flushes,
                        const struct lab_work *work, double sample_s);

/* Takes one sample and sets *seconds, the time per repetition. LAB_SAMPLE_INVALID: the latch timed out, or the load ended
 * before the work, and the sample must not be used. LAB_SAMPLE_FAILED: the error of the first lane's device is set. */
enum lab_sample_status lab_sample_take(struct lab_sampling *sampling, double *seconds);

/* lab_calls_block of measure.h, with the error of the first lane's device set. */
bool lab_sampling_calls_block(struct lab_timer *timer, const struct lab_work *work, bool *block);

/* Waits for all lanes and the background load. Returns false with the error of the first lane's device set. */
bool lab_work_synchronize(const struct lab_work *work);

#endif
