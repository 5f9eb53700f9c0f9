/* A histogram of durations. Any thread may add to it and read it without a lock. */
#ifndef LAB_HISTOGRAM_H
#define LAB_HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_HISTOGRAM_BOUNDS_MAX = 15 };

struct lab_histogram {
    const double *bounds; /* the largest durations of the buckets in seconds, ascending, ended by 0; constant */
    /* The durations of each bucket; the last one has those above all bounds. */
    atomic_uint_least64_t buckets[LAB_HISTOGRAM_BOUNDS_MAX + 1];
    atomic_uint_least64_t sum_ns; /* of all durations; may already have one that is not yet in its bucket */
};

static inline void lab_histogram_add(struct lab_histogram *histogram, double seconds)
{
    size_t bucket = 0;
    while (histogram->bounds[bucket] != 0 && seconds > histogram->bounds[bucket])
        bucket++;
    atomic_fetch_add_explicit(&histogram->sum_ns, seconds > 0 ? (uint64_t)(seconds * 1e9) : 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->buckets[bucket], 1, memory_order_relaxed);
}

#endif
