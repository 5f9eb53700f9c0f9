/* Verdicts about matches, by server/analysis/comparison.h. */
#ifndef LAB_VERDICTS_H
#define LAB_VERDICTS_H

#include "matches.h"

#include "analysis/comparison.h"

/* What is compared, and how. */
struct lab_verdict_request {
    struct lab_store *store;
    const char *runs[LAB_SIDES];   /* ids; equal for the sides of one run */
    const char *models[LAB_SIDES]; /* of the runs' devices */
    double minimum_effect;
};

/* Judges the matches that decide together. Adds {ratio, low, high, verdict, method, reason, detectable, needed} to the
 * documents of all matches, and sets `counts` to how many have each verdict. */
enum lab_store_result lab_verdicts_add(const struct lab_verdict_request *request, const struct lab_matches *matches,
                                       size_t counts[LAB_VERDICTS]);

#endif
