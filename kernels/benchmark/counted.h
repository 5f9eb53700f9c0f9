/* Metrics of a point that are computed of what the hardware has counted, to stand beside predictions.
 */
#ifndef LAB_COUNTED_H
#define LAB_COUNTED_H

#include "runtime/counters.h"

enum { LAB_COUNTED_SUM = 3 };

/* Counters that are added up; ends with LAB_HARDWARE_COUNTER_COUNT. */
struct lab_counter_sum {
    enum lab_hardware_counter counters[LAB_COUNTED_SUM];
};
#define LAB_SUM_OF(...) ((struct lab_counter_sum){{__VA_ARGS__, LAB_HARDWARE_COUNTER_COUNT}})
/* A sum that is 1. */
#define LAB_SUM_OF_NONE ((struct lab_counter_sum){{LAB_HARDWARE_COUNTER_COUNT}})

/* factor * above / below, of one repetition:
 * {"counted_paths_per_warp", 32, LAB_SUM_OF_NONE, LAB_SUM_OF(LAB_HARDWARE_THREADS_PER_INSTRUCTION)}. */
struct lab_counted_figure {
    const char *metric;
    double factor;
    struct lab_counter_sum above, below;
};

/* The value; NAN if a counter is not known, or the divisor is 0. */
double lab_counted_value(const struct lab_counted_figure *figure, const struct lab_hardware_counts *counts);

#endif
