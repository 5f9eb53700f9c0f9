/* The median times of the points that a run has measured, for figures that follow from several points.
 */
#ifndef LAB_MEDIANS_H
#define LAB_MEDIANS_H

#include "benchmark/report.h"

struct lab_median {
    struct lab_point point;
    double seconds; /* of a repetition */
    double rate;    /* the main metric's count per second */
    double error;   /* the largest error that the check of the result has found */
};

/* A growing list, in the order of measuring. Begins as {0}. */
struct lab_medians {
    size_t count, capacity;
    struct lab_median *items;
};

/* Adds a measured point, whose repetition has the main metric's count `count` and whose result the largest error
 * `error`. Returns false with run->error set when out of memory. */
bool lab_medians_add(struct lab_medians *medians, const struct lab_report *report, double count, double error);
void lab_medians_release(struct lab_medians *medians);

/* Calls `summarise` with the points of each load (LAB_LOAD_AXIS), because figures must not mix them; once if the
 * experiment has no such axis. Returns false with run->error set when it does or when out of memory. */
bool lab_medians_summarise(const struct lab_medians *medians, struct lab_run *run,
                           bool (*summarise)(struct lab_run *run, const struct lab_medians *medians));

#endif
