/* Measures false alarms, detection and delay of server/analysis/shifts.h on generated noise and on recorded samples.
 * server/analysis/STATISTICS.md has the results.
 *
 *     bench_shifts [FILE...]
 *
 * A FILE is a response of GET /api/v1/runs/{id}/measurements?samples=true. Seeds are fixed: the same program prints the
 * same figures, but for the times in the last lines. The exit code is 1 when 1000 values take more than 5 ms.
 */
#include "noise.h"

#include "analysis/shifts.h"
#include "core/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LENGTH = 1000, SERIES = 200, TRIALS = 500, BEFORE_MAX = 50, AFTER = 30, SAMPLES = 100 };

static const double spreads[] = {0.002, 0.005, 0.01, 0.02};
static const double sizes[] = {0.01, 0.02, 0.05};
enum { SPREADS = sizeof spreads / sizeof *spreads, SIZES = sizeof sizes / sizeof *sizes };

static const struct lab_shift_options defaults = LAB_SHIFT_DEFAULTS;

/* Medians of runs without a shift: noise between runs, times what `real` adds: medians of resampled recorded
 * samples. */
static void series(const struct lab_noise *noise, double sd, const struct lab_recorded *recorded,
                   struct lab_random *random, double *values, size_t count)
{
    lab_noise_series(noise, random, 1, sd, values, count);
    for (size_t i = 0; recorded != NULL && i < count; i++) {
        double samples[SAMPLES];
        lab_recorded_resample(recorded, random, samples, SAMPLES);
        values[i] *= lab_median(samples, SAMPLES);
    }
}

/* --- false alarms ------------------------------------------------------------------------------------------------- */

/* Shifts found in `repeats` stationary series of `length` runs. */
static size_t alarms(const struct lab_noise *noise, double sd, const struct lab_recorded *recorded,
                     size_t recorded_count, size_t length, size_t repeats)
{
    static double values[LENGTH];
    static struct lab_shift shifts[LENGTH];
    struct lab_random random = {1};
    size_t found = 0;
    for (size_t i = 0; i < repeats; i++) {
        const struct lab_recorded *one = recorded_count == 0 ? NULL : &recorded[i * recorded_count / repeats];
        series(noise, sd, one, &random, values, length);
        found += lab_shifts_find(values, NULL, length, &defaults, shifts);
    }
    return found;
}

static void false_alarms(const struct lab_recorded *recorded, size_t recorded_count)
{
    static const size_t lengths[] = {LENGTH, 20};
    for (size_t l = 0; l < 2; l++) {
        size_t length = lengths[l];
        printf("\nFalse alarms in 1000 runs without a shift, in series of %zu, by the noise between runs\n%-34s",
               length, "");
        for (size_t s = 0; s < SPREADS; s++)
            printf(" %6.1f %%", 100 * spreads[s]);
        printf("\n");
        for (size_t k = 0; k < lab_noise_count; k++) {
            printf("%-34s", lab_noises[k].name);
            for (size_t s = 0; s < SPREADS; s++)
                printf(" %8.2f",
                       (double)alarms(&lab_noises[k], spreads[s], NULL, 0, length, SERIES * LENGTH / length) / SERIES);
            printf("\n");
        }
        if (recorded_count == 0)
            continue;
        printf("%-34s", "recorded samples, and normal");
        for (size_t s = 0; s < SPREADS; s++)
            printf(" %8.2f", (double)alarms(&lab_noises[0], spreads[s], recorded, recorded_count, length,
                                            SERIES * LENGTH / length) /
                                 SERIES);
        printf("\n");
    }
}

/* --- drift -------------------------------------------------------------------------------------------------------- */

