/* Computes metrics of hardware counters. */
#include "benchmark/counted.h"

#include <math.h>

static double sum_of(const struct lab_counter_sum *of, const struct lab_hardware_counts *counts)
{
    const enum lab_hardware_counter *counters = of->counters;
    double sum = 0;
    if (*counters == LAB_HARDWARE_COUNTER_COUNT)
        return 1;
    for (; *counters != LAB_HARDWARE_COUNTER_COUNT; counters++)
        sum += counts->items[*counters].value;
    return sum;
}

double lab_counted_value(const struct lab_counted_figure *figure, const struct lab_hardware_counts *counts)
{
    double below = sum_of(&figure->below, counts);
    return below > 0 ? figure->factor * sum_of(&figure->above, counts) / below : (double)NAN;
}
