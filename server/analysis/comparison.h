/* Comparison of two measurements of one point: the ratio of their medians, head / base, with an interval; and the
 * verdicts about all points of a comparison together. STATISTICS.md says how the intervals are made, what they assume
 * and how often the verdicts are wrong.
 *
 * Pure functions: the same values give the same result on every machine. They allocate what they sort and free it.
 */
#ifndef LAB_COMPARISON_H
#define LAB_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

enum lab_verdict {
    LAB_FASTER,  /* better by more than the minimum effect */
    LAB_SLOWER,  /* worse by more than the minimum effect */
    LAB_SAME,    /* all of the interval is within the minimum effect of 1 */
    LAB_UNCLEAR, /* anything else; `reason` says why */
};
enum { LAB_VERDICTS = LAB_UNCLEAR + 1 };

/* By enum lab_verdict; ends with NULL. */
extern const char *const lab_verdict_names[];

/* What the interval covers. */
enum lab_comparison_method {
    LAB_COMPARE_SAMPLES, /* the ratio of these two runs; how much a run differs from the next is not in it: never a verdict */
    LAB_COMPARE_HISTORY, /* the same, and the variation between runs that the history shows */
    LAB_COMPARE_BLOCKS,  /* the ratio under the conditions that both sides shared, wherever their memory is */
};

/* By enum lab_comparison_method; ends with NULL. */
extern const char *const lab_comparison_method_names[];

/* What lab_run_variation says of earlier runs of this point, and of how many. */
struct lab_run_history {
    double variation; /* NAN: not known */
    size_t runs;
};

/* Figures that are not known are NAN; a bound that the values do not limit is 0 or INFINITY. */
struct lab_comparison {
    enum lab_comparison_method method;
    double base, head;       /* medians */
    double ratio, low, high; /* head / base, and its interval at LAB_CONFIDENCE */
    double error, degrees; /* standard error of the logarithm of the ratio, and the degrees of freedom of that error */
    const char *incomparable; /* why there is no error: a constant sentence for people; NULL if there is one */

    /* What lab_judge sets. */
    bool larger_is_better; /* set by the caller before */
    enum lab_verdict verdict;
    double detectable;  /* the smallest relative difference that would have been found with a probability of 0.95 */
    double needed;      /* factor on the blocks with which the verdict would probably change; NAN: not known */
    const char *reason; /* of LAB_UNCLEAR: a constant sentence for people; else NULL */
};

#define LAB_CONFIDENCE 0.95
#define LAB_MINIMUM_EFFECT 0.01

/* Compares the samples of two runs, in the order in which they were taken. The interval accounts for samples that
 * resemble those before them. Each side needs 6 samples, and more where they resemble each other. Returns false when
 * out of memory. */
bool lab_compare_samples(const double *base, size_t base_count, const double *head, size_t head_count,
                         const struct lab_run_history *history, struct lab_comparison *comparison);

/* Compares two sides that were measured alternately: ratios[i] is the logarithm of the ratio in block i. `base` and
 * `head` are the medians. Needs 3 blocks. */
void lab_compare_blocks(const double *ratios, size_t count, double base, double head,
                        struct lab_comparison *comparison);

/* Judges the points of a comparison together, by one metric each: `minimum_effect` is the relative difference that
 * matters, at least 0. At most one comparison of equal sides in a hundred has a point that is called faster or slower.
 * Returns false when out of memory. */
bool lab_judge(struct lab_comparison *comparisons, size_t count, double minimum_effect);

/* The verdict about all points, by how many have each: slower if one is, else faster if one is, else unclear if one is
 * or there is none, else same. */
enum lab_verdict lab_verdict_of_all(const size_t counts[LAB_VERDICTS]);

#endif
