/* GET /api/v1/challenges/{name}/ranking: the best submission of each person on a device model. */
#include "challenge.h"

#include "openapi/schemas.h"

#include "analysis/places.h"
#include "core/clock.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SAMPLES_MAX: of a submission, by which places are told apart; later ones are left out. */
enum { SAMPLES_MAX = 1024 };

/* What each score is of the experiment kernel. */
static const struct {
    const char *metric;
    bool larger_is_better;
} metrics[] = {[LAB_SCORE_TIME] = {"time", false}, [LAB_SCORE_PEAK] = {"share_of_peak", true}};

/* What is read: the submissions that count, and how many there are by model and by person. Persons without a name are
 * one. */
struct ranking {
    enum lab_score score;
    json_t *submissions; /* {run, by, at, model, position, value, lo, hi, unit} */
    json_t *models;      /* {MODEL: number} */
};

static void add_one(json_t *counts, const char *name)
{
    json_object_set_new(counts, name, json_integer(lab_integer_of(counts, name, 0) + 1));
}

static void add_submission(void *context, const struct lab_standing_row *row)
{
    struct ranking *ranking = context;
    add_one(ranking->models, row->model);
    json_array_append_new(ranking->submissions,
                          json_pack("{s:s, s:s?, s:o, s:s, s:I, s:f, s:f, s:f, s:s}", "run", row->run, "by",
                                    row->person, "at", lab_json_time_or_null(row->created_at), "model", row->model,
                                    "position", (json_int_t)row->position, "value", row->median, "lo", row->q1, "hi",
                                    row->q3, "unit", row->unit));
}

/* --- the best of each person -------------------------------------------------------------------------------------- */

/* The model with the most submissions; NULL: there are none. */
static const char *most_used(json_t *models)
{
    const char *model, *found = NULL;
    json_t *count;
    json_object_foreach(models, model, count)
    {
        if (found == NULL || json_integer_value(count) > lab_integer_of(models, found, 0))
            found = model;
    }
    return found;
}

static bool is_better(const struct ranking *ranking, const json_t *submission, const json_t *than)
{
    double value = lab_number_of(submission, "value"), other = lab_number_of(than, "value");
    return metrics[ranking->score].larger_is_better ? value > other : value < other;
}

/* {PERSON: {best, submissions}} on the model, a new reference. Of equal ones the first counts. */
static json_t *find_best(const struct ranking *ranking, const char *model)
{
    json_t *persons = json_object(), *submission;
    size_t index;
    json_array_foreach(ranking->submissions, index, submission)
    {
        const char *by = lab_text_of(submission, "by");
        if (model == NULL || strcmp(lab_text_of(submission, "model"), model) != 0)
            continue;
        if (json_object_get(persons, by) == NULL)
            json_object_set_new(persons, by, json_pack("{s:O, s:i}", "best", submission, "submissions", 0));
        json_t *person = json_object_get(persons, by);
        add_one(person, "submissions");
        if (is_better(ranking, submission, json_object_get(person, "best")))
            json_object_set(person, "best", submission);
    }
    return persons;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* A person of the ranking. */
struct rival {
    struct lab_contender contender; /* first, so that a list of rivals can be copied into one of contenders */
    const json_t *person;
    double *samples;
};

static int larger_first(const void *a, const void *b)
{
    double left = ((const struct rival *)a)->contender.value, right = ((const struct rival *)b)->contender.value;
    return (left < right) - (left > right);
}

static int smaller_first(const void *a, const void *b)
{
    return larger_first(b, a);
}

/* The samples of the best submission of a rival. Without them the medians decide. */
static void read_samples(struct lab_store *store, struct rival *rival)
{
    const json_t *best = json_object_get(rival->person, "best");
    size_t total = 0;
    rival->samples = malloc(SAMPLES_MAX * sizeof *rival->samples);
    if (rival->samples != NULL)
        lab_store_read_samples(store, lab_text_of(best, "run"), lab_integer_of(best, "position", 0), 0, SAMPLES_MAX,
                               rival->samples, &total);
    rival->contender.samples = rival->samples;
    rival->contender.sample_count = total < SAMPLES_MAX ? total : SAMPLES_MAX;
}

/* Sorts the rivals and gives them places. False when out of memory. */
static bool place(const struct ranking *ranking, struct rival *rivals, size_t count)
{
    bool larger = metrics[ranking->score].larger_is_better;
    struct lab_contender *contenders = calloc(count + 1, sizeof *contenders);
    if (contenders == NULL)
        return false;
    qsort(rivals, count, sizeof *rivals, larger ? larger_first : smaller_first);
    for (size_t i = 0; i < count; i++)
        contenders[i] = rivals[i].contender;
    bool good = lab_places(contenders, count, larger);
    for (size_t i = 0; i < count; i++)
        rivals[i].contender = contenders[i];
    free(contenders);
    return good;
}

/* Before the end, others than oneself have no names. */
static json_t *place_json(const struct lab_request *request, const struct rival *rival, bool ended)
{
    const json_t *best = json_object_get(rival->person, "best");
    const char *by = lab_optional_text_of(best, "by"), *self = lab_requested_by(request);
    bool own = by != NULL && self != NULL && strcmp(by, self) == 0;
    bool seen = own || ended || lab_request_identity(request)->role >= LAB_ROLE_ADMIN;
    return json_pack("{s:I, s:b, s:s?, s:b, s:s?, s:O, s:O, s:O, s:O, s:O}", "place",
                     (json_int_t)rival->contender.place, "shared", rival->contender.shared, "by", seen ? by : NULL,
                     "own", own, "run", seen ? lab_text_of(best, "run") : NULL, "value", json_object_get(best, "value"),
                     "lo", json_object_get(best, "lo"), "hi", json_object_get(best, "hi"), "submissions",
                     json_object_get(rival->person, "submissions"), "at", json_object_get(best, "at"));
}

/* The list of places, a new reference; NULL when out of memory. */
static json_t *places_json(const struct lab_request *request, const struct ranking *ranking, json_t *persons,
                           bool ended)
{
    size_t count = 0;
    const char *name;
    json_t *person, *list = NULL;
    struct rival *rivals = calloc(json_object_size(persons) + 1, sizeof *rivals);
    if (rivals == NULL)
        return NULL;
    json_object_foreach(persons, name, person)
    {
        struct rival *rival = &rivals[count++];
        rival->person = person;
        rival->contender.value = lab_number_of(json_object_get(person, "best"), "value");
        read_samples(lab_api_of(request)->store, rival);
    }
    if (place(ranking, rivals, count))
        list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (list != NULL)
            json_array_append_new(list, place_json(request, &rivals[i], ended));
        free(rivals[i].samples);
    }
    free(rivals);
    return list;
}

