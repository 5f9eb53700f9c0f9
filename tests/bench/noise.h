/* Noise with fixed seeds, and real samples, for the programs that measure the error rates of server/analysis. */
#ifndef LAB_NOISE_H
#define LAB_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generator of pseudo-random numbers (SplitMix64); initialise with any state. */
struct lab_random {
    uint64_t state;
};

double lab_random_uniform(struct lab_random *random); /* in [0, 1) */
double lab_random_normal(struct lab_random *random);  /* mean 0, standard deviation 1 */
size_t lab_random_index(struct lab_random *random, size_t count);

/* A kind of noise. */
struct lab_noise {
    const char *name;
    /* Fills `values` with a series of median 0; `values` have about the standard deviation 1, or for heavy tails the
     * quartiles that belong to it. */
    void (*fill)(struct lab_random *random, double *values, size_t count);
};
extern const struct lab_noise lab_noises[];
extern const size_t lab_noise_count;

/* A series of `count` values with the level `level` and the relative noise `sd`: level * exp(sd * noise). */
void lab_noise_series(const struct lab_noise *noise, struct lab_random *random, double level, double sd, double *values,
                      size_t count);

/* The samples of one measurement. */
struct lab_recorded {
    double *samples;
    size_t count;
};

/* Reads all measurements with at least `samples_min` positive samples from the responses of GET
 * /api/v1/runs/{id}/measurements?samples=true in `paths`. Ends the program when a file cannot be read. Returns their
 * number; they are never freed. */
size_t lab_recorded_read(const char *const *paths, size_t path_count, size_t samples_min,
                         struct lab_recorded **recorded);

/* Fills `values` with samples drawn in blocks of 20 on average, so that neighbours resemble each other as in the
 * recording (the stationary bootstrap of Politis and Romano, 1994). Their true median is that of the recording. */
void lab_recorded_resample(const struct lab_recorded *recorded, struct lab_random *random, double *values,
                           size_t count);

#endif
