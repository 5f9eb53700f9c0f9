/* Measures how often kernels/core/shape.h finds outliers, two levels and drift in noise that has none, how often it
 * finds those that there are, and what recorded samples have. In percent; seeds are fixed. kernels/measure/METHOD.md
 * has the results.
 *
 *     bench_shape [FILE...]
 *
 * FILE is a response of GET /api/v1/runs/{id}/measurements?samples=true.
 */
#include "noise.h"

#include "core/order.h"
#include "core/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 2000, SAMPLES_MAX = 1000 };

static const size_t counts[] = {15, 30, 100, 300, 1000};
enum { COUNTS = sizeof counts / sizeof *counts };

/* The bounds of server/analysis/cautions.c. */
static const double drift_min = 0.02, noise_max = 0.05;

static bool drifts(const struct lab_shape *shape)
{
    return fabs(shape->drift) >= drift_min && (shape->drift_low > 0 || shape->drift_high < 0);
}

static bool has_modes(const struct lab_shape *shape)
{
    return shape->has_modes;
}

static bool has_outliers(const struct lab_shape *shape)
{
    return shape->outliers > 0;
}

/* What is planted into noise: a change of `drift` from the first to the last sample; a level that is `mode` higher,
 * which each sample has with the probability `share`. */
struct planted {
    double drift, mode, share;
};

static double share_of(const struct lab_noise *noise, double sd, size_t count, const struct planted *planted,
                       bool (*has)(const struct lab_shape *shape))
{
    struct lab_random random = {1};
    size_t found = 0;
    for (size_t t = 0; t < TRIALS; t++) {
        double values[SAMPLES_MAX];
        struct lab_shape shape;
        lab_noise_series(noise, &random, 1, sd, values, count);
        for (size_t i = 0; i < count; i++) {
            values[i] *= 1 + planted->drift * (double)i / (double)(count - 1);
            if (planted->share > 0 && lab_random_uniform(&random) < planted->share)
                values[i] *= 1 + planted->mode;
        }
        if (!lab_shape_find(values, count, &shape))
            exit(2);
        found += has(&shape);
    }
    return 100.0 * (double)found / TRIALS;
}

static void print_titles(const char *title)
{
    printf("\n%s\n%-16s", title, "");
    for (size_t c = 0; c < COUNTS; c++)
        printf(" %6zu", counts[c]);
    printf("\n");
}

/* A row for each kind of noise. */
static void print_kinds(const char *title, double sd, const struct planted *planted,
                        bool (*has)(const struct lab_shape *shape))
{
    print_titles(title);
    for (size_t k = 0; k < lab_noise_count; k++) {
        printf("%-16s", lab_noises[k].name);
        for (size_t c = 0; c < COUNTS; c++)
            printf(" %6.2f", share_of(&lab_noises[k], sd, counts[c], planted, has));
        printf("\n");
    }
}

/* A row for each thing that is planted into normal noise of 1 %. */
static void print_planted(const char *title, const struct planted *planted, size_t rows,
                          bool (*has)(const struct lab_shape *shape))
{
    print_titles(title);
    for (size_t r = 0; r < rows; r++) {
        printf("%-3.0f%% (%.0f %%)      ", 100 * (planted[r].drift + planted[r].mode), 100 * planted[r].share);
        for (size_t c = 0; c < COUNTS; c++)
            printf(" %6.1f", share_of(&lab_noises[0], 0.01, counts[c], &planted[r], has));
        printf("\n");
    }
}

/* --- recordings --------------------------------------------------------------------------------------------------- */

struct recorded_counts {
    size_t all, noisy, modes, bimodal, drifting, outliers;
};

static void count_recorded(const struct lab_recorded *recorded, struct recorded_counts *found)
{
    struct lab_shape shape;
    double *sorted = malloc(recorded->count * sizeof *sorted);
    if (sorted == NULL || !lab_shape_find(recorded->samples, recorded->count, &shape))
        exit(2);
    memcpy(sorted, recorded->samples, recorded->count * sizeof *sorted);
    lab_sort(sorted, recorded->count);
    bool noisy = lab_noise(lab_quantile(sorted, recorded->count, 0.5), lab_quantile(sorted, recorded->count, 0.25),
                           lab_quantile(sorted, recorded->count, 0.75)) > noise_max;
    free(sorted);
    found->all++;
    found->noisy += noisy;
    found->modes += shape.has_modes;
    found->bimodal += shape.has_modes && noisy;
    found->drifting += drifts(&shape);
    found->outliers += shape.outliers > 0;
}

static void print_recorded(const char *const *paths, size_t count)
{
    printf("\nRecorded measurements\n%-32s %6s %6s %6s %8s %8s %8s\n", "", "all", "noisy", "modes", "bimodal",
           "drifting", "outliers");
    for (size_t i = 0; i < count; i++) {
        struct lab_recorded *recorded;
        struct recorded_counts found = {0};
        size_t read = lab_recorded_read(&paths[i], 1, 3, &recorded);
        for (size_t r = 0; r < read; r++)
            count_recorded(&recorded[r], &found);
        printf("%-32s %6zu %6zu %6zu %8zu %8zu %8zu\n", paths[i], found.all, found.noisy, found.modes, found.bimodal,
               found.drifting, found.outliers);
    }
}

int main(int argc, char **argv)
{
    static const struct planted nothing = {0};
    static const struct planted drifting[] = {
        {.drift = 0.01}, {.drift = 0.02}, {.drift = 0.03}, {.drift = 0.05}, {.drift = 0.1}};
    static const struct planted levels[] = {
        {0, 0.04, 0.5}, {0, 0.06, 0.5}, {0, 0.1, 0.5}, {0, 0.1, 0.3}, {0, 0.1, 0.15}};
    print_kinds("Two levels, % of points without, noise 1 %", 0.01, &nothing, has_modes);
    print_kinds("Two levels, % of points without, noise 5 %", 0.05, &nothing, has_modes);
    print_kinds("Drift, % of points without, noise 1 %", 0.01, &nothing, drifts);
    print_kinds("Drift, % of points without, noise 2 %", 0.02, &nothing, drifts);
    print_kinds("Outliers, % of points with any, noise 1 %", 0.01, &nothing, has_outliers);
    print_planted("Two levels found, % of points with (share of the higher one)", levels,
                  sizeof levels / sizeof *levels, has_modes);
    print_planted("Drift found, % of points with", drifting, sizeof drifting / sizeof *drifting, drifts);
    if (argc > 1)
        print_recorded((const char *const *)argv + 1, (size_t)argc - 1);
    return 0;
}