/* --- the route ---------------------------------------------------------------------------------------------------- */

static json_t *names_of(json_t *models)
{
    const char *model;
    json_t *count, *names = json_array();
    json_object_foreach(models, model, count)
    {
        json_array_append_new(names, json_string(model));
    }
    return names;
}

static void respond(const struct lab_request *request, struct lab_response *response,
                    const struct lab_challenge_row *challenge, const struct ranking *ranking)
{
    const char *device = lab_request_query(request, "device");
    const char *model = device != NULL ? device : most_used(ranking->models);
    const json_t *first = json_array_get(ranking->submissions, 0);
    json_t *persons = find_best(ranking, model);
    json_t *places = places_json(request, ranking, persons, challenge->closes_at <= lab_time_now());
    if (places != NULL)
        lab_respond_json(response, 200,
                         json_pack("{s:s, s:s?, s:o, s:s, s:s?, s:b, s:o}", "challenge", challenge->name, "device",
                                   model, "models", names_of(ranking->models), "score", challenge->score, "unit",
                                   lab_optional_text_of(first, "unit"), "larger_is_better",
                                   metrics[ranking->score].larger_is_better, "places", places));
    else
        lab_reply_store_error(request, response, lab_store_no_memory());
    json_decref(persons);
}

void lab_api_get_ranking(const struct lab_request *request, struct lab_response *response)
{
    struct lab_challenge_row *challenge = lab_challenge_of(request, response);
    if (challenge == NULL)
        return;
    bool by_peak = strcmp(challenge->score, lab_score_names[LAB_SCORE_PEAK]) == 0;
    struct ranking ranking = {by_peak ? LAB_SCORE_PEAK : LAB_SCORE_TIME, json_array(), json_object()};
    enum lab_store_result result = lab_store_list_standings(lab_api_of(request)->store, challenge->name,
                                                            metrics[ranking.score].metric, add_submission, &ranking);
    if (result == LAB_STORE_OK)
        respond(request, response, challenge, &ranking);
    else
        lab_reply_store_error(request, response, result);
    json_decref(ranking.submissions);
    json_decref(ranking.models);
    free(challenge);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema place_members[] = {
    {LAB_GIVEN(INTEGER, "place"), .minimum = 1, .maximum = INFINITY,
     .text = "After a place that several share, as many are left out."},
    {LAB_GIVEN(BOOLEAN, "shared"), .text = "Others cannot be told apart from it."},
    {LAB_GIVEN(STRING, "by"), .nullable = true, .text = "null: unknown, or another person, before the end."},
    {LAB_GIVEN(BOOLEAN, "own")},
    {LAB_GIVEN(STRING, "run"), .nullable = true, .text = "The id of the best submission; null where `by` is hidden."},
    {LAB_GIVEN(NUMBER, "value"), .text = "The median."},
    {LAB_GIVEN(NUMBER, "lo"), .text = "The quartiles."},
    {LAB_GIVEN(NUMBER, "hi")},
    {LAB_GIVEN(INTEGER, "submissions"), .maximum = INFINITY,
     .text = "How many of the person's submissions are right, on this model."},
    {LAB_GIVEN(TIME, "at"), .component = "Time"},
    {0},
};

static const struct lab_schema ranking_members[] = {
    {LAB_GIVEN(STRING, "challenge")},
    {LAB_GIVEN(STRING, "device"), .nullable = true, .text = "The device model; null where nothing was submitted."},
    {LAB_GIVEN(STRING, "models"), .count = LAB_LIST, .text = "The device models of submissions that count."},
    {LAB_GIVEN(CHOICE, "score"), .choices = lab_score_names},
    {LAB_GIVEN(STRING, "unit"), .nullable = true},
    {LAB_GIVEN(BOOLEAN, "larger_is_better")},
    {LAB_GIVEN(OBJECT, "places"), .count = LAB_LIST, .members = place_members, .text = "The best first."},
    {0},
};

const struct lab_schema lab_ranking_documents[] = {
    {.name = "Ranking", .type = LAB_TYPE_OBJECT, .members = ranking_members},
    {0},
};
