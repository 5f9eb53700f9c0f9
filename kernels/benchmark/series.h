/* Short series of samples of quantities that lab_measure does not time, such as the phases of a job. They are taken
 * after the samples of the point, so that taking them does not affect the timing.
 */
#ifndef LAB_SERIES_H
#define LAB_SERIES_H

#include "measure/measure.h"

enum { LAB_SERIES_MIN = 3, LAB_SERIES_MAX = 10 };

struct lab_series {
    size_t count;            /* number of samples taken; 0 if `skipped` is set */
    const char *stop_reason; /* why there are no more: METHOD.md 5 */
    const char *skipped;     /* why there are none: the time budget is used up; else NULL. Belongs to the measurer */
};

/* Calls take(context, i) for i = 0, 1, 2, … LAB_SERIES_MIN times, and then up to LAB_SERIES_MAX times until 0.25 s have
 * passed. Returns false with run->error set when the run was cancelled, or when `take` returned false, which then has
 * set it. */
bool lab_series_take(struct lab_run *run, struct lab_measurer *measurer, bool (*take)(void *context, size_t index),
                     void *context, struct lab_series *series);

/* The seconds that a series takes, for plans, when one sample takes `sample_s`. */
double lab_series_seconds(double sample_s);

#endif
