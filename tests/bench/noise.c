/* Generates noise and resamples recordings. */
#include "noise.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* --- random numbers ----------------------------------------------------------------------------------------------- */

static uint64_t next(struct lab_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double lab_random_uniform(struct lab_random *random)
{
    return (double)(next(random) >> 11) * 0x1p-53;
}

double lab_random_normal(struct lab_random *random)
{
    double radius = sqrt(-2 * log(1 - lab_random_uniform(random)));
    return radius * cos(2 * pi * lab_random_uniform(random));
}

size_t lab_random_index(struct lab_random *random, size_t count)
{
    return (size_t)(lab_random_uniform(random) * (double)count);
}

/* --- kinds of noise ----------------------------------------------------------------------------------------------- */

static void fill_normal(struct lab_random *random, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = lab_random_normal(random);
}

/* Skewed: the exponential of a normal deviate, less its median 1, scaled to the standard deviation 1. */
static void fill_skewed(struct lab_random *random, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (exp(0.7 * lab_random_normal(random)) - 1) / sqrt(exp(0.49) * (exp(0.49) - 1));
}

/* Two clock states, 60 % and 40 % of the samples, four standard deviations of each apart. */
static void fill_bimodal(struct lab_random *random, double *values, size_t count)
{
    /* The median is where 0.6 F(x) + 0.4 F(x - 4) = 0.5, with the normal distribution F. */
    for (size_t i = 0; i < count; i++)
        values[i] = (lab_random_normal(random) + (lab_random_uniform(random) < 0.4 ? 4 : 0) - 0.964) / 2.2;
}

/* Student's t with 3 degrees of freedom, with the quartiles of a normal deviate. */
static void fill_heavy(struct lab_random *random, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (int k = 0; k < 3; k++) {
            double deviate = lab_random_normal(random);
            squares += deviate * deviate;
        }
        values[i] = lab_random_normal(random) / sqrt(squares / 3) * 0.6745 / 0.7649;
    }
}

/* One value in twenty is worse by 3 to 10 standard deviations. */
static void fill_outliers(struct lab_random *random, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = lab_random_uniform(random) < 0.05 ? 3 + 7 * lab_random_uniform(random) : lab_random_normal(random);
}

static void fill_correlated(struct lab_random *random, double correlation, double *values, size_t count)
{
    double value = lab_random_normal(random);
    for (size_t i = 0; i < count; i++) {
        values[i] = value;
        value = correlation * value + sqrt(1 - correlation * correlation) * lab_random_normal(random);
    }
}

static void fill_correlated_3(struct lab_random *random, double *values, size_t count)
{
    fill_correlated(random, 0.3, values, count);
}

static void fill_correlated_6(struct lab_random *random, double *values, size_t count)
{
    fill_correlated(random, 0.6, values, count);
}

static void fill_correlated_9(struct lab_random *random, double *values, size_t count)
{
    fill_correlated(random, 0.9, values, count);
}

const struct lab_noise lab_noises[] = {
    {"normal", fill_normal},
    {"skewed", fill_skewed},
    {"bimodal", fill_bimodal},
    {"heavy tails", fill_heavy},
    {"outliers", fill_outliers},
    {"correlated 0.3", fill_correlated_3},
    {"correlated 0.6", fill_correlated_6},
    {"correlated 0.9", fill_correlated_9},
};
const size_t lab_noise_count = sizeof lab_noises / sizeof *lab_noises;

void lab_noise_series(const struct lab_noise *noise, struct lab_random *random, double level, double sd, double *values,
                      size_t count)
{
    noise->fill(random, values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = level * exp(sd * values[i]);
}

/* --- recordings --------------------------------------------------------------------------------------------------- */

static json_t *read_json(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    if (document == NULL) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(2);
    }
    return document;
}

/* Returns false when a sample is not positive. */
static bool read_samples(const json_t *list, struct lab_recorded *recorded)
{
    recorded->count = json_array_size(list);
    recorded->samples = calloc(recorded->count + 1, sizeof *recorded->samples);
    if (recorded->samples == NULL)
        abort();
    bool positive = true;
    for (size_t i = 0; i < recorded->count; i++) {
        recorded->samples[i] = json_number_value(json_array_get(list, i));
        positive = positive && recorded->samples[i] > 0;
    }
    return positive;
}

size_t lab_recorded_read(const char *const *paths, size_t path_count, size_t samples_min,
                         struct lab_recorded **recorded)
{
    size_t found = 0;
    *recorded = NULL;
    for (size_t p = 0; p < path_count; p++) {
        json_t *document = read_json(paths[p]);
        size_t i;
        json_t *measurement;
        json_array_foreach(json_object_get(document, "measurements"), i, measurement)
        {
            const json_t *samples = json_object_get(measurement, "samples");
            if (json_array_size(samples) < samples_min)
                continue;
            struct lab_recorded *longer = realloc(*recorded, (found + 1) * sizeof **recorded);
            if (longer == NULL)
                abort();
            *recorded = longer;
            if (read_samples(samples, &longer[found]))
                found++;
            else
                free(longer[found].samples);
        }
        json_decref(document);
    }
    return found;
}

void lab_recorded_resample(const struct lab_recorded *recorded, struct lab_random *random, double *values, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        at = i == 0 || lab_random_uniform(random) < 0.05 ? lab_random_index(random, recorded->count) : at + 1;
        values[i] = recorded->samples[at % recorded->count];
    }
}
