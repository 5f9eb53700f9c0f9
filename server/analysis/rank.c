/* Ranks a value in a history. */
#include "analysis/rank.h"

#include "analysis/distributions.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>

/* Degrees of freedom of a spread that is found from quartiles, for each value but the first: with this figure, 19 of 20
 * next runs are as usual (STATISTICS.md). */
static const double degrees_per_run = 0.4;

const char *const lab_rank_verdict_names[] = {"too-few", "as-usual", "higher", "lower", NULL};

/* Copies the finite values; returns how many. */
static size_t copy_finite(const double *values, size_t count, double *copy)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            copy[found++] = values[i];
    return found;
}

static void summarise(double value, const double *sorted, size_t count, struct lab_rank *rank)
{
    size_t below = 0;
    size_t equal = 0;
    for (size_t i = 0; i < count; i++) {
        below += sorted[i] < value;
        equal += sorted[i] == value;
    }
    rank->share_below = ((double)below + 0.5 * (double)equal) / (double)count;
    rank->median = lab_quantile(sorted, count, 0.5);
    rank->q1 = lab_quantile(sorted, count, 0.25);
    rank->q3 = lab_quantile(sorted, count, 0.75);
}

/* Sets the range that is as usual, with the spread from the quartiles, and the verdict. */
static void judge(double value, bool larger_is_better, double minimum_effect, struct lab_rank *rank)
{
    double n = (double)rank->count;
    double spread = (rank->q3 - rank->q1) / (2 * 0.674489750196082);
    double reach = lab_student_quantile(0.95, degrees_per_run * (n - 1)) * sqrt(1 + 1.5708 / n) * spread;
    reach = fmax(reach, minimum_effect * fabs(rank->median));
    rank->low = rank->median - reach;
    rank->high = rank->median + reach;
    rank->verdict = value > rank->high ? LAB_RANK_HIGHER : value < rank->low ? LAB_RANK_LOWER : LAB_RANK_AS_USUAL;
    rank->better = rank->verdict == (larger_is_better ? LAB_RANK_HIGHER : LAB_RANK_LOWER);
}

bool lab_rank(double value, const double *history, size_t count, bool larger_is_better, double minimum_effect,
              struct lab_rank *rank)
{
    *rank = (struct lab_rank){LAB_RANK_TOO_FEW, false, 0, NAN, NAN, NAN, NAN, NAN, NAN};
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return false;
    rank->count = copy_finite(history, count, sorted);
    lab_sort(sorted, rank->count);
    if (rank->count > 0 && isfinite(value))
        summarise(value, sorted, rank->count, rank);
    if (rank->count >= LAB_RANK_RUNS_MIN && isfinite(value))
        judge(value, larger_is_better, minimum_effect, rank);
    free(sorted);
    return true;
}
