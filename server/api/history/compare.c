/* GET /api/v1/compare: two runs, or the two sides of a run that compares, point by point. */
#include "matches.h"
#include "openapi/schemas.h"
#include "resources.h"
#include "verdicts.h"
#include "visibility.h"

#include "analysis/environment.h"
#include "core/json_text.h"
#include "jobs/run_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the sides ---------------------------------------------------------------------------------------------------- */

/* A run that is compared. */
struct side {
    char id[LAB_RUN_ID_SIZE];
    json_t *summary, *environment;
    char *model;
};

static void side_init(struct side *side, const struct lab_run_row *row)
{
    snprintf(side->id, sizeof side->id, "%s", row->id);
    side->summary = lab_run_summary_json(row, NULL);
    side->environment = lab_json_stored(row->environment);
    side->model = strdup(row->model);
}

static void free_side(struct side *side)
{
    json_decref(side->summary);
    json_decref(side->environment);
    free(side->model);
}

static const char *experiment_of(const struct side *side)
{
    const char *name = json_string_value(json_object_get(side->summary, "experiment"));
    return name != NULL ? name : "";
}

/* --- warnings ----------------------------------------------------------------------------------------------------- */

static const char *const side_names[] = {"base", "head"};

static void warn(json_t *warnings, json_t *text)
{
    json_array_append_new(warnings, text);
}

/* What about one of the sides casts doubt on the comparison. */
static void warn_of_side(json_t *warnings, const struct side *side, size_t which, json_t *throttled)
{
    const char *status = json_string_value(json_object_get(side->summary, "status")), *reason,
               *name = side_names[which];
    json_int_t wrong = json_integer_value(json_object_get(side->summary, "wrong_count"));
    json_t *count;
    if (status != NULL && !lab_status_is(status, LAB_STATUS_SUCCEEDED))
        warn(warnings, json_sprintf("%s is %s", name, status));
    if (json_is_true(json_object_get(side->summary, "contended")))
        warn(warnings, json_sprintf("%s was contended: another process used a device", name));
    if (wrong > 0)
        warn(warnings, json_sprintf("%" JSON_INTEGER_FORMAT " results of %s are wrong", wrong, name));
    json_object_foreach(throttled, reason, count)
    {
        warn(warnings, json_sprintf("%s was throttled (%s) in %" JSON_INTEGER_FORMAT " measurements", name, reason,
                                    json_integer_value(count)));
    }
}

/* A list of one value is the same as the value: a parameter may have become a list since an older run. */
static bool is_same_value(const json_t *a, const json_t *b)
{
    const json_t *one = json_is_array(a) && json_array_size(a) == 1 ? json_array_get(a, 0) : a;
    const json_t *other = json_is_array(b) && json_array_size(b) == 1 ? json_array_get(b, 0) : b;
    return json_equal(one, other);
}

