/* Where a value stands among earlier values of the same point. */
#ifndef LAB_RANK_H
#define LAB_RANK_H

#include <stdbool.h>
#include <stddef.h>

enum lab_rank_verdict {
    LAB_RANK_TOO_FEW,  /* fewer than LAB_RANK_RUNS_MIN usable earlier values, or the value itself is not a number */
    LAB_RANK_AS_USUAL, /* in the range where normal noise has 19 of 20 next runs, or within the minimum effect */
    LAB_RANK_HIGHER,   /* higher than that, whether that is good or bad */
    LAB_RANK_LOWER,
};

enum { LAB_RANK_RUNS_MIN = 5 };

/* By enum lab_rank_verdict; ends with NULL. */
extern const char *const lab_rank_verdict_names[];

/* Figures are NAN where there is no usable earlier value. */
struct lab_rank {
    enum lab_rank_verdict verdict;
    bool better;           /* of LAB_RANK_HIGHER and LAB_RANK_LOWER: it is a good deviation */
    size_t count;          /* of usable earlier values */
    double share_below;    /* 0 to 1: earlier values that are lower, and half of those that are equal */
    double median, q1, q3; /* of the earlier values */
    double low, high;      /* the range that is as usual; NAN with LAB_RANK_TOO_FEW */
};

/* Compares `value` with the `count` values of `history`, in any order. Values that are not finite are left out.
 * `minimum_effect` is relative to the median. Returns false when out of memory. */
bool lab_rank(double value, const double *history, size_t count, bool larger_is_better, double minimum_effect,
              struct lab_rank *rank);

#endif
