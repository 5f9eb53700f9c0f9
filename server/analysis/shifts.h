/* Lasting changes in a series of runs of one point: from which run on the level is another one, and by how much.
 * STATISTICS.md explains the method and shows how often it is wrong and how late it finds a shift.
 *
 * Whether a shift is found depends only on the runs up to then: a run that is added later moves no shift, and withdraws
 * one only if the levels on both sides then differ by less than the minimum size.
 */
#ifndef LAB_SHIFTS_H
#define LAB_SHIFTS_H

#include <stddef.h>

enum {
    LAB_SHIFT_RUNS_BEFORE = 5, /* usable runs that a level needs before a shift from it; 3 after an earlier shift */
    LAB_SHIFT_RUNS_AFTER = 3,  /* and after the shift: one or two bad runs are no shift */
    LAB_SHIFT_WINDOW = 100,    /* usable runs of one level that are looked at, the last ones */
};

struct lab_shift_options {
    double minimum_size; /* relative; smaller shifts are not reported. Above 0 */
    double significance; /* largest p of a shift that is reported */
};

#define LAB_SHIFT_DEFAULTS                                                                                             \
    {                                                                                                                  \
        .minimum_size = 0.01, .significance = 0.01                                                                     \
    }

struct lab_shift {
    size_t index;         /* the first run of the new level */
    size_t found;         /* the run with which the shift was found; the delay is found - index + 1 runs */
    double before, after; /* medians of the levels, of at most LAB_SHIFT_WINDOW runs next to the shift */
    double size;          /* after / before - 1 */
    double p; /* how probable so large a difference is, at any of the runs that were tried, without a shift */
};

/* Finds the shifts among `count` values, one for each run and in the order of the runs, and returns their number.
 * `errors` are the relative standard errors of the values, 0 where one is not known; NULL: none is known. A value that
 * is less certain than the runs vary counts less. Values that are not positive and finite are not usable and left out.
 * `shifts` holds count / LAB_SHIFT_RUNS_AFTER. Takes time in proportion to the count, and no memory. */
size_t lab_shifts_find(const double *values, const double *errors, size_t count,
                       const struct lab_shift_options *options, struct lab_shift *shifts);

/* How many usable values more are needed before a first shift can be found; 0: there are enough. */
size_t lab_shift_runs_missing(const double *values, size_t count);

#endif
