/* What the samples of a point look like beside their quartiles: outliers, two levels, and drift. METHOD.md 21 gives the
 * rules and how often they find what is not there.
 */
#ifndef LAB_SHAPE_H
#define LAB_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Figures that are not known are NAN. */
struct lab_shape {
    double fence_low, fence_high; /* beyond them, samples are far from the quartiles */
    size_t outliers;              /* samples beyond the fences */
    double farthest_outlier;      /* the one that is farthest from the median */
    double drift, drift_low,
        drift_high;                  /* the change within the point / median, and its interval; too few samples: NAN */
    bool has_modes;                  /* the samples have two levels */
    double modes[2], mode_shares[2]; /* the lower level and the higher one, and their shares of the samples */
};

/* Describes samples in the order in which they were taken; those that are not finite do not count. Returns false when
 * out of memory. */
bool lab_shape_find(const double *samples, size_t count, struct lab_shape *shape);

/* The shape as the JSON text of the member `shape` of a measurement, which the caller frees. NULL: no sample, or out of
 * memory. */
char *lab_shape_text(const double *samples, size_t count);

#endif
