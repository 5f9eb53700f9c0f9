/* Finds shifts by a two-sample test at every run of the current level, repeated with each new run. */
#include "analysis/shifts.h"

#include "analysis/distributions.h"
#include "analysis/variation.h"
#include "core/order.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Deviations from the level count at most this many standard deviations, so that no single run makes a shift. */
static const double deviation_max = 3;

/* Variation below this share of the minimum size counts as this share: it does not matter, and may be 0 in rounded
 * values. */
static const double variation_min = 0.1;

/* Successive runs that correlate more strongly than this are drift, not a shift. */
static const double correlation_max = 0.9;

/* Degrees of freedom of the spread for each run that it is estimated from; see degrees_per_difference in
 * comparison.c. */
static const double degrees_per_run = 0.5;

/* The runs of the current level, at most the last LAB_SHIFT_WINDOW. */
struct level {
    size_t count, before_min;
    size_t index[LAB_SHIFT_WINDOW];
    double logarithms[LAB_SHIFT_WINDOW];
    double sorted[LAB_SHIFT_WINDOW]; /* the same logarithms */
    double errors[LAB_SHIFT_WINDOW];
};

/* The last LAB_SHIFT_WINDOW absolute differences between a run and the one `lag` runs before it, whatever their
 * levels. */
struct differences {
    size_t count; /* of all differences so far */
    double values[LAB_SHIFT_WINDOW];
    double sorted[LAB_SHIFT_WINDOW]; /* the same values */
};

struct noise {
    size_t count;   /* of runs so far */
    double last[2]; /* the last run and the one before */
    struct differences lags[2];
};

/* Forgets the first `count` runs. */
static void forget(struct level *level, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lab_sorted_remove(level->sorted, level->count - i, level->logarithms[i]);
    level->count -= count;
    memmove(level->index, level->index + count, level->count * sizeof *level->index);
    memmove(level->logarithms, level->logarithms + count, level->count * sizeof *level->logarithms);
    memmove(level->errors, level->errors + count, level->count * sizeof *level->errors);
}

static void add(struct level *level, size_t index, double logarithm, double error)
{
    if (level->count == LAB_SHIFT_WINDOW)
        forget(level, 1);
    lab_sorted_insert(level->sorted, level->count, logarithm);
    level->index[level->count] = index;
    level->logarithms[level->count] = logarithm;
    level->errors[level->count] = error;
    level->count++;
}

static size_t kept(const struct differences *differences)
{
    return differences->count < LAB_SHIFT_WINDOW ? differences->count : LAB_SHIFT_WINDOW;
}

static void add_difference(struct differences *differences, double value)
{
    double *oldest = &differences->values[differences->count % LAB_SHIFT_WINDOW];
    size_t others = kept(differences);
    if (others == LAB_SHIFT_WINDOW)
        lab_sorted_remove(differences->sorted, others--, *oldest);
    lab_sorted_insert(differences->sorted, others, value);
    *oldest = value;
    differences->count++;
}

static void add_noise(struct noise *noise, double logarithm)
{
    for (size_t lag = 1; lag <= 2; lag++)
        if (noise->count >= lag)
            add_difference(&noise->lags[lag - 1], fabs(logarithm - noise->last[lag - 1]));
    noise->last[1] = noise->last[0];
    noise->last[0] = logarithm;
    noise->count++;
}

static double typical_difference(const struct noise *noise, size_t lag)
{
    const struct differences *differences = &noise->lags[lag - 1];
    return lab_quantile(differences->sorted, kept(differences), 0.5);
}

/* The standard deviation that independent runs would need for their means to vary as the means of these runs do. Where
 * a run resembles the one before with the correlation r, differences two runs apart have 1 + r times the variance of
 * those of consecutive runs, and the mean of many runs has (1 + r) / (1 - r)^2 times the variance that the latter
 * suggest. */
static double spread_of(const struct noise *noise)
{
    double one = typical_difference(noise, 1);
    double two = typical_difference(noise, 2);
    double correlation = one > 0 ? fmin(fmax(two * two / (one * one) - 1, 0), correlation_max) : 0;
    return lab_variation_of_difference(one) * sqrt(1 + correlation) / (1 - correlation);
}

/* The split of the level's runs whose sides differ most. */
struct split {
    size_t position;
    double p; /* of the largest of all differences that were tried (Bonferroni) */
};

/* The normal deviate that is exceeded as rarely as t by Student's t (Wallace 1959, within 2 %). */
static double normal_deviate(double t_squared, double degrees)
{
    return (8 * degrees + 1) / (8 * degrees + 3) * sqrt(degrees * log1p(t_squared / degrees));
}

/* Deviations of the runs from the level's median, in units of the spread. */
static void standardise(const struct level *level, double spread, double *deviations)
{
    double centre = lab_quantile(level->sorted, level->count, 0.5);
    for (size_t i = 0; i < level->count; i++) {
        double deviation = (level->logarithms[i] - centre) / (level->errors[i] > spread ? level->errors[i] : spread);
        deviations[i] = deviation > deviation_max    ? deviation_max
                        : deviation < -deviation_max ? -deviation_max
                                                     : deviation;
    }
}

