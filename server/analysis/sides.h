/* The comparison of the two sides of a run that was compared with another request (METHOD.md 19). */
#ifndef LAB_SIDES_H
#define LAB_SIDES_H

#include "comparison.h"

#include <jansson.h>

/* Compares the sides point by point, by the medians of their rounds. `measurements` are those of the run in order, as in
 * GET /runs/{id}. Returns {points, summary}: a point is {metric, unit, axes, base, head, ratio, low, high, verdict, reason},
 * with the axes of the head, and base and head as {median, axes}; figures that are not known are null. The summary counts the
 * points of each verdict. Whether larger is better follows from the unit; options->larger_is_better is not used. A new
 * reference; NULL when out of memory. */
json_t *lab_compare_sides(const json_t *measurements, const struct lab_comparison_options *options);

#endif
