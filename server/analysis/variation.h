/* How much the medians of the runs of one point vary from run to run. */
#ifndef LAB_VARIATION_H
#define LAB_VARIATION_H

#include <stddef.h>

#define LAB_VARIATION_RUNS 5
enum { LAB_VARIATION_RUNS_MIN = LAB_VARIATION_RUNS };

/* The standard deviation of the logarithms of `medians`, which are in the order of the runs; about their relative
 * standard deviation. It is found from the differences of consecutive runs, so that slow drift does not count; a shift
 * or a single bad run counts, because the next run may be another one. Medians that are not positive and finite are
 * left out; of more than LAB_VARIATION_RUNS_MAX runs the last ones count. NAN for fewer than LAB_VARIATION_RUNS_MIN. */
double lab_run_variation(const double *medians, size_t count);

enum { LAB_VARIATION_RUNS_MAX = 200 };

/* The standard deviation of values whose consecutive differences have this median size, if they are independent and
 * normal. */
double lab_variation_of_difference(double median_difference);

#endif