/* Names the parameters that differ. */
static void warn_of_parameters(json_t *warnings, const json_t *base, json_t *head)
{
    char names[256] = "";
    size_t used = 0;
    const char *name;
    json_t *value;
    json_object_foreach(head, name, value)
    {
        if (is_same_value(value, json_object_get(base, name)) || used >= sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", name);
    }
    if (used > 0)
        warn(warnings, json_sprintf("the parameters differ: %s", names));
}

static json_t *warnings_of(const struct side sides[LAB_SIDES], const struct lab_matches *matches)
{
    const struct side *base = &sides[LAB_BASE], *head = &sides[LAB_HEAD];
    json_t *warnings = json_array();
    bool is_one_run = strcmp(base->id, head->id) == 0;
    if (strcmp(base->model, head->model) != 0)
        warn(warnings, json_sprintf("other hardware: base ran on %s, head on %s",
                                    base->model[0] != '\0' ? base->model : "an unknown device",
                                    head->model[0] != '\0' ? head->model : "an unknown device"));
    for (size_t i = is_one_run ? LAB_HEAD : 0; i < LAB_SIDES; i++)
        warn_of_side(warnings, &sides[i], i, matches->throttled[i]);
    if (!is_one_run)
        warn_of_parameters(warnings, json_object_get(base->summary, "parameters"),
                           json_object_get(head->summary, "parameters"));
    return warnings;
}

/* --- the document ------------------------------------------------------------------------------------------------- */

enum { ONLY_SHOWN = 10 };

/* How many points only one side has, and the first of them. */
static json_t *only_of(json_t *axes)
{
    json_t *shown = json_array(), *unused;
    const char *text;
    json_object_foreach(axes, text, unused)
    {
        if (json_array_size(shown) < ONLY_SHOWN)
            json_array_append_new(shown, lab_json_stored_object(text));
    }
    return json_pack("{s:I, s:o}", "count", (json_int_t)json_object_size(axes), "axes", shown);
}

/* How many points have each verdict. */
static json_t *summary_of(const size_t counts[LAB_VERDICTS])
{
    json_t *summary = json_object();
    for (size_t i = 0; i < LAB_VERDICTS; i++)
        json_object_set_new(summary, lab_verdict_names[i], json_integer((json_int_t)counts[i]));
    return summary;
}

/* How many of the points that are judged lack the samples of each side; those of one run are judged by its rounds. */
static json_t *missing_of(const struct side sides[LAB_SIDES], const struct lab_matches *matches)
{
    bool is_one_run = strcmp(sides[LAB_BASE].id, sides[LAB_HEAD].id) == 0;
    json_int_t counts[LAB_SIDES] = {0};
    for (size_t i = 0; i < matches->count && !is_one_run; i++)
        for (size_t side = 0; side < LAB_SIDES; side++)
            counts[side] += matches->items[i].decides && matches->items[i].sides[side].lacks_samples;
    return json_pack("{s:I, s:I}", "base", counts[LAB_BASE], "head", counts[LAB_HEAD]);
}

/* The comparison of both sides; NULL with *result set. */
static json_t *make_document(struct lab_store *store, const struct side sides[LAB_SIDES],
                             const struct lab_matches *matches, double minimum_effect, enum lab_store_result *result)
{
    const struct side *base = &sides[LAB_BASE], *head = &sides[LAB_HEAD];
    const struct lab_verdict_request request = {.store = store,
                                                .runs = {base->id, head->id},
                                                .models = {base->model, head->model},
                                                .minimum_effect = minimum_effect};
    size_t counts[LAB_VERDICTS] = {0};
    *result = lab_verdicts_add(&request, matches, counts);
    if (*result != LAB_STORE_OK)
        return NULL;
    json_t *points = json_array();
    for (size_t i = 0; i < matches->count; i++)
        json_array_append(points, matches->items[i].document);
    return json_pack("{s:O, s:O, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:s, s:o}", "base", base->summary, "head",
                     head->summary, "environment", lab_environment_differences(base->environment, head->environment),
                     "warnings", warnings_of(sides, matches), "samples_missing", missing_of(sides, matches), "points",
                     points, "only_base", only_of(matches->only[LAB_BASE]), "only_head",
                     only_of(matches->only[LAB_HEAD]), "minimum_effect", minimum_effect, "verdict",
                     lab_verdict_names[lab_verdict_of_all(counts)], "summary", summary_of(counts));
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/* Makes the base of a run that compares: the run with the experiment, devices and parameters of `compare_with`. False
 * when the run compares nothing. */
static bool make_base(struct side sides[LAB_SIDES])
{
    struct side *base = &sides[LAB_BASE], *head = &sides[LAB_HEAD];
    json_t *compared = json_object_get(head->summary, "compare_with");
    if (!json_is_object(compared))
        return false;
    memcpy(base->id, head->id, sizeof base->id);
    base->summary = json_copy(head->summary);
    base->environment = json_incref(head->environment);
    base->model = strdup(head->model);
    json_object_update_existing(base->summary, compared);
    return true;
}

static void reply_error(struct lab_response *response, const char *pointer, const char *detail, const char *value)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, LAB_ERROR_NOT_COMPARABLE, pointer, detail, value);
    lab_reply_invalid(response, &errors);
}

static bool read_run(const struct lab_request *request, struct lab_response *response, const char *id,
                     struct side *side)
{
    struct lab_run_row *run;
    enum lab_store_result result = lab_store_get_run(lab_api_of(request)->store, id, &run);
    if (result == LAB_STORE_OK && !lab_may_see(lab_request_identity(request), run))
        result = LAB_STORE_NOT_FOUND;
    if (result == LAB_STORE_OK)
        side_init(side, run);
    free(run);
    if (result == LAB_STORE_OK && side->model == NULL)
        result = lab_store_no_memory();
    if (result != LAB_STORE_OK)
        lab_reply_store_error(request, response, result);
    return result == LAB_STORE_OK;
}

/* Reads the base of a comparison of two runs. False when the response is set. */
static bool read_base(const struct lab_request *request, struct lab_response *response, struct side sides[LAB_SIDES])
{
    const char *name = lab_request_query(request, "base");
    const struct side *head = &sides[LAB_HEAD];
    char pinned[LAB_RUN_ID_SIZE];
    if (strcmp(name, "pinned") == 0) {
        const struct lab_identity *viewer = lab_request_identity(request);
        const struct lab_run_filter visible = {.requested_by = lab_sees_only(viewer),
                                               .viewer = lab_sees_secrets_of(viewer)};
        enum lab_store_result result = lab_store_find_pinned(lab_api_of(request)->store, head->id, &visible, pinned);
        if (result == LAB_STORE_NOT_FOUND)
            lab_respond_problem(response, LAB_ERROR_NOT_FOUND,
                                "No other pinned run has the head's experiment, device model and points.", NULL);
        else if (result != LAB_STORE_OK)
            lab_reply_store_error(request, response, result);
        if (result != LAB_STORE_OK)
            return false;
        name = pinned;
    }
    if (!read_run(request, response, name, &sides[LAB_BASE]))
        return false;
    if (strcmp(sides[LAB_BASE].id, head->id) == 0) {
        reply_error(response, "/query/head", "Must be another run than the base; both are %s.", head->id);
        return false;
    }
    if (strcmp(experiment_of(&sides[LAB_BASE]), experiment_of(head)) == 0)
        return true;
    reply_error(response, "/query/head", "Must be a run of the base's experiment, '%s'.",
                experiment_of(&sides[LAB_BASE]));
    return false;
}

