/* Finds outliers, modes and drift of samples. */
#include "core/shape.h"

#include "core/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double smallest = 0.01; /* of the median: outliers and modes that are nearer do not matter */

/* --- outliers ----------------------------------------------------------------------------------------------------- */

static const double fence = 3; /* distances of the quartiles */

/* Sorted values, or some of them that follow each other. */
struct part {
    const double *values;
    size_t count;
};

static double quantile_of(struct part part, double share)
{
    return lab_quantile(part.values, part.count, share);
}

/* Counts the values that are far below the quartiles of `low`, or above those of `high`: of all values, or of both
 * modes. */
static void find_outliers(struct lab_shape *shape, struct part all, struct part low, struct part high)
{
    double median = quantile_of(all, 0.5), least = smallest * fabs(median);
    double bottom = quantile_of(low, 0.25), top = quantile_of(high, 0.75);
    shape->fence_low = bottom - fmax(least, fence * (quantile_of(low, 0.75) - bottom));
    shape->fence_high = top + fmax(least, fence * (top - quantile_of(high, 0.25)));
    for (size_t i = 0; i < all.count; i++) {
        double value = all.values[i];
        if (value >= shape->fence_low && value <= shape->fence_high)
            continue;
        shape->outliers++;
        if (!(fabs(value - median) <= fabs(shape->farthest_outlier - median)))
            shape->farthest_outlier = value;
    }
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static const double mode_share_min = 0.1;
static const double valley_max = 0.5; /* samples in the valley / near the smaller mode */
static const double valley_z = 3;     /* standard deviations by which the valley has fewer samples than that mode */

/* The sum of the distances of `count` sorted values from their median; sums[i] is the sum of those before i. */
static double distances(const double *sums, size_t count)
{
    size_t half = count / 2;
    return (sums[count] - sums[count - half]) - (sums[half] - sums[0]);
}

/* Where the values divide best into two: the sum of the distances from the two medians is least. 0: too few values. */
static size_t best_division(struct part all, double *sums)
{
    double least = INFINITY;
    size_t best = 0, fewest = (size_t)ceil(mode_share_min * (double)all.count);
    sums[0] = 0;
    for (size_t i = 0; i < all.count; i++)
        sums[i + 1] = sums[i] + all.values[i];
    for (size_t at = fewest; at + fewest <= all.count; at++) {
        double sum = distances(sums, at) + distances(sums + at, all.count - at);
        if (sum < least) {
            least = sum;
            best = at;
        }
    }
    return best;
}

static double count_near(struct part all, double centre, double width)
{
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++)
        count += fabs(all.values[i] - centre) <= width / 2;
    return (double)count;
}

/* Whether there are clearly fewer values halfway between two levels than near each of them. Of values with one mode
 * there are in the middle of three equal ranges at least as many as in one of the others. */
static bool has_valley(struct part all, double low, double high)
{
    double width = (high - low) / 3;
    double near = fmin(count_near(all, low, width), count_near(all, high, width));
    double valley = count_near(all, (low + high) / 2, width);
    return valley <= valley_max * near && near - valley > valley_z * sqrt(near + valley);
}

/* Divides values into those of two levels, the `parts`. Returns false if there are none. `sums` has space for one more
 * than the values. */
static bool divide(struct part all, double *sums, struct part parts[2])
{
    size_t at = best_division(all, sums);
    if (at == 0)
        return false;
    parts[0] = (struct part){all.values, at};
    parts[1] = (struct part){all.values + at, all.count - at};
    double low = quantile_of(parts[0], 0.5), high = quantile_of(parts[1], 0.5);
    return high - low >= smallest * fabs(quantile_of(all, 0.5)) && has_valley(all, low, high);
}

/* Sets the modes if there are two, and no more. */
static void find_modes(struct lab_shape *shape, struct part all, double *sums, struct part parts[2])
{
    struct part further[2];
    shape->has_modes = divide(all, sums, parts) && !divide(parts[0], sums, further) && !divide(parts[1], sums, further);
    for (size_t i = 0; i < 2 && shape->has_modes; i++) {
        shape->modes[i] = quantile_of(parts[i], 0.5);
        shape->mode_shares[i] = (double)parts[i].count / (double)all.count;
    }
}

/* --- drift -------------------------------------------------------------------------------------------------------- */

