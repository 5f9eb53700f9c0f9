/* Pairs measurements, and chooses the metric that decides about each combination of axes.
 *
 * Of the metrics that a point has, most are computed from the same samples: bandwidth and share of peak from time. They
 * would all say the same, and a summary would count it several times. So one metric decides: one of a headline of the
 * experiment, otherwise the first that has a direction. The others show their ratio, and so do values that were
 * computed from others or, within a run, measured outside its rounds.
 */
#include "matches.h"

#include "analysis/counter_changes.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/throttle.h"
#include "descriptor/experiment.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what decides ------------------------------------------------------------------------------------------------- */

static bool is_headline(const struct lab_experiment *experiment, const char *metric)
{
    const struct lab_headline *headline = experiment != NULL ? experiment->headlines : NULL;
    while (headline != NULL && headline->title != NULL && strcmp(headline->metric, metric) != 0)
        headline++;
    return headline != NULL && headline->title != NULL;
}

/* Whether a side has, or had, values that can be compared with those of the other one. */
static bool can_be_judged(const struct lab_matches *matches, const struct lab_match *match)
{
    for (size_t i = 0; i < LAB_SIDES; i++) {
        const struct lab_matched_side *side = &match->sides[i];
        if (matches->of_one_run ? side->has_rounds : side->sample_count > 0 || side->lacks_samples)
            return match->better != LAB_BETTER_NONE;
    }
    return false;
}

/* Lets the last match decide about its axes, unless a better one does already. */
static void choose(struct lab_matches *matches)
{
    struct lab_match *match = &matches->items[matches->count - 1];
    if (!can_be_judged(matches, match))
        return;
    char *axes = json_dumps(json_object_get(match->document, "axes"), JSON_COMPACT | JSON_SORT_KEYS);
    const json_t *index = axes != NULL ? json_object_get(matches->deciding, axes) : NULL;
    struct lab_match *before = index != NULL ? &matches->items[json_integer_value(index)] : NULL;
    const char *metric = json_string_value(json_object_get(match->document, "metric"));
    if (axes == NULL) {
        matches->failed = true;
    } else if (before == NULL ||
               (is_headline(matches->experiment, metric) &&
                !is_headline(matches->experiment, json_string_value(json_object_get(before->document, "metric"))))) {
        if (before != NULL)
            before->decides = false;
        match->decides = true;
        json_object_set_new(matches->deciding, axes, json_integer((json_int_t)matches->count - 1));
    }
    free(axes);
}

/* --- measurements ------------------------------------------------------------------------------------------------- */

static json_t *summary(const struct lab_measurement_row *row)
{
    static const char *const names[] = {"median", "q1", "q3", "n", "verified", "cautions"};
    json_t *measurement = lab_measurement_row_json(row), *summary = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set(summary, names[i], json_object_get(measurement, names[i]));
    json_decref(measurement);
    return summary;
}

/* The mean of the logarithms of a block's rounds; not finite if one is not positive. */
static double mean_logarithm(const json_t *rounds)
{
    double sum = 0;
    size_t index;
    json_t *round;
    json_array_foreach(rounds, index, round)
    {
        sum += log(lab_number_or_nan(round));
    }
    return sum / (double)json_array_size(rounds);
}

static void read_blocks(struct lab_matched_side *side, const char *text)
{
    json_t *list = lab_json_stored(text);
    size_t count = json_array_size(list);
    side->has_rounds = json_is_array(list);
    side->has_one_place = count > 0 && !json_is_array(json_array_get(list, 0));
    if (count > 0 && !side->has_one_place)
        side->blocks = malloc(count * sizeof *side->blocks);
    for (size_t i = 0; side->blocks != NULL && i < count; i++)
        side->blocks[side->block_count++] = mean_logarithm(json_array_get(list, i));
    json_decref(list);
}

static struct lab_matched_side side_of(const struct lab_measurement_row *row)
{
    struct lab_matched_side side = {.position = row->position,
                                    .sample_count = row->sample_count,
                                    .lacks_samples = row->sample_count == 0 && row->stop_reason != NULL,
                                    .median = row->median,
                                    .wrong = row->verified == 0};
    read_blocks(&side, row->rounds);
    return side;
}

/* Counts the reasons for which the device was throttled during a measurement, of those that are cautions. */
static void count_throttling(json_t *counts, const struct lab_measurement_row *row)
{
    json_t *conditions = lab_json_stored(row->conditions), *reason;
    json_t *cautions = lab_throttle_cautions(json_object_get(conditions, "throttle"));
    size_t index;
    json_array_foreach(cautions, index, reason)
    {
        const char *name = json_string_value(reason);
        json_object_set_new(counts, name, json_integer(json_integer_value(json_object_get(counts, name)) + 1));
    }
    json_decref(cautions);
    json_decref(conditions);
}

static void add_only(struct lab_matches *matches, size_t side, const struct lab_measurement_row *row)
{
    if (json_object_set_new(matches->only[side], row->axes, json_null()) != 0)
        matches->failed = true;
}