/* Reads both sides. False when the response is set. */
static bool read_sides(const struct lab_request *request, struct lab_response *response, struct side sides[LAB_SIDES])
{
    const char *run = lab_request_query(request, "run"), *head = lab_request_query(request, "head");
    if ((run != NULL) == (head != NULL) || (head != NULL) != (lab_request_query(request, "base") != NULL)) {
        reply_error(response, "/query", "Must have 'base' and 'head', or only 'run'%s.", "");
        return false;
    }
    if (!read_run(request, response, run != NULL ? run : head, &sides[LAB_HEAD]))
        return false;
    if (run == NULL)
        return read_base(request, response, sides);
    if (make_base(sides))
        return true;
    reply_error(response, "/query/run", "Must be a run that compares, with 'compare_with'; %s is not.", run);
    return false;
}

void lab_api_compare(const struct lab_request *request, struct lab_response *response)
{
    struct lab_store *store = lab_api_of(request)->store;
    struct side sides[LAB_SIDES] = {0};
    struct lab_matches matches = {0};
    const struct side *base = &sides[LAB_BASE], *head = &sides[LAB_HEAD];
    json_t *document = NULL;
    enum lab_store_result result;
    if (!read_sides(request, response, sides))
        goto out;
    result = lab_request_query(request, "run") != NULL
                 ? lab_matches_of_sides(&matches, store, experiment_of(head), head->id)
                 : lab_matches_of_runs(&matches, store, experiment_of(head), base->id, head->id);
    if (result == LAB_STORE_OK)
        document = make_document(store, sides, &matches, lab_request_number(request, "minimum_effect"), &result);
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200, document);
    else
        lab_reply_store_error(request, response, result);
out:
    lab_matches_release(&matches);
    for (size_t i = 0; i < LAB_SIDES; i++)
        free_side(&sides[i]);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema comparison_environment_members[] = {
    {LAB_GIVEN(STRING, "path")},
    {LAB_GIVEN(STRING, "kind")},
    {LAB_GIVEN(SCALAR, "base"), .nullable = true},
    {LAB_GIVEN(SCALAR, "head"), .nullable = true},
    {0},
};

static const struct lab_schema comparison_samples_missing_members[] = {
    {LAB_GIVEN(INTEGER, "base")},
    {LAB_GIVEN(INTEGER, "head")},
    {0},
};

static const struct lab_schema comparison_summary_members[] = {
    {LAB_GIVEN(INTEGER, "faster")},
    {LAB_GIVEN(INTEGER, "slower")},
    {LAB_GIVEN(INTEGER, "same")},
    {LAB_GIVEN(INTEGER, "unclear")},
    {0},
};

static const struct lab_schema comparison_members[] = {
    {LAB_GIVEN(OBJECT, "base"), .component = "RunSummary"},
    {LAB_GIVEN(OBJECT, "head"), .component = "RunSummary"},
    {LAB_GIVEN(OBJECT, "environment"), .count = LAB_LIST, .members = comparison_environment_members, .withheld = true,
     .text = "What differs between the environments, what usually explains a difference first."},
    {LAB_GIVEN(STRING, "warnings"), .count = LAB_LIST},
    {LAB_GIVEN(OBJECT, "samples_missing"), .members = comparison_samples_missing_members,
     .text = "How many points cannot be judged because a side has no samples."},
    {LAB_GIVEN(OBJECT, "points"), .count = LAB_LIST, .component = "ComparedPoint"},
    {LAB_GIVEN(OBJECT, "only_base"), .component = "UnmatchedPoints"},
    {LAB_GIVEN(OBJECT, "only_head"), .component = "UnmatchedPoints"},
    {LAB_GIVEN(NUMBER, "minimum_effect"), .text = "The relative difference that matters, as it was asked for."},
    {LAB_GIVEN(CHOICE, "verdict"), .choices = lab_verdict_names,
     .text =
         "About all points: slower if one is, else faster if one is, else unclear if one is or there is none, else same."},
    {LAB_GIVEN(OBJECT, "summary"), .members = comparison_summary_members},
    {0},
};

static const struct lab_schema unmatched_points_members[] = {
    {LAB_GIVEN(INTEGER, "count")},
    {LAB_GIVEN(OBJECT, "axes"), .count = LAB_LIST, .component = "Axes", .text = "The axes of the first of them."},
    {0},
};

const struct lab_schema lab_compare_documents[] = {
    {.name = "Comparison",
     .type = LAB_TYPE_OBJECT,
     .members = comparison_members,
     .text = "Two runs, or the two sides of a run, point by point. Ratios are head / base."},
    {.name = "UnmatchedPoints", .type = LAB_TYPE_OBJECT, .members = unmatched_points_members},
    {0},
};
