/* The test cases of a comparison. */
#ifndef LAB_COMPARISON_CASES_H
#define LAB_COMPARISON_CASES_H

#include "comparison.h"

/* Adds a case for each run of the comparison, and for each point that has a verdict. */
void lab_comparison_cases(struct lab_document *document, const json_t *comparison, const json_t *experiment,
                          const struct lab_failing *failing);
/* What is wrong with a run of a comparison, which is called `side`: "3 results of the head are wrong". False:
 * nothing. */
bool lab_comparison_wrong(const json_t *run, const char *side, char *text, size_t size);

#endif
