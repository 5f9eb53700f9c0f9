/* Comparison of two measurements of one point: the ratio of their medians, head / base, with an interval, and what follows
 * from it. STATISTICS.md says how the intervals are made, what they assume and how often they are wrong.
 *
 * Pure functions: the same values give the same result on every machine. They allocate what they sort and free it.
 */
#ifndef LAB_COMPARISON_H
#define LAB_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

enum lab_verdict {
    LAB_FASTER,  /* better by more than the minimum effect: all of the interval is beyond it */
    LAB_SLOWER,  /* worse by more than the minimum effect */
    LAB_SAME,    /* all of the interval is within the minimum effect of 1 */
    LAB_UNCLEAR, /* anything else; `reason` says why */
};

/* "faster", "slower", "same" or "unclear". */
const char *lab_verdict_name(enum lab_verdict verdict);

/* What the interval covers. */
enum lab_comparison_method {
    LAB_COMPARE_SAMPLES, /* the ratio of these two runs; how much a run differs from the next is not in it */
    LAB_COMPARE_HISTORY, /* the same, and the variation between runs that the history shows */
    LAB_COMPARE_ROUNDS,  /* the ratio under the conditions that both sides shared, round by round */
    LAB_COMPARE_RUNS,    /* the ratio of the levels about which the runs of each side vary */
};

/* "samples", "samples-and-history", "rounds" or "runs". */
const char *lab_comparison_method_name(enum lab_comparison_method method);

struct lab_comparison_options {
    bool larger_is_better;
    double minimum_effect; /* a relative difference that matters; 0.01 is 1 %. At least 0 */
    double confidence;     /* of the interval, above 0 and below 1 */
    /* What lab_run_variation says of earlier runs of this point, and of how many; 0 runs or NAN: not known. */
    double variation;
    size_t variation_runs;
};

#define LAB_COMPARISON_DEFAULTS                                                                                        \
    {                                                                                                                  \
        .minimum_effect = 0.01, .confidence = 0.95                                                                     \
    }

/* Figures that are not known are NAN; a bound that the values do not limit is 0 or INFINITY. */
struct lab_comparison {
    enum lab_verdict verdict;
    enum lab_comparison_method method;
    double base, head;       /* medians */
    double ratio, low, high; /* head / base, and its interval */
    const char *reason;      /* of LAB_UNCLEAR: a constant sentence for people; else NULL */
};

/* Compares the samples of two runs, in the order in which they were taken. The interval accounts for samples that resemble
 * those before them. Each side needs 6 samples at a confidence of 0.95, and more where they resemble each other. Returns
 * false when out of memory. */
bool lab_compare_samples(const double *base, size_t base_count, const double *head, size_t head_count,
                         const struct lab_comparison_options *options, struct lab_comparison *comparison);

/* Compares two sides that were measured alternately: base[i] and head[i] are the medians of round i. The ratio is that of
 * the rounds' ratios. Needs 6 rounds at a confidence of 0.95. Returns false when out of memory. */
bool lab_compare_rounds(const double *base, const double *head, size_t count,
                        const struct lab_comparison_options *options, struct lab_comparison *comparison);

/* Compares the medians of several runs of each side: at least one of each, and four together. The variation is taken to be
 * the same on both sides. Returns false when out of memory. */
bool lab_compare_runs(const double *base, size_t base_count, const double *head, size_t head_count,
                      const struct lab_comparison_options *options, struct lab_comparison *comparison);

#endif
