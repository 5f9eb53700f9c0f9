/* Order statistics: sorted values and quantiles. A quantile interpolates linearly between order statistics: of n sorted
 * values, from 0, that at `share` is at the position share (n - 1) (Hyndman and Fan, Sample quantiles in statistical
 * packages, 1996, type 7). */
#ifndef LAB_ORDER_H
#define LAB_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts in ascending order. The values are finite. */
void lab_sort(double *values, size_t count);

/* The quantile at `share` (0 to 1) of `count` (at least 1) sorted values. */
double lab_quantile(const double *sorted, size_t count, double share);

/* The median, the quantile at 0.5, of `count` (at least 1) finite values, in linear time (Hoare's selection, 1961).
 * Reorders them. */
double lab_median(double *values, size_t count);

/* The noise of values: the distance of their quartiles / |median|. 0 if the quartiles are equal; NAN if only the median
 * is 0. */
double lab_noise(double median, double q1, double q3);

/* Insert a value into `count` sorted values, and remove one that is among them. */
void lab_sorted_insert(double *sorted, size_t count, double value);
void lab_sorted_remove(double *sorted, size_t count, double value);

#endif
