/* Verdicts about matches, by server/analysis/comparison.h. */
#ifndef LAB_VERDICTS_H
#define LAB_VERDICTS_H

#include "matches.h"

/* What is compared, and how. */
struct lab_verdict_request {
    struct lab_store *store;
    const char *runs[LAB_SIDES];   /* ids; equal for the sides of one run, whose rounds are compared */
    const char *models[LAB_SIDES]; /* of the runs' devices */
    double minimum_effect;
};

/* Adds {ratio, low, high, verdict, method, reason} to the document of a match. */
enum lab_store_result lab_verdict_add(const struct lab_verdict_request *request, const struct lab_match *match);

#endif