static bool reserve(struct lab_matches *matches)
{
    if (matches->count < matches->capacity)
        return true;
    size_t capacity = matches->capacity > 0 ? 2 * matches->capacity : 64;
    struct lab_match *items = realloc(matches->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    matches->items = items;
    matches->capacity = capacity;
    return true;
}

/* The hardware counters that differ between the sides; JSON null where a side was not counted. */
static json_t *changes(const struct lab_measurement_row *base, const struct lab_measurement_row *head)
{
    json_t *of_base = lab_json_stored(base->counters), *of_head = lab_json_stored(head->counters);
    json_t *found = lab_counter_changes(of_base, of_head);
    json_decref(of_base);
    json_decref(of_head);
    return found;
}

static void add_match(struct lab_matches *matches, int64_t point, const struct lab_measurement_row *base,
                      const struct lab_measurement_row *head)
{
    json_t *document =
        json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}", "axes", lab_json_stored_object(head->axes), "metric", head->metric,
                  "unit", head->unit, "base", summary(base), "head", summary(head), "counters", changes(base, head));
    if (document == NULL || !reserve(matches)) {
        json_decref(document);
        matches->failed = true;
        return;
    }
    matches->items[matches->count++] = (struct lab_match){.point = point,
                                                          .document = document,
                                                          .better = lab_metric_better(head->metric, head->unit),
                                                          .sides = {side_of(base), side_of(head)}};
    choose(matches);
}

static void matches_add(void *context, int64_t point, const struct lab_measurement_row *base,
                        const struct lab_measurement_row *head)
{
    struct lab_matches *matches = context;
    bool has_base = base != NULL && base->skipped == NULL, has_head = head != NULL && head->skipped == NULL;
    if (matches->failed)
        return;
    if (has_base)
        count_throttling(matches->throttled[LAB_BASE], base);
    if (has_head)
        count_throttling(matches->throttled[LAB_HEAD], head);
    if (has_base && has_head)
        add_match(matches, point, base, head);
    else if (has_base)
        add_only(matches, LAB_BASE, base);
    else if (has_head)
        add_only(matches, LAB_HEAD, head);
}

/* --- two runs ----------------------------------------------------------------------------------------------------- */

static void begin(struct lab_matches *matches, const char *experiment, bool of_one_run)
{
    *matches = (struct lab_matches){
        .experiment = lab_experiment_find(experiment), .of_one_run = of_one_run, .deciding = json_object()};
    for (size_t i = 0; i < LAB_SIDES; i++) {
        matches->only[i] = json_object();
        matches->throttled[i] = json_object();
    }
}

static enum lab_store_result end(const struct lab_matches *matches, enum lab_store_result result)
{
    return result == LAB_STORE_OK && matches->failed ? lab_store_no_memory() : result;
}

enum lab_store_result lab_matches_of_runs(struct lab_matches *matches, struct lab_store *store, const char *experiment,
                                          const char *base, const char *head)
{
    begin(matches, experiment, false);
    return end(matches, lab_store_match_measurements(store, base, head, matches_add, matches));
}

/* --- the sides of a run ------------------------------------------------------------------------------------------- */

enum { WAITING_MAX = 64 }; /* metrics of a point */

/* The measurements of the base's point that wait for those of the head, which follow them. */
struct pairing {
    struct lab_matches *matches;
    struct lab_store *store;
    const char *run;
    bool head_seen;
    size_t count;
    int64_t waiting[WAITING_MAX]; /* positions */
};

struct wanted {
    struct pairing *pairing;
    const struct lab_measurement_row *head;
    bool found;
};

static void pair_with(void *context, const struct lab_measurement_row *base)
{
    struct wanted *wanted = context;
    wanted->found = strcmp(base->metric, wanted->head->metric) == 0 && strcmp(base->unit, wanted->head->unit) == 0;
    if (wanted->found)
        matches_add(wanted->pairing->matches, 0, base, wanted->head);
}

static void leave_alone(void *context, const struct lab_measurement_row *base)
{
    const struct pairing *pairing = context;
    matches_add(pairing->matches, 0, base, NULL);
}

/* The measurements that still wait have no partner. */
static void give_up(struct pairing *pairing)
{
    for (size_t i = 0; i < pairing->count; i++)
        if (pairing->waiting[i] >= 0)
            lab_store_list_measurements(pairing->store, pairing->run, pairing->waiting[i], 1, leave_alone, pairing);
    pairing->count = 0;
    pairing->head_seen = false;
}

static void take_head(struct pairing *pairing, const struct lab_measurement_row *head)
{
    struct wanted wanted = {pairing, head, false};
    pairing->head_seen = true;
    for (size_t i = 0; i < pairing->count && !wanted.found; i++) {
        if (pairing->waiting[i] < 0)
            continue;
        lab_store_list_measurements(pairing->store, pairing->run, pairing->waiting[i], 1, pair_with, &wanted);
        if (wanted.found)
            pairing->waiting[i] = -1;
    }
    if (!wanted.found)
        matches_add(pairing->matches, 0, NULL, head);
}

static void take(void *context, const struct lab_measurement_row *row)
{
    struct pairing *pairing = context;
    if (row->side == NULL || row->skipped != NULL)
        return;
    if (strcmp(row->side, "head") == 0) {
        take_head(pairing, row);
        return;
    }
    if (pairing->head_seen || pairing->count == WAITING_MAX)
        give_up(pairing);
    pairing->waiting[pairing->count++] = row->position;
}

enum lab_store_result lab_matches_of_sides(struct lab_matches *matches, struct lab_store *store, const char *experiment,
                                           const char *run)
{
    struct pairing pairing = {.matches = matches, .store = store, .run = run};
    begin(matches, experiment, true);
    enum lab_store_result result = lab_store_list_measurements(store, run, 0, SIZE_MAX, take, &pairing);
    give_up(&pairing);
    return end(matches, result);
}

void lab_matches_release(struct lab_matches *matches)
{
    for (size_t i = 0; i < matches->count; i++) {
        json_decref(matches->items[i].document);
        free(matches->items[i].sides[LAB_BASE].blocks);
        free(matches->items[i].sides[LAB_HEAD].blocks);
    }
    for (size_t i = 0; i < LAB_SIDES; i++) {
        json_decref(matches->only[i]);
        json_decref(matches->throttled[i]);
    }
    json_decref(matches->deciding);
    free(matches->items);
}
