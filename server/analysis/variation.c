/* Estimates the variation between runs. */
#include "analysis/variation.h"

#include "core/order.h"

#include <math.h>

double lab_variation_of_difference(double median_difference)
{
    /* Half of all normal deviates are below 0.6745 in size, and a difference has twice the variance. */
    return median_difference / (0.674489750196082 * sqrt(2));
}

double lab_run_variation(const double *medians, size_t count)
{
    double differences[LAB_VARIATION_RUNS_MAX];
    size_t found = 0;
    double later = NAN;
    for (size_t i = count; i > 0 && found < LAB_VARIATION_RUNS_MAX; i--) {
        if (!(medians[i - 1] > 0 && isfinite(medians[i - 1])))
            continue;
        double value = log(medians[i - 1]);
        if (!isnan(later))
            differences[found++] = fabs(later - value);
        later = value;
    }
    return found + 1 < LAB_VARIATION_RUNS_MIN ? NAN : lab_variation_of_difference(lab_median(differences, found));
}
