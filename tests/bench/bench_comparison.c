/* Measures how often the intervals and verdicts of server/analysis/comparison.h are wrong, on generated noise and on
 * recorded samples. server/analysis/STATISTICS.md has the results.
 *
 *     bench_comparison [FILE...]
 *
 * A FILE is a response of GET /api/v1/runs/{id}/measurements?samples=true. Seeds are fixed: the same program prints the same
 * figures, but for the times in the last lines. Columns: "covers" is the share of intervals that contain the true ratio (95 %
 * asked for), "width" the median of their widths; then the shares of the verdicts. All in percent. The exit code is 1 when
 * 1000 comparisons of 100 samples with 100 take more than 50 ms.
 */
#include "noise.h"

#include "analysis/comparison.h"
#include "analysis/variation.h"
#include "core/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIALS = 2000, VALUES_MAX = 1000 };

/* Counts of many comparisons. */
struct rates {
    size_t trials, covering, verdicts[4];
    double widths[TRIALS];
};

static void count(struct rates *rates, const struct lab_comparison *comparison, double truth)
{
    rates->widths[rates->trials++] = fmin(comparison->high - comparison->low, 1);
    rates->covering += comparison->low <= truth && comparison->high >= truth;
    rates->verdicts[comparison->verdict]++;
}

static void print(const char *name, size_t size, struct rates *rates)
{
    double scale = 100 / (double)rates->trials;
    printf("%-34s %5zu %8.1f %8.2f", name, size, (double)rates->covering * scale,
           100 * lab_median(rates->widths, rates->trials));
    for (int v = LAB_FASTER; v <= LAB_UNCLEAR; v++)
        printf(" %8.1f", (double)rates->verdicts[v] * scale);
    printf("\n");
}

static void heading(const char *title, const char *size)
{
    printf("\n%s\n%-34s %5s %8s %8s %8s %8s %8s %8s\n", title, "", size, "covers", "width", "faster", "slower", "same",
           "unclear");
}

static const struct lab_comparison_options defaults = LAB_COMPARISON_DEFAULTS;

/* --- samples of two runs ---------------------------------------------------------------------------------------------- */

