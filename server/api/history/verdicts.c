/* Reads what a comparison needs from the store, compares, and adds the result to the document. */
#include "verdicts.h"

#include "openapi/schemas.h"

#include "analysis/counter_changes.h"
#include "analysis/variation.h"
#include "core/json_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* HISTORY_RUNS: other runs that show how much runs vary; more hardly narrow the interval (STATISTICS.md).
 * SAMPLES_MAX: of each side; later ones are left out. */
enum { HISTORY_RUNS = 30, SAMPLES_MAX = 1 << 20 };

/* --- variation between runs --------------------------------------------------------------------------------------- */

struct medians {
    const struct lab_verdict_request *request;
    size_t count;
    double values[HISTORY_RUNS + LAB_SIDES];
};

/* The runs that are compared are left out: their difference is what is judged. */
static void add_median(void *context, const struct lab_series_row *row)
{
    struct medians *medians = context;
    const char *const *runs = medians->request->runs;
    if (row->verified != 0 && strcmp(row->id, runs[LAB_BASE]) != 0 && strcmp(row->id, runs[LAB_HEAD]) != 0)
        medians->values[medians->count++] = row->median;
}

/* Sets how much the runs of the point vary on the model, unless fewer runs of another model are known, or they vary
 * more. */
static enum lab_store_result add_variation(const struct lab_verdict_request *request, const struct lab_match *match,
                                           const char *model, struct lab_run_history *history)
{
    struct medians medians = {.request = request};
    const struct lab_series_filter filter = {.point = match->point, .model = model, .limit = HISTORY_RUNS + LAB_SIDES};
    enum lab_store_result result = lab_store_series(request->store, &filter, add_median, &medians);
    struct lab_run_history found = {lab_run_variation(medians.values, medians.count), medians.count};
    if (!isfinite(found.variation) || !(found.variation <= history->variation))
        *history = found;
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
                              : lab_store_no_memory();
    *count = *count < wanted ? *count : wanted;
    if (*result == LAB_STORE_OK)
        return samples;
    free(samples);
    return NULL;
}

/* Gives the reason why there is no verdict, which more blocks would not change. */
static void refuse(struct lab_comparison *comparison, const char *reason)
{
    comparison->incomparable = reason;
    comparison->needed = NAN;
}

/* Why there is nothing to compare. */
static const char *reason_without_samples(const struct lab_match *match)
{
    bool base = match->sides[LAB_BASE].lacks_samples, head = match->sides[LAB_HEAD].lacks_samples;
    return base && head ? "neither side has its samples" : base ? "the base has no samples" : "the head has no samples";
}

static enum lab_store_result compare_samples(const struct lab_verdict_request *request, const struct lab_match *match,
                                             struct lab_comparison *comparison)
{
    size_t base_count = 0, head_count = 0;
    double *base = NULL, *head = NULL;
    struct lab_run_history history = {.variation = -1};
    enum lab_store_result result = add_variation(request, match, request->models[LAB_HEAD], &history);
    if (result == LAB_STORE_OK && strcmp(request->models[LAB_BASE], request->models[LAB_HEAD]) != 0)
        result = add_variation(request, match, request->models[LAB_BASE], &history);
    if (result == LAB_STORE_OK)
        base = read_samples(request, match, LAB_BASE, &base_count, &result);
    if (result == LAB_STORE_OK)
        head = read_samples(request, match, LAB_HEAD, &head_count, &result);
    if (result == LAB_STORE_OK && !lab_compare_samples(base, base_count, head, head_count, &history, comparison))
        result = lab_store_no_memory();
    if (base_count == 0 || head_count == 0)
        refuse(comparison, reason_without_samples(match));
    free(base);
    free(head);
    return result;
}

static enum lab_store_result compare_blocks(const struct lab_match *match, struct lab_comparison *comparison)
{
    const struct lab_matched_side *base = &match->sides[LAB_BASE], *head = &match->sides[LAB_HEAD];
    size_t count = base->block_count < head->block_count ? base->block_count : head->block_count;
    double *ratios = malloc((count + 1) * sizeof *ratios);
    if (ratios == NULL)
        return lab_store_no_memory();
    for (size_t i = 0; i < count; i++)
        ratios[i] = head->blocks[i] - base->blocks[i];
    lab_compare_blocks(ratios, count, base->median, head->median, comparison);
    if (base->has_one_place && head->has_one_place)
        refuse(comparison,
               "an older version measured it with the memory of each side in one place, which can change "
               "a ratio by several percent: measure it again");
    free(ratios);
    return LAB_STORE_OK;
}

