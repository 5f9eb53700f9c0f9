/* Prints a comparison of two runs, or of the sides of one: a document of GET /compare. */
#ifndef LAB_OUTPUT_COMPARISON_H
#define LAB_OUTPUT_COMPARISON_H

#include "document.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints where samples are missing, what differs in the environments, a table of the points for each metric, why points
 * are unclear, and a summary. `experiment` is the JSON object of the experiment in the API; it may be NULL. `only`: the
 * verdict of the points to print; NULL for all. */
void lab_comparison_print(FILE *out, const json_t *comparison, const json_t *experiment, const char *only);

/* Prints a comparison of the sides of one run: what differs in the base, then points, reasons and summary as above. */
void lab_comparison_print_sides(FILE *out, const json_t *run, const json_t *comparison, const json_t *experiment);

/* What is a failed case of a document: what --fail-on names. */
struct lab_failing {
    bool slower, wrong, unclear;
};

/* Adds the sentences of a comparison, the tables of its points with the verdict `only` (NULL: all), and a case for each
 * point that is judged and for each run. A point that is unclear is skipped, unless it fails. */
void lab_comparison_add(struct lab_document *document, const json_t *comparison, const json_t *experiment,
                        const char *only, const struct lab_failing *failing);
/* The whole comparison of two runs as a document; NULL when out of memory. The caller frees it. */
struct lab_document *lab_comparison_document(const json_t *comparison, const json_t *experiment, const char *only,
                                             const struct lab_failing *failing);

#endif
