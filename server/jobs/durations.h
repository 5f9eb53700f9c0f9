/* How long the runs of an experiment take, compared with their plans: the last runs of each experiment. Not
 * thread-safe. */
#ifndef LAB_DURATIONS_H
#define LAB_DURATIONS_H

#include "descriptor/experiment.h"

#include <stddef.h>

enum { LAB_DURATIONS_KEPT = 20 }; /* runs of an experiment */

struct lab_duration_history; /* of one experiment */

/* Starts as `{0}`. */
struct lab_durations {
    struct lab_duration_history *histories;
    size_t count;
};

/* Adds a run that was planned to take `planned_s` and took `actual_s`, both more than 0; other values are ignored, and
 * so is a run for which there is no memory. The oldest of the runs that are kept is dropped. */
void lab_durations_add(struct lab_durations *durations, const struct lab_experiment *experiment, double planned_s,
                       double actual_s);
/* How long a run with that plan is expected to take: `planned_s` times the median ratio of actual to planned duration;
 * 1 when no run of the experiment is known. `experiment` may be NULL. */
double lab_durations_expect(const struct lab_durations *durations, const struct lab_experiment *experiment,
                            double planned_s);
void lab_durations_release(struct lab_durations *durations);

#endif