/* Shifts that are reported in 1000 runs of a level that changes slowly, with 0.5 % of normal noise. */
static void drift(void)
{
    static const struct {
        const char *name;
        double slope, amplitude, period;
    } drifts[] = {
        {"rises by 1 %", 0.01, 0, 1},
        {"rises by 5 %", 0.05, 0, 1},
        {"swings by +-0.3 % in 200 runs", 0, 0.003, 200},
        {"swings by +-1 % in 200 runs", 0, 0.01, 200},
    };
    printf("\nShifts reported in 1000 runs whose level changes slowly, 0.5 %% of normal noise\n");
    for (size_t d = 0; d < sizeof drifts / sizeof *drifts; d++) {
        static double values[LENGTH];
        static struct lab_shift shifts[LENGTH];
        struct lab_random random = {2};
        size_t found = 0;
        for (size_t i = 0; i < SERIES; i++) {
            series(&lab_noises[0], 0.005, NULL, &random, values, LENGTH);
            for (size_t k = 0; k < LENGTH; k++)
                values[k] *= exp(drifts[d].slope * (double)k / LENGTH +
                                 drifts[d].amplitude * sin(6.2832 * (double)k / drifts[d].period));
            found += lab_shifts_find(values, NULL, LENGTH, &defaults, shifts);
        }
        printf("%-34s %8.2f\n", drifts[d].name, (double)found / SERIES);
    }
}

/* --- detection ---------------------------------------------------------------------------------------------------- */

/* One shift after `before` runs; how often it is found within AFTER runs, and how late. A shift that is found counts
 * when it is at most 2 runs from the right one and has the right direction, else it is misplaced. */
static void detect(const struct lab_noise *noise, double sd, double size, size_t before)
{
    double delays[TRIALS];
    size_t found = 0;
    size_t misplaced = 0;
    struct lab_random random = {3};
    for (size_t t = 0; t < TRIALS; t++) {
        double values[BEFORE_MAX + AFTER];
        struct lab_shift shifts[BEFORE_MAX + AFTER];
        series(noise, sd, NULL, &random, values, before + AFTER);
        for (size_t i = before; i < before + AFTER; i++)
            values[i] *= 1 + size;
        size_t count = lab_shifts_find(values, NULL, before + AFTER, &defaults, shifts);
        bool right = false;
        for (size_t k = 0; k < count; k++) {
            bool near = shifts[k].index + 2 >= before && shifts[k].index <= before + 2 && shifts[k].size > 0;
            if (near && !right)
                delays[found++] = (double)(shifts[k].found + 1 - before);
            right = right || near;
            misplaced += !near;
        }
    }
    printf(" %5.0f", 100.0 * (double)found / TRIALS);
    if (found > TRIALS / 20) {
        lab_sort(delays, found);
        printf(" %4.0f %4.0f", lab_quantile(delays, found, 0.5), lab_quantile(delays, found, 0.9));
    } else {
        printf(" %4s %4s", "-", "-");
    }
    printf(" %4.0f", 100.0 * (double)misplaced / TRIALS);
}

static void detection(size_t before)
{
    printf("\nShifts after %zu runs: found within %d runs (%%), delay in runs (median, 90 %%), misplaced (%%)\n%-34s",
           before, AFTER, "");
    for (size_t k = 0; k < SIZES; k++)
        printf("  shift of %.0f %%          ", 100 * sizes[k]);
    printf("\n");
    for (size_t n = 0; n < lab_noise_count; n++)
        for (size_t s = 0; s < SPREADS; s++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %.1f %%", lab_noises[n].name, 100 * spreads[s]);
            printf("%-34s", name);
            for (size_t k = 0; k < SIZES; k++) {
                printf("  ");
                detect(&lab_noises[n], spreads[s], sizes[k], before);
            }
            printf("\n");
        }
}

/* --- time --------------------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_of_one_series(void)
{
    double values[LENGTH];
    struct lab_shift shifts[LENGTH];
    struct lab_random random = {4};
    series(&lab_noises[0], 0.01, NULL, &random, values, LENGTH);
    double start = seconds();
    for (size_t i = 0; i < SERIES; i++)
        lab_shifts_find(values, NULL, LENGTH, &defaults, shifts);
    double time = (seconds() - start) / SERIES;
    printf("\n%d values: %.2f ms\n", LENGTH, 1e3 * time);
    return time;
}

int main(int argc, char **argv)
{
    struct lab_recorded *recorded = NULL;
    size_t recorded_count = lab_recorded_read((const char *const *)argv + 1, (size_t)argc - 1, 20, &recorded);
    false_alarms(recorded, recorded_count);
    drift();
    detection(BEFORE_MAX);
    detection(10);
    return time_of_one_series() > 0.005;
}