static const size_t sizes[] = {6, 10, 30, 100, 1000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

static void generated_samples(const char *title, double truth, double sd)
{
    heading(title, "n");
    for (size_t k = 0; k < lab_noise_count; k++)
        for (size_t s = 0; s < SIZE_COUNT; s++) {
            struct rates rates = {0};
            struct lab_random random = {1};
            for (size_t t = 0; t < TRIALS; t++) {
                double base[VALUES_MAX], head[VALUES_MAX];
                struct lab_comparison comparison;
                lab_noise_series(&lab_noises[k], &random, 1, sd, base, sizes[s]);
                lab_noise_series(&lab_noises[k], &random, truth, sd, head, sizes[s]);
                lab_compare_samples(base, sizes[s], head, sizes[s], &defaults, &comparison);
                count(&rates, &comparison, truth);
            }
            print(lab_noises[k].name, sizes[s], &rates);
        }
}

static void resampled(const struct lab_recorded *recorded, size_t recorded_count)
{
    heading("Recorded samples, both sides resampled from one measurement", "n");
    for (size_t s = 1; s < SIZE_COUNT - 1; s++) {
        struct rates rates = {0};
        struct lab_random random = {2};
        for (size_t t = 0; t < TRIALS; t++) {
            double base[VALUES_MAX], head[VALUES_MAX];
            struct lab_comparison comparison;
            const struct lab_recorded *one = &recorded[lab_random_index(&random, recorded_count)];
            lab_recorded_resample(one, &random, base, sizes[s]);
            lab_recorded_resample(one, &random, head, sizes[s]);
            lab_compare_samples(base, sizes[s], head, sizes[s], &defaults, &comparison);
            count(&rates, &comparison, 1);
        }
        print("resampled", sizes[s], &rates);
    }
}

/* Recordings of which both halves are compared: what two runs at once show, drift within the point included. */
static void halves(const struct lab_recorded *recorded, size_t recorded_count)
{
    heading("Recorded samples, the first half of a measurement with the second (n: at least)", "n");
    for (size_t s = 1; s < SIZE_COUNT - 1; s++) {
        struct rates rates = {0};
        for (size_t i = 0; i < recorded_count && rates.trials < TRIALS; i++) {
            struct lab_comparison comparison;
            size_t half = recorded[i].count / 2;
            if (half < sizes[s])
                continue;
            lab_compare_samples(recorded[i].samples, half, recorded[i].samples + half, half, &defaults, &comparison);
            count(&rates, &comparison, 1);
        }
        if (rates.trials > 0)
            print("halves", sizes[s], &rates);
    }
}

/* --- rounds and runs -------------------------------------------------------------------------------------------------- */

/* Rounds: both sides share slow changes of the machine (correlation 0.9, 1 %) and have noise of their own (0.3 %). */
static void rounds(double truth)
{
    static const size_t counts[] = {5, 6, 10, 20, 50, 200};
    heading(truth == 1 ? "Rounds, true ratio 1" : "Rounds, true ratio 1.02", "n");
    for (size_t k = 0; k < lab_noise_count; k++)
        for (size_t s = 0; s < sizeof counts / sizeof *counts; s++) {
            struct rates rates = {0};
            struct lab_random random = {3};
            for (size_t t = 0; t < TRIALS; t++) {
                double base[VALUES_MAX], head[VALUES_MAX], machine[VALUES_MAX];
                struct lab_comparison comparison;
                lab_noise_series(&lab_noises[7], &random, 1, 0.01, machine, counts[s]);
                lab_noise_series(&lab_noises[k], &random, 1, 0.003, base, counts[s]);
                lab_noise_series(&lab_noises[k], &random, truth, 0.003, head, counts[s]);
                for (size_t i = 0; i < counts[s]; i++) {
                    base[i] *= machine[i];
                    head[i] *= machine[i];
                }
                lab_compare_rounds(base, head, counts[s], &defaults, &comparison);
                count(&rates, &comparison, truth);
            }
            print(lab_noises[k].name, counts[s], &rates);
        }
}

static void several_runs(void)
{
    static const size_t counts[] = {2, 3, 5, 10};
    heading("Several runs of each side, 0.5 % between runs", "runs");
    for (size_t k = 0; k < lab_noise_count; k++)
        for (size_t s = 0; s < sizeof counts / sizeof *counts; s++) {
            struct rates rates = {0};
            struct lab_random random = {4};
            for (size_t t = 0; t < TRIALS; t++) {
                double base[VALUES_MAX], head[VALUES_MAX];
                struct lab_comparison comparison;
                lab_noise_series(&lab_noises[k], &random, 1, 0.005, base, counts[s]);
                lab_noise_series(&lab_noises[k], &random, 1, 0.005, head, counts[s]);
                lab_compare_runs(base, counts[s], head, counts[s], &defaults, &comparison);
                count(&rates, &comparison, 1);
            }
            print(lab_noises[k].name, counts[s], &rates);
        }
}

/* One run of each side, 100 samples with 0.5 % noise, and levels that vary between runs; with a history of `runs` medians, or
 * without one. */
static void one_run_each(double between, size_t runs)
{
    struct rates rates = {0};
    struct lab_random random = {5};
    for (size_t t = 0; t < TRIALS; t++) {
        double base[100], head[100], history[VALUES_MAX];
        struct lab_comparison comparison;
        struct lab_comparison_options options = defaults;
        lab_noise_series(&lab_noises[0], &random, 1, between, history, runs);
        options.variation = lab_run_variation(history, runs);
        options.variation_runs = runs;
        lab_noise_series(&lab_noises[0], &random, exp(between * lab_random_normal(&random)), 0.005, base, 100);
        lab_noise_series(&lab_noises[0], &random, exp(between * lab_random_normal(&random)), 0.005, head, 100);
        lab_compare_samples(base, 100, head, 100, &options, &comparison);
        count(&rates, &comparison, 1);
    }
    char name[64];
    snprintf(name, sizeof name, "%.1f %% between runs", 100 * between);
    print(name, runs, &rates);
}

static void histories(void)
{
    static const double between[] = {0.002, 0.005, 0.01};
    static const size_t counts[] = {0, 5, 10, 30, 100};
    heading("One run of each side, and a history", "runs");
    for (size_t b = 0; b < sizeof between / sizeof *between; b++)
        for (size_t s = 0; s < sizeof counts / sizeof *counts; s++)
            one_run_each(between[b], counts[s]);
}

/* --- time ------------------------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_of(size_t size, size_t repeats)
{
    struct lab_random random = {6};
    double *base = calloc(2 * size, sizeof *base);
    if (base == NULL)
        abort();
    lab_noise_series(&lab_noises[6], &random, 1, 0.01, base, 2 * size);
    double start = seconds();
    for (size_t i = 0; i < repeats; i++) {
        struct lab_comparison comparison;
        lab_compare_samples(base, size, base + size, size, &defaults, &comparison);
    }
    double time = seconds() - start;
    free(base);
    printf("%zu comparisons of %zu samples with %zu: %.1f ms\n", repeats, size, size, 1e3 * time);
    return time;
}

int main(int argc, char **argv)
{
    generated_samples("Samples with 1 % noise, true ratio 1", 1, 0.01);
    generated_samples("Samples with 1 % noise, true ratio 1.02", 1.02, 0.01);
    if (argc > 1) {
        struct lab_recorded *recorded;
        size_t recorded_count = lab_recorded_read((const char *const *)argv + 1, (size_t)argc - 1, 20, &recorded);
        resampled(recorded, recorded_count);
        halves(recorded, recorded_count);
    }
    rounds(1);
    rounds(1.02);
    several_runs();
    histories();
    printf("\n");
    time_of(1000000, 1);
    return time_of(100, 1000) > 0.05;
}
