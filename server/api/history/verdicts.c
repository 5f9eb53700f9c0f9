/* Reads what a comparison needs from the store, compares, and adds the result to the document. */
#include "verdicts.h"
#include "openapi/schemas.h"

#include "analysis/comparison.h"
#include "analysis/variation.h"

#include "core/json_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/results.h"

/* HISTORY_RUNS: earlier runs that show how much runs vary; more hardly narrow the interval (STATISTICS.md).
 * SAMPLES_MAX: of each side; later ones are left out. */
enum { HISTORY_RUNS = 30, SAMPLES_MAX = 1 << 20 };

/* --- variation between runs --------------------------------------------------------------------------------------- */

struct medians {
    size_t count;
    double values[HISTORY_RUNS];
};

static void add_median(void *context, const struct lab_series_row *row)
{
    struct medians *medians = context;
    if (row->verified != 0)
        medians->values[medians->count++] = row->median;
}

/* Sets how much the runs of the point vary on the model, unless another model's runs vary more. */
static enum lab_store_result add_variation(const struct lab_verdict_request *request, const struct lab_match *match,
                                           const char *model, struct lab_comparison_options *options)
{
    struct medians medians = {0};
    const struct lab_series_filter filter = {.point = match->point, .model = model, .limit = HISTORY_RUNS};
    enum lab_store_result result = lab_store_series(request->store, &filter, add_median, &medians);
    double variation = lab_run_variation(medians.values, medians.count);
    if (isfinite(variation) && (options->variation_runs == 0 || variation > options->variation)) {
        options->variation = variation;
        options->variation_runs = medians.count;
    }
    return result;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

/* The samples of a side, to be freed. *count is 0 when there are none; NULL with *result set on a failure. */
static double *read_samples(const struct lab_verdict_request *request, const struct lab_match *match, size_t side,
                            size_t *count, enum lab_store_result *result)
{
    size_t wanted = match->sides[side].sample_count < SAMPLES_MAX ? match->sides[side].sample_count : SAMPLES_MAX;
    double *samples = malloc((wanted + 1) * sizeof *samples);
    *count = 0;
    *result = samples != NULL ? lab_store_read_samples(request->store, request->runs[side], match->sides[side].position,
                                                       0, wanted, samples, count)
                              : LAB_STORE_FAILED;
    *count = *count < wanted ? *count : wanted;
    if (*result == LAB_STORE_OK)
        return samples;
    free(samples);
    return NULL;
}

/* Why there is nothing to compare. */
static const char *reason_without_samples(const struct lab_match *match)
{
    bool base = match->sides[LAB_BASE].lacks_samples, head = match->sides[LAB_HEAD].lacks_samples;
    return base && head ? "neither side has its samples"
           : base       ? "the base has no samples"
           : head       ? "the head has no samples"
                        : "the value was computed from others and has no samples";
}

static enum lab_store_result compare_samples(const struct lab_verdict_request *request, const struct lab_match *match,
                                             struct lab_comparison_options *options, struct lab_comparison *comparison)
{
    size_t base_count = 0, head_count = 0;
    double *base = NULL, *head = NULL;
    enum lab_store_result result = add_variation(request, match, request->models[LAB_HEAD], options);
    if (result == LAB_STORE_OK && strcmp(request->models[LAB_BASE], request->models[LAB_HEAD]) != 0)
        result = add_variation(request, match, request->models[LAB_BASE], options);
    if (result == LAB_STORE_OK)
        base = read_samples(request, match, LAB_BASE, &base_count, &result);
    if (result == LAB_STORE_OK)
        head = read_samples(request, match, LAB_HEAD, &head_count, &result);
    if (result == LAB_STORE_OK && !lab_compare_samples(base, base_count, head, head_count, options, comparison))
        result = LAB_STORE_FAILED;
    if (base_count == 0 || head_count == 0)
        comparison->reason = reason_without_samples(match);
    free(base);
    free(head);
    return result;
}

static enum lab_store_result compare_rounds(const struct lab_match *match, const struct lab_comparison_options *options,
                                            struct lab_comparison *comparison)
{
    const struct lab_matched_side *base = &match->sides[LAB_BASE], *head = &match->sides[LAB_HEAD];
    size_t count = base->round_count < head->round_count ? base->round_count : head->round_count;
    if (!lab_compare_rounds(base->rounds, head->rounds, count, options, comparison))
        return LAB_STORE_FAILED;
    if (count == 0)
        comparison->reason = "a side has no rounds: the value was computed from others";
    return LAB_STORE_OK;
}

enum lab_store_result lab_verdict_add(const struct lab_verdict_request *request, const struct lab_match *match)
{
    const struct lab_matched_side *base = &match->sides[LAB_BASE], *head = &match->sides[LAB_HEAD];
    bool is_one_run = strcmp(request->runs[LAB_BASE], request->runs[LAB_HEAD]) == 0;
    struct lab_comparison_options options = LAB_COMPARISON_DEFAULTS;
    struct lab_comparison comparison = {.low = (double)NAN, .high = (double)NAN};
    enum lab_store_result result = LAB_STORE_OK;
    options.minimum_effect = request->minimum_effect;
    options.larger_is_better = match->better == LAB_BETTER_HIGHER;
    if (match->decides)
        result = is_one_run ? compare_rounds(match, &options, &comparison)
                            : compare_samples(request, match, &options, &comparison);
    if (result != LAB_STORE_OK)
        return result;
    if (match->decides && (base->wrong || head->wrong)) {
        comparison.verdict = LAB_UNCLEAR;
        comparison.reason = base->wrong ? "the results of the base are wrong" : "the results of the head are wrong";
    }
    double ratio = match->decides && isfinite(comparison.ratio) ? comparison.ratio : head->median / base->median;
    bool limited = match->decides && isfinite(comparison.low) && isfinite(comparison.high) && comparison.low > 0;
    json_object_set_new(match->document, "ratio", lab_json_real_or_null(ratio));
    json_object_set_new(match->document, "low", limited ? lab_json_real_or_null(comparison.low) : json_null());
    json_object_set_new(match->document, "high", limited ? lab_json_real_or_null(comparison.high) : json_null());
    const char *verdict = match->decides ? lab_verdict_name(comparison.verdict) : NULL;
    const char *method = match->decides ? lab_comparison_method_name(comparison.method) : NULL;
    json_object_set_new(match->document, "verdict", lab_json_text_or_null(verdict));
    json_object_set_new(match->document, "method", lab_json_text_or_null(method));
    json_object_set_new(match->document, "reason", lab_json_text_or_null(comparison.reason));
    return LAB_STORE_OK;
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema compared_point_members[] = {
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(OBJECT, "base"), .component = "ComparedSide"},
    {LAB_GIVEN(OBJECT, "head"), .component = "ComparedSide"},
    {LAB_GIVEN(NUMBER, "ratio"), .nullable = true},
    {LAB_GIVEN(NUMBER, "low"), .nullable = true, .text = "The interval of the ratio; null: not limited."},
    {LAB_GIVEN(NUMBER, "high"), .nullable = true},
    {LAB_GIVEN(CHOICE, "verdict"), .nullable = true, .choices = LAB_TEXTS("faster", "slower", "same", "unclear"),
     .text = "null: another metric decides about this point."},
    {LAB_GIVEN(CHOICE, "method"), .nullable = true, .choices = LAB_TEXTS("samples", "samples-and-history", "rounds")},
    {LAB_GIVEN(STRING, "reason"), .nullable = true, .text = "Why the verdict is unclear."},
    {0},
};

static const struct lab_schema compared_side_members[] = {
    {LAB_GIVEN(NUMBER, "median"), .nullable = true},
    {LAB_GIVEN(NUMBER, "q1"), .nullable = true},
    {LAB_GIVEN(NUMBER, "q3"), .nullable = true},
    {LAB_GIVEN(INTEGER, "n")},
    {LAB_GIVEN(BOOLEAN, "verified"), .nullable = true},
    {LAB_GIVEN(OBJECT, "cautions"), .component = "Cautions"},
    {0},
};

const struct lab_schema lab_verdicts_documents[] = {
    {.name = "ComparedPoint", .type = LAB_TYPE_OBJECT, .members = compared_point_members},
    {.name = "ComparedSide", .type = LAB_TYPE_OBJECT, .members = compared_side_members},
    {0},
};
