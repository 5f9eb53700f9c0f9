/* Measures how often server/analysis/rank.h calls the next run of the same thing unusual, and a run that differs. In
 * percent; seeds are fixed. server/analysis/STATISTICS.md has the results.
 *
 *     bench_rank
 */
#include "noise.h"

#include "analysis/rank.h"

#include <stdio.h>

enum { TRIALS = 20000, HISTORY_MAX = 200 };

static double unusual(const struct lab_noise *noise, size_t history_count, double shift)
{
    static const double spread = 0.005;
    struct lab_random random = {1};
    size_t found = 0;
    for (size_t t = 0; t < TRIALS; t++) {
        double values[HISTORY_MAX + 1];
        struct lab_rank rank;
        lab_noise_series(noise, &random, 1, spread, values, history_count + 1);
        lab_rank(values[history_count] * (1 + shift), values, history_count, true, 0, &rank);
        found += rank.verdict == LAB_RANK_HIGHER || rank.verdict == LAB_RANK_LOWER;
    }
    return 100.0 * (double)found / TRIALS;
}

int main(void)
{
    static const size_t counts[] = {5, 6, 10, 20, 50, 200};
    static const double shifts[] = {0, 0.02};
    for (size_t s = 0; s < 2; s++) {
        printf("Unusual, %% of runs that differ by %.0f %%, with 0.5 %% between runs and a history of\n%-20s",
               100 * shifts[s], "");
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            printf(" %6zu", counts[c]);
        printf("\n");
        for (size_t k = 0; k < lab_noise_count; k++) {
            printf("%-20s", lab_noises[k].name);
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                printf(" %6.1f", unusual(&lab_noises[k], counts[c], shifts[s]));
            printf("\n");
        }
    }
    return 0;
}
