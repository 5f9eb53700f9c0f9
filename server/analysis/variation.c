/* Estimates the variation between runs. */
#include "analysis/variation.h"

#include <math.h>

double lab_variation_of_difference(double median_difference)
{
    /* Half of all normal deviates are below 0.6745 in size, and a difference has twice the variance. */
    return median_difference / (0.674489750196082 * sqrt(2));
}

/* Half the mean square of the differences of consecutive values is their variance, if no drift is in it (von
 * Neumann). */
double lab_run_variation(const double *medians, size_t count)
{
    double squares = 0, later = NAN;
    size_t found = 0;
    for (size_t i = count; i > 0 && found < LAB_VARIATION_RUNS_MAX; i--) {
        if (!(medians[i - 1] > 0 && isfinite(medians[i - 1])))
            continue;
        double value = log(medians[i - 1]);
        if (!isnan(later)) {
            squares += (later - value) * (later - value);
            found++;
        }
        later = value;
    }
    return found + 1 < LAB_VARIATION_RUNS_MIN ? NAN : sqrt(squares / (2 * (double)found));
}
