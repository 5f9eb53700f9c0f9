/* One sample of some work: released, timed and waited for, on one lane or on many (METHOD.md 1, 2, 3, 11). What measure.c
 * makes points of.
 */
#ifndef LAB_SAMPLING_H
#define LAB_SAMPLING_H

#include "measure/measure.h"

/* What timing takes on the device where work starts: a latch, the stream that carries it, and events. */
struct lab_timer;

/* NULL with the device's error set. */
struct lab_timer *lab_timer_create(struct lab_device *device);
void lab_timer_release(struct lab_timer *rig);
struct lab_device *lab_timer_device(const struct lab_timer *rig);

/* Some work, on its way through its samples. */
struct lab_sampling {
    const struct lab_work *work;
    struct lab_timer *rig; /* of the first lane's device */
    size_t repetitions;    /* of the work in one sample */
    size_t load_share;     /* repetitions of the load for each of the work */
};

enum lab_sample { LAB_SAMPLE_GOOD, LAB_SAMPLE_INVALID, LAB_SAMPLE_FAILED };

/* Runs everything once, because what is loaded or made at first use must not be waited for behind a latch, and finds how
 * many repetitions last long enough. False with the error of the first lane's device set. */
bool lab_sampling_begin(struct lab_sampling *sampling, struct lab_timer *rig, const struct lab_work *work);

/* Takes one: seconds per repetition. Failed, with the error of the first lane's device set; invalid: the latch timed out, or
 * the load ended before the work did. */
enum lab_sample lab_sample_take(struct lab_sampling *sampling, double *seconds);

/* Waits for all lanes and the load. */
bool lab_work_synchronize(const struct lab_work *work);

/* The host's monotonic clock in seconds. */
double lab_now_s(void);

#endif
