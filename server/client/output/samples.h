/* Prints the samples of a point: figures, a strip of them in the order in which they were taken, and beside it their
 * histogram. */
#ifndef LAB_CLIENT_SAMPLES_H
#define LAB_CLIENT_SAMPLES_H

#include <jansson.h>
#include <stdio.h>

/* `measurements` are those of GET /runs/{id}/measurements?samples=true: one, or both sides of a comparison, which have
 * the same scale. Draws with block characters if `out` is a terminal of a locale with UTF-8, otherwise in ASCII.
 * `experiment` may be NULL. */
void lab_samples_print(FILE *out, const json_t *measurements, const json_t *experiment);

#endif