static struct split best_split(const struct level *level, const struct noise *noise,
                               const struct lab_shift_options *options)
{
    double deviations[LAB_SHIFT_WINDOW] = {0};
    standardise(level, fmax(spread_of(noise), variation_min * options->minimum_size), deviations);
    double total = 0;
    for (size_t i = 0; i < level->count; i++)
        total += deviations[i];

    struct split best = {0, 1};
    double largest = -1; /* of t^2 */
    double before = 0;
    double n = (double)level->count;
    size_t last = level->count - LAB_SHIFT_RUNS_AFTER;
    for (size_t i = 1; i <= last; i++) {
        before += deviations[i - 1];
        double k = (double)i;
        double difference_of_sums = k * total - n * before;
        double t_squared = difference_of_sums * difference_of_sums / (n * k * (n - k));
        if (i >= level->before_min && t_squared > largest) {
            largest = t_squared;
            best.position = i;
        }
    }
    double z = normal_deviate(largest, degrees_per_run * (double)(kept(&noise->lags[0]) + 1));
    best.p = fmin(1, (double)(last - level->before_min + 1) * lab_normal_two_sided(z));
    return best;
}

static double median_of(const double *values, size_t count)
{
    double copy[LAB_SHIFT_WINDOW];
    memcpy(copy, values, count * sizeof *copy);
    return lab_median(copy, count);
}

/* Sets *shift and returns true when the level changed within its runs. */
static bool find(const struct level *level, const struct noise *noise, const struct lab_shift_options *options,
                 struct lab_shift *shift, size_t *position)
{
    if (level->count < level->before_min + LAB_SHIFT_RUNS_AFTER)
        return false;
    struct split split = best_split(level, noise, options);
    if (split.p > options->significance)
        return false;
    size_t k = split.position;
    double step = median_of(level->logarithms + k, level->count - k) - median_of(level->logarithms, k);
    if (fabs(step) < log1p(options->minimum_size))
        return false;
    *position = k;
    *shift = (struct lab_shift){.index = level->index[k], .found = level->index[level->count - 1], .p = split.p};
    return true;
}

static bool usable(double value)
{
    return value > 0 && isfinite(value);
}

/* The median of the usable values at `from` and after it, or before it when `step` is -1, up to and without `end`. */
static double level_at(const double *values, size_t from, size_t end, int step)
{
    double found[LAB_SHIFT_WINDOW];
    size_t count = 0;
    for (size_t i = from; i != end && count < LAB_SHIFT_WINDOW; i += (size_t)step)
        if (usable(values[i]))
            found[count++] = values[i];
    return lab_median(found, count);
}

/* Sets the levels on both sides of shift `k`. */
static void set_levels(const double *values, size_t count, struct lab_shift *shifts, size_t shift_count, size_t k)
{
    size_t begin = k == 0 ? 0 : shifts[k - 1].index;
    size_t end = k + 1 == shift_count ? count : shifts[k + 1].index;
    shifts[k].before = level_at(values, shifts[k].index - 1, begin - 1, -1);
    shifts[k].after = level_at(values, shifts[k].index, end, 1);
    shifts[k].size = shifts[k].after / shifts[k].before - 1;
}

/* Sets the levels and removes shifts below the minimum size; returns how many are left. */
static size_t settle(const double *values, size_t count, const struct lab_shift_options *options,
                     struct lab_shift *shifts, size_t shift_count)
{
    size_t k = 0;
    while (k < shift_count) {
        set_levels(values, count, shifts, shift_count, k);
        if (fabs(log(shifts[k].after / shifts[k].before)) >= log1p(options->minimum_size)) {
            k++;
            continue;
        }
        shift_count--;
        memmove(&shifts[k], &shifts[k + 1], (shift_count - k) * sizeof *shifts);
        k -= k > 0; /* the level after the one before has become longer */
    }
    return shift_count;
}

size_t lab_shifts_find(const double *values, const double *errors, size_t count,
                       const struct lab_shift_options *options, struct lab_shift *shifts)
{
    size_t shift_count = 0;
    struct level level = {.before_min = LAB_SHIFT_RUNS_BEFORE};
    struct noise noise = {.last = {0}};
    for (size_t i = 0; i < count; i++) {
        size_t position;
        if (!usable(values[i]))
            continue;
        add_noise(&noise, log(values[i]));
        add(&level, i, log(values[i]), errors != NULL ? errors[i] : 0);
        if (!find(&level, &noise, options, &shifts[shift_count], &position))
            continue;
        forget(&level, position);
        level.before_min = LAB_SHIFT_RUNS_AFTER;
        shift_count++;
    }
    return settle(values, count, options, shifts, shift_count);
}

size_t lab_shift_runs_missing(const double *values, size_t count)
{
    size_t missing = LAB_SHIFT_RUNS_BEFORE + LAB_SHIFT_RUNS_AFTER;
    for (size_t i = 0; i < count && missing > 0; i++)
        missing -= usable(values[i]);
    return missing;
}