enum { BLOCKS_MAX = 10, BLOCK_MIN = 3, SLOPES_MAX = BLOCKS_MAX * (BLOCKS_MAX - 1) / 2 };
static const double kendall_z = 2.576; /* 99 % */

/* Sets the change from the first block of samples to the last one: Theil and Sen's slope of the medians of the blocks,
 * with the interval of Kendall's test. `scratch` has space for the samples, which are in the order in which they were
 * taken. */
static void find_drift(struct lab_shape *shape, const double *samples, size_t count, double median, double *scratch)
{
    double medians[BLOCKS_MAX], slopes[SLOPES_MAX];
    size_t blocks = count / BLOCK_MIN < BLOCKS_MAX ? count / BLOCK_MIN : BLOCKS_MAX, pairs = 0;
    for (size_t i = 0; i < blocks; i++) {
        size_t from = i * count / blocks, length = (i + 1) * count / blocks - from;
        memcpy(scratch, samples + from, length * sizeof *scratch);
        medians[i] = lab_median(scratch, length);
        for (size_t k = 0; k < i; k++)
            slopes[pairs++] = (medians[i] - medians[k]) / (double)(i - k);
    }
    double n = (double)blocks;
    double rank = floor(((double)pairs - kendall_z * sqrt(n * (n - 1) * (2 * n + 5) / 18)) / 2);
    if (rank < 1 || median == 0)
        return;
    lab_sort(slopes, pairs);
    double scale = (n - 1) / fabs(median);
    shape->drift = lab_quantile(slopes, pairs, 0.5) * scale;
    shape->drift_low = slopes[(size_t)rank - 1] * scale;
    shape->drift_high = slopes[pairs - (size_t)rank] * scale;
}

/* --- the shape ---------------------------------------------------------------------------------------------------- */

/* Copies the finite samples to `finite`; returns how many. */
static size_t copy_finite(const double *samples, size_t count, double *finite)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(samples[i]))
            finite[kept++] = samples[i];
    return kept;
}

bool lab_shape_find(const double *samples, size_t count, struct lab_shape *shape)
{
    *shape = (struct lab_shape){.fence_low = NAN,
                                .fence_high = NAN,
                                .farthest_outlier = NAN,
                                .drift = NAN,
                                .drift_low = NAN,
                                .drift_high = NAN};
    double *taken = malloc((3 * count + 1) * sizeof *taken);
    if (taken == NULL)
        return false;
    double *sorted = taken + count, *scratch = sorted + count;
    size_t kept = copy_finite(samples, count, taken);
    if (kept > 0) {
        memcpy(sorted, taken, kept * sizeof *sorted);
        lab_sort(sorted, kept);
        struct part all = {sorted, kept}, parts[2];
        find_modes(shape, all, scratch, parts);
        find_outliers(shape, all, shape->has_modes ? parts[0] : all, shape->has_modes ? parts[1] : all);
        find_drift(shape, taken, kept, quantile_of(all, 0.5), scratch);
    }
    free(taken);
    return true;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void write_number(FILE *out, const char *before, double value)
{
    if (isfinite(value))
        fprintf(out, "%s%.17g", before, value);
    else
        fprintf(out, "%snull", before);
}

static void write_pair(FILE *out, const char *name, bool known, const double values[2])
{
    if (known)
        fprintf(out, ",\"%s\":[%.17g,%.17g]", name, values[0], values[1]);
    else
        fprintf(out, ",\"%s\":null", name);
}

char *lab_shape_text(const double *samples, size_t count)
{
    struct lab_shape shape;
    char *text = NULL;
    size_t size = 0;
    if (count == 0 || !lab_shape_find(samples, count, &shape))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "{\"outliers\":%zu", shape.outliers);
    write_number(out, ",\"fence_low\":", shape.fence_low);
    write_number(out, ",\"fence_high\":", shape.fence_high);
    write_number(out, ",\"farthest_outlier\":", shape.farthest_outlier);
    write_number(out, ",\"drift\":", shape.drift);
    write_number(out, ",\"drift_low\":", shape.drift_low);
    write_number(out, ",\"drift_high\":", shape.drift_high);
    write_pair(out, "modes", shape.has_modes, shape.modes);
    write_pair(out, "mode_shares", shape.has_modes, shape.mode_shares);
    fputc('}', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
