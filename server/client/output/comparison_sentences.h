/* The sentences of a comparison, a document of GET /compare. */
#ifndef LAB_COMPARISON_SENTENCES_H
#define LAB_COMPARISON_SENTENCES_H

#include <jansson.h>
#include <stdio.h>

/* Says that points cannot be judged because a side has no samples. */
void lab_comparison_print_missing_samples(FILE *out, const json_t *comparison);
void lab_comparison_print_warnings(FILE *out, const json_t *warnings);
/* Prints each reason of the points that are unclear once, and of how many points it is. `only`: the verdict of the
 * points that are shown; NULL: all. */
void lab_comparison_print_reasons(FILE *out, const json_t *points, const char *only);
/* How many points have each verdict, and how many only one of the runs has. */
void lab_comparison_print_summary(FILE *out, const json_t *comparison);

#endif