static enum lab_store_result compare(const struct lab_verdict_request *request, const struct lab_match *match,
                                     bool of_one_run, struct lab_comparison *comparison)
{
    const struct lab_matched_side *base = &match->sides[LAB_BASE], *head = &match->sides[LAB_HEAD];
    enum lab_store_result result =
        of_one_run ? compare_blocks(match, comparison) : compare_samples(request, match, comparison);
    if (base->wrong || head->wrong)
        refuse(comparison, base->wrong ? "the results of the base are wrong" : "the results of the head are wrong");
    comparison->larger_is_better = match->better == LAB_BETTER_HIGHER;
    return result;
}

/* --- the documents ------------------------------------------------------------------------------------------------ */

/* `comparison` is NULL for a match that is not judged. */
static void add_to_document(const struct lab_match *match, const struct lab_comparison *comparison)
{
    static const struct lab_comparison none = {
        .ratio = (double)NAN, .high = (double)INFINITY, .detectable = (double)NAN, .needed = (double)NAN};
    const struct lab_comparison *c = comparison != NULL ? comparison : &none;
    double ratio = isfinite(c->ratio) ? c->ratio : match->sides[LAB_HEAD].median / match->sides[LAB_BASE].median;
    bool limited = isfinite(c->low) && isfinite(c->high) && c->low > 0;
    const char *verdict = comparison != NULL ? lab_verdict_names[c->verdict] : NULL;
    const char *method = comparison != NULL ? lab_comparison_method_names[c->method] : NULL;
    json_t *members = json_pack("{s:o, s:o, s:o, s:s?, s:s?, s:s?, s:o, s:o}", "ratio", lab_json_real_or_null(ratio),
                                "low", limited ? lab_json_real_or_null(c->low) : json_null(), "high",
                                limited ? lab_json_real_or_null(c->high) : json_null(), "verdict", verdict, "method",
                                method, "reason", c->reason, "detectable", lab_json_real_or_null(c->detectable),
                                "needed", lab_json_real_or_null(c->needed));
    json_object_update(match->document, members);
    json_decref(members);
}

enum lab_store_result lab_verdicts_add(const struct lab_verdict_request *request, const struct lab_matches *matches,
                                       size_t counts[LAB_VERDICTS])
{
    struct lab_comparison *comparisons = calloc(matches->count + 1, sizeof *comparisons);
    enum lab_store_result result = LAB_STORE_OK;
    if (comparisons == NULL)
        return lab_store_no_memory();
    size_t judged = 0, next = 0;
    for (size_t i = 0; result == LAB_STORE_OK && i < matches->count; i++)
        if (matches->items[i].decides)
            result = compare(request, &matches->items[i], matches->of_one_run, &comparisons[judged++]);
    if (result == LAB_STORE_OK && !lab_judge(comparisons, judged, request->minimum_effect))
        result = lab_store_no_memory();
    for (size_t i = 0; result == LAB_STORE_OK && i < judged; i++)
        counts[comparisons[i].verdict]++;
    for (size_t i = 0; result == LAB_STORE_OK && i < matches->count; i++)
        add_to_document(&matches->items[i], matches->items[i].decides ? &comparisons[next++] : NULL);
    free(comparisons);
    return result;
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema counter_change_members[] = {
    {LAB_GIVEN(STRING, "name")}, {LAB_GIVEN(STRING, "title")}, {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(NUMBER, "base")}, {LAB_GIVEN(NUMBER, "head")},  {0},
};

static const struct lab_schema compared_point_members[] = {
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(OBJECT, "base"), .component = "ComparedSide"},
    {LAB_GIVEN(OBJECT, "head"), .component = "ComparedSide"},
    {LAB_GIVEN(NUMBER, "ratio"), .nullable = true},
    {LAB_GIVEN(NUMBER, "low"), .nullable = true, .text = "The interval of the ratio; null: not limited."},
    {LAB_GIVEN(NUMBER, "high"), .nullable = true},
    {LAB_GIVEN(CHOICE, "verdict"), .nullable = true, .choices = lab_verdict_names,
     .text = "null: another metric decides about this point, or the value is computed from others."},
    {LAB_GIVEN(CHOICE, "method"), .nullable = true, .choices = lab_comparison_method_names},
    {LAB_GIVEN(STRING, "reason"), .nullable = true, .text = "Why the verdict is unclear."},
    {LAB_GIVEN(NUMBER, "detectable"), .nullable = true,
     .text = "The smallest relative difference that would have been found with a probability of 0.95."},
    {LAB_GIVEN(NUMBER, "needed"), .nullable = true,
     .text = "With this many times the time budget an unclear point would probably get a clear verdict."},
    {LAB_GIVEN(OBJECT, "counters"), .nullable = true, .count = LAB_LIST, .members = counter_change_members,
     .text = "The hardware counters that are more than a tenth apart, and more than " LAB_NUMBER_TEXT(
         LAB_COUNTER_NOISE) " of the whole that they are a part of; null: a side was not counted."},
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
