/* Measures how often the intervals and verdicts of server/analysis/comparison.h are wrong, on generated noise and on
 * recorded comparisons of equal sides. server/analysis/STATISTICS.md has the results.
 *
 *     bench_comparison tests/bench/equal_sides_1.json tests/bench/equal_sides_2.json
 *
 * Seeds are fixed: the same program prints the same figures, but for the times in the last lines. Columns: "covers" is
 * the share of intervals that contain the true ratio (95 % asked for), "width" the median of their widths; then the
 * shares of the verdicts. All in percent. The exit code is 1 when a recorded run of equal sides has a point that is
 * called different, or 1000 comparisons of 100 samples with 100 take more than 50 ms.
 */
#include "noise.h"

#include "analysis/comparison.h"
#include "analysis/variation.h"
#include "core/order.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIALS = 2000, VALUES_MAX = 1000, POINTS_MAX = 256 };

/* Counts of many comparisons. */
struct rates {
    size_t trials, covering, verdicts[LAB_VERDICTS];
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

static void must(bool good)
{
    if (!good) {
        fputs("bench_comparison: out of memory\n", stderr);
        exit(2);
    }
}

static void judge(struct lab_comparison *comparisons, size_t n)
{
    must(lab_judge(comparisons, n, LAB_MINIMUM_EFFECT));
}

/* --- samples of two runs ------------------------------------------------------------------------------------------ */

static const struct lab_run_history unknown = {.variation = (double)NAN};

static const size_t sizes[] = {6, 10, 30, 100, 1000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

static void generated_samples(void)
{
    heading("Samples with 1 % noise, without a history", "n");
    for (size_t k = 0; k < lab_noise_count; k++)
        for (size_t s = 0; s < SIZE_COUNT; s++) {
            struct rates rates = {0};
            struct lab_random random = {1};
            for (size_t t = 0; t < TRIALS; t++) {
                double base[VALUES_MAX], head[VALUES_MAX];
                struct lab_comparison comparison;
                lab_noise_series(&lab_noises[k], &random, 1, 0.01, base, sizes[s]);
                lab_noise_series(&lab_noises[k], &random, 1, 0.01, head, sizes[s]);
                must(lab_compare_samples(base, sizes[s], head, sizes[s], &unknown, &comparison));
                judge(&comparison, 1);
                count(&rates, &comparison, 1);
            }
            print(lab_noises[k].name, sizes[s], &rates);
        }
}

/* One run of each side, 100 samples with 0.5 % noise, and levels that vary between runs, of which `runs` are in the
 * history. */
static void one_run_each(const struct lab_noise *noise, double between, size_t runs, double truth)
{
    struct rates rates = {0};
    struct lab_random random = {5};
    for (size_t t = 0; t < TRIALS; t++) {
        double base[100], head[100], levels[VALUES_MAX];
        struct lab_comparison comparison;
        lab_noise_series(noise, &random, 1, between, levels, runs + 2);
        const struct lab_run_history history = {lab_run_variation(levels, runs), runs};
        lab_noise_series(&lab_noises[0], &random, levels[runs], 0.005, base, 100);
        lab_noise_series(&lab_noises[0], &random, truth * levels[runs + 1], 0.005, head, 100);
        must(lab_compare_samples(base, 100, head, 100, &history, &comparison));
        judge(&comparison, 1);
        count(&rates, &comparison, truth);
    }
    char name[64];
    snprintf(name, sizeof name, "%s, %.1f %% between runs", noise->name, 100 * between);
    print(name, runs, &rates);
}

static void histories(double truth)
{
    static const double between[] = {0.002, 0.005, 0.01};
    static const size_t counts[] = {5, 10, 30};
    heading(truth == 1 ? "One run of each side, and a history; true ratio 1" : "The same, true ratio 1.05", "runs");
    for (size_t k = 0; k < lab_noise_count; k++)
        for (size_t b = 0; b < sizeof between / sizeof *between; b++)
            for (size_t s = 0; s < sizeof counts / sizeof *counts; s++)
                one_run_each(&lab_noises[k], between[b], counts[s], truth);
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static void blocks(double truth)
{
    static const size_t counts[] = {3, 4, 8, 16, 32};
    heading(truth == 1 ? "Blocks with 0.3 % noise, true ratio 1" : "Blocks with 0.3 % noise, true ratio 1.02", "n");
    for (size_t k = 0; k < lab_noise_count; k++)
        for (size_t s = 0; s < sizeof counts / sizeof *counts; s++) {
            struct rates rates = {0};
            struct lab_random random = {3};
            for (size_t t = 0; t < TRIALS; t++) {
                double ratios[VALUES_MAX];
                struct lab_comparison comparison;
                lab_noise_series(&lab_noises[k], &random, truth, 0.003, ratios, counts[s]);
                for (size_t i = 0; i < counts[s]; i++)
                    ratios[i] = log(ratios[i]);
                lab_compare_blocks(ratios, counts[s], 1, truth, &comparison);
                judge(&comparison, 1);
                count(&rates, &comparison, truth);
            }
            print(lab_noises[k].name, counts[s], &rates);
        }
}

/* --- recorded comparisons of equal sides -------------------------------------------------------------------------- */

/* A run that was compared with itself: of each point the logarithms of the ratios of its blocks. */
struct equal_run {
    size_t point_count;
    struct equal_point {
        double *ratios;
        size_t count;
    } points[POINTS_MAX];
};

/* Reads tests/bench/equal_sides_*.json. Returns the number of runs, which are never freed. */
static size_t read_equal_runs(const char *path, struct equal_run **runs)
{
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error), *list = json_object_get(document, "runs"), *run, *point, *value;
    size_t r, p, i;
    if (document == NULL) {
        fprintf(stderr, "bench_comparison: %s: %s\n", path, error.text);
        exit(2);
    }
    *runs = calloc(json_array_size(list) + 1, sizeof **runs);
    must(*runs != NULL);
    json_array_foreach(list, r, run)
    {
        json_array_foreach(json_object_get(run, "points"), p, point)
        {
            struct equal_point *to = &(*runs)[r].points[(*runs)[r].point_count++];
            to->ratios = calloc(json_array_size(point) + 1, sizeof *to->ratios);
            must(to->ratios != NULL);
            json_array_foreach(point, i, value)
            {
                to->ratios[to->count++] = 1e-6 * json_number_value(value);
            }
        }
    }
    size_t count_of = json_array_size(list);
    json_decref(document);
    return count_of;
}

/* What the verdicts about equal sides, or about sides of which one point differs, came to. */
struct tally {
    size_t runs, false_runs, points, false_points, unclear, same;
    size_t steady, steady_unclear;       /* points whose blocks vary by less than 0.5 % */
    size_t planted, found;               /* differences */
    size_t detectable, detectable_found; /* those of which the comparison says that they would be found */
};

/* Fills `ratios` with the blocks of the point; `random`: in each, base and head are exchanged or not, which equal sides
 * permit, and `n` > 0 of them are drawn. */
static size_t draw(const struct equal_point *point, size_t n, struct lab_random *random, double *ratios)
{
    size_t drawn = n > 0 ? n : point->count;
    for (size_t i = 0; i < drawn; i++) {
        double ratio = point->ratios[n > 0 ? lab_random_index(random, point->count) : i];
        ratios[i] = random != NULL && lab_random_index(random, 2) == 0 ? -ratio : ratio;
    }
    return drawn;
}

/* Whether enough of the point was recorded that more can be drawn. */
static bool can_be_drawn(const struct equal_point *point)
{
    return point->count >= 6;
}

/* Judges a run; `random`: with blocks that are drawn, `n` a point, and a difference of the size `planted` in one
 * point. */
static void judge_run(const struct equal_run *run, size_t n, struct lab_random *random, double planted,
                      struct tally *tally)
{
    static struct lab_comparison comparisons[POINTS_MAX];
    size_t chosen = planted > 0 ? lab_random_index(random, run->point_count) : SIZE_MAX, wrong = 0;
    if (chosen < run->point_count && !can_be_drawn(&run->points[chosen]))
        return;
    for (size_t i = 0; i < run->point_count; i++) {
        double ratios[VALUES_MAX];
        size_t count_of = draw(&run->points[i], can_be_drawn(&run->points[i]) ? n : 0, random, ratios);
        for (size_t k = 0; k < count_of && i == chosen; k++)
            ratios[k] += log1p(planted);
        lab_compare_blocks(ratios, count_of, 1, 1, &comparisons[i]);
    }
    judge(comparisons, run->point_count);
    for (size_t i = 0; i < run->point_count; i++) {
        const struct lab_comparison *c = &comparisons[i];
        bool differs = c->verdict == LAB_FASTER || c->verdict == LAB_SLOWER;
        if (i == chosen) {
            tally->planted++;
            tally->found += c->verdict == LAB_SLOWER;
            tally->detectable += c->detectable <= planted;
            tally->detectable_found += c->detectable <= planted && c->verdict == LAB_SLOWER;
            continue;
        }
        bool is_steady = c->error * sqrt(c->degrees + 1) < 0.005;
        wrong += differs;
        tally->unclear += c->verdict == LAB_UNCLEAR;
        tally->same += c->verdict == LAB_SAME;
        tally->steady += is_steady;
        tally->steady_unclear += is_steady && c->verdict == LAB_UNCLEAR;
        tally->points++;
    }
    tally->runs++;
    tally->false_points += wrong;
    tally->false_runs += wrong > 0;
}

/* The probability of at most `k` of `n` with the probability p each. */
static double at_most(size_t k, size_t n, double p)
{
    double sum = 0;
    for (size_t i = 0; i <= k; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return sum;
}

/* The one-sided upper bound, at 95 %, of a share of which `k` of `n` were seen (Clopper and Pearson). */
static double bound(size_t k, size_t n)
{
    double low = (double)k / (double)n, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (at_most(k, n, middle) > 0.05)
            low = middle;
        else
            high = middle;
    }
    return k == n ? 1 : high;
}

static void print_false(const char *name, const struct tally *t)
{
    printf(
        "%-10s %6zu runs, %4zu with a false verdict (at most %.2g %%); %7zu points, %4zu false (at most %.2g %%), %zu same, "
        "%zu unclear; of %zu whose blocks vary by less than 0.5 %%, %.1f %% unclear\n",
        name, t->runs, t->false_runs, 100 * bound(t->false_runs, t->runs), t->points, t->false_points,
        100 * bound(t->false_points, t->points), t->same, t->unclear, t->steady,
        100 * (double)t->steady_unclear / (double)(t->steady > 0 ? t->steady : 1));
}

/* Returns whether too many verdicts about the measured runs are false. */
static bool equal_sides(const char *path)
{
    static const double planted[] = {0.01, 0.02, 0.05, 0.1};
    static const size_t counts[] = {3, 4, 8, 16, 32};
    enum { DRAWN = 10000 };
    struct equal_run *runs;
    size_t run_count = read_equal_runs(path, &runs);
    struct tally measured = {0}, exchanged = {0};
    struct lab_random random = {7};
    for (size_t i = 0; i < run_count; i++)
        judge_run(&runs[i], 0, NULL, 0, &measured);
    for (size_t i = 0; i < DRAWN; i++)
        judge_run(&runs[i % run_count], 0, &random, 0, &exchanged);
    printf("\nEqual sides, %s\n", path);
    print_false("measured", &measured);
    print_false("exchanged", &exchanged);
    printf("%-28s %8s %8s %8s %8s   of those said to be detectable\n", "one point is slower by", "1 %", "2 %", "5 %",
           "10 %");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        char detectable[128] = "";
        printf("%4zu blocks: found, in %%     ", counts[c]);
        for (size_t p = 0; p < sizeof planted / sizeof *planted; p++) {
            struct tally tally = {0};
            for (size_t i = 0; i < DRAWN; i++)
                judge_run(&runs[i % run_count], counts[c], &random, planted[p], &tally);
            printf(" %8.1f", 100 * (double)tally.found / (double)tally.planted);
            size_t used = strlen(detectable);
            if (tally.detectable > 0)
                snprintf(detectable + used, sizeof detectable - used, " %8.1f",
                         100 * (double)tally.detectable_found / (double)tally.detectable);
            else
                snprintf(detectable + used, sizeof detectable - used, " %8s", "-");
        }
        printf("  %s\n", detectable);
    }
    return measured.false_runs > 0;
}

/* --- time --------------------------------------------------------------------------------------------------------- */

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
    must(base != NULL);
    lab_noise_series(&lab_noises[6], &random, 1, 0.01, base, 2 * size);
    double start = seconds();
    for (size_t i = 0; i < repeats; i++) {
        struct lab_comparison comparison;
        must(lab_compare_samples(base, size, base + size, size, &unknown, &comparison));
    }
    double time = seconds() - start;
    free(base);
    printf("%zu comparisons of %zu samples with %zu: %.1f ms\n", repeats, size, size, 1e3 * time);
    return time;
}

int main(int argc, char **argv)
{
    bool too_many = false;
    generated_samples();
    histories(1);
    histories(1.05);
    blocks(1);
    blocks(1.02);
    for (int i = 1; i < argc; i++)
        too_many = equal_sides(argv[i]) || too_many;
    printf("\n");
    time_of(1000000, 1);
    return time_of(100, 1000) > 0.05 || too_many;
}
