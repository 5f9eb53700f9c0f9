/* Decides when the samples of a point are enough (METHOD.md 5). */
#ifndef LAB_STOPPING_H
#define LAB_STOPPING_H

#include "measure/statistics.h"

enum { LAB_NOISE_WINDOW = 64 }; /* number of latest noise estimates that must agree for "noise-stable" */

/* The run's parameters of these names. */
struct lab_stopping_limits {
    size_t min_samples, max_samples;
    double min_time_s, max_noise;
};

/* The state of the decision for one point. Initialise `limits` and `renewed`; the limits must outlast it. */
struct lab_stopping {
    const struct lab_stopping_limits *limits;
    bool renewed; /* the samples are of memory in several places, whose levels differ: drift is not tested */
    struct lab_running_statistics statistics; /* of all samples so far */
    double measured_s;                        /* duration of all samples so far */
    double window[LAB_NOISE_WINDOW];          /* the latest noise estimates, a ring buffer */
    size_t estimates;                         /* number of noise estimates so far */
    size_t next_check;                        /* the number of samples from which on drift is tested again */
};

/* Decides after a sample was appended to `samples`, which now has `count` entries. The sample lasted `duration_s`.
 * Returns the reason to stop, NULL to continue. `budget_used` says that the point may not take more time. */
const char *lab_stopping_reason(struct lab_stopping *stopping, const double *samples, size_t count, double duration_s,
                                bool budget_used);

/* Whether the samples drift: the means of their first and last third disagree (lab_means_agree). Fewer than 12 samples
 * cannot show a drift. */
bool lab_samples_drift(const double *samples, size_t count, double tolerance);

#endif
