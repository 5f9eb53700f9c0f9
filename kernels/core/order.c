/* Sorts values and reads quantiles from them. */
#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void lab_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
}

double lab_quantile(const double *sorted, size_t count, double share)
{
    double position = share * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double lab_noise(double median, double q1, double q3)
{
    if (q1 == q3)
        return 0;
    return median != 0 ? fabs((q3 - q1) / median) : NAN;
}

/* Reorders the values so that the one at `rank` is where sorting would put it, with none larger before it. */
static void select_rank(double *values, size_t count, size_t rank)
{
    size_t first = 0;
    size_t last = count - 1;
    while (first < last) {
        double pivot = values[first + (last - first) / 2];
        size_t i = first;
        size_t j = last;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i > j)
                break;
            double value = values[i];
            values[i++] = values[j];
            values[j] = value;
            if (j == 0)
                break;
            j--;
        }
        if (rank <= j)
            last = j;
        else if (rank >= i)
            first = i;
        else
            return;
    }
}

double lab_median(double *values, size_t count)
{
    size_t middle = count / 2;
    select_rank(values, count, middle);
    if (count % 2 == 1)
        return values[middle];
    double below = values[0];
    for (size_t i = 1; i < middle; i++)
        below = values[i] > below ? values[i] : below;
    return below + (values[middle] - below) / 2;
}

/* How many of the sorted values are below `value`. */
static size_t count_below(const double *sorted, size_t count, double value)
{
    size_t first = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (sorted[first + half] < value) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

void lab_sorted_insert(double *sorted, size_t count, double value)
{
    size_t at = count_below(sorted, count, value);
    memmove(&sorted[at + 1], &sorted[at], (count - at) * sizeof *sorted);
    sorted[at] = value;
}

void lab_sorted_remove(double *sorted, size_t count, double value)
{
    size_t at = count_below(sorted, count, value);
    memmove(&sorted[at], &sorted[at + 1], (count - at - 1) * sizeof *sorted);
}
