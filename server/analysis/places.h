/* The places of a ranking: values that cannot be told apart share one. */
#ifndef LAB_PLACES_H
#define LAB_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* A value that is ranked: the median of `samples`, of which there may be none. */
struct lab_contender {
    double value;
    const double *samples;
    size_t sample_count;
    size_t place; /* set: from 1 on; after a place that several share, as many are left out */
    bool shared;  /* set: others have the same place */
};

/* Gives each contender a place; they are in the order of their values, the best first. Whoever cannot be told from the
 * first of the place before shares it (STATISTICS.md, "Places"). Returns false when out of memory. */
bool lab_places(struct lab_contender *contenders, size_t count, bool larger_is_better);

#endif
