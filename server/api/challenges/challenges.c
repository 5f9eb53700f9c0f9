/* GET /api/v1/challenges, /challenges/{name} and /ready-challenges. */
#include "challenge.h"

#include "../runs/members.h"
#include "openapi/schemas.h"
#include "visibility.h"

#include "core/clock.h"
#include "core/result_rows.h"
#include "descriptor/ready_challenges.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdlib.h>

const char *const lab_score_names[] = {"time", "peak", NULL};

void lab_reply_no_challenge(const struct lab_request *request, struct lab_response *response,
                            enum lab_store_result result)
{
    if (result == LAB_STORE_NOT_FOUND)
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Challenge not found.", NULL);
    else
        lab_reply_store_error(request, response, result);
}

struct lab_challenge_row *lab_challenge_of(const struct lab_request *request, struct lab_response *response)
{
    struct lab_challenge_row *challenge;
    enum lab_store_result result = lab_store_get_challenge(
        lab_api_of(request)->store, lab_request_part(request, "name"), lab_requested_by(request), &challenge);
    if (result == LAB_STORE_OK && !lab_may_see_challenge(lab_request_identity(request), challenge))
        result = LAB_STORE_NOT_FOUND;
    if (result == LAB_STORE_OK)
        return challenge;
    free(challenge);
    lab_reply_no_challenge(request, response, result);
    return NULL;
}

bool lab_challenge_is_open(const struct lab_challenge_row *challenge, int64_t now)
{
    return challenge->opens_at <= now && now < challenge->closes_at; /* LAB_NO_TIME is the least */
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

json_t *lab_challenge_json(const struct lab_request *request, const struct lab_challenge_row *challenge)
{
    int64_t now = lab_time_now();
    json_t *object = lab_row_to_json(lab_challenge_members, challenge, NULL);
    const json_t *shows = json_object_get(object, "shows");
    json_object_set_new(object, "open", json_boolean(lab_challenge_is_open(challenge, now)));
    json_object_set_new(object, "submissions", json_integer(challenge->submissions));
    if (now < challenge->closes_at && lab_request_identity(request)->role < LAB_ROLE_ADMIN &&
        !json_is_true(json_object_get(shows, "reference")))
        lab_kernel_hide_expected(json_object_get(object, "kernel"));
    return object;
}

static const struct lab_schema summary_members[];

/* The members of a list's items. */
static json_t *summary_json(const struct lab_request *request, const struct lab_challenge_row *challenge)
{
    json_t *whole = lab_challenge_json(request, challenge), *summary = json_object();
    for (const struct lab_schema *member = summary_members; member->name != NULL; member++)
        json_object_set(summary, member->name, json_object_get(whole, member->name));
    json_decref(whole);
    return summary;
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

struct list {
    const struct lab_request *request;
    json_t *challenges;
};

static void add_challenge(void *context, const struct lab_challenge_row *challenge)
{
    struct list *list = context;
    if (lab_may_see_challenge(lab_request_identity(list->request), challenge))
        json_array_append_new(list->challenges, summary_json(list->request, challenge));
}

void lab_api_list_challenges(const struct lab_request *request, struct lab_response *response)
{
    struct list list = {request, json_array()};
    lab_reply_list(
        request, response, "challenges",
        lab_store_list_challenges(lab_api_of(request)->store, lab_requested_by(request), add_challenge, &list),
        list.challenges);
}

void lab_api_get_challenge(const struct lab_request *request, struct lab_response *response)
{
    struct lab_challenge_row *challenge = lab_challenge_of(request, response);
    if (challenge != NULL)
        lab_respond_json(response, 200, lab_challenge_json(request, challenge));
    free(challenge);
}

void lab_api_list_ready_challenges(const struct lab_request *request, struct lab_response *response)
{
    json_t *challenges = json_array();
    (void)request;
    for (const struct lab_ready_challenge *ready = lab_ready_challenges; ready->name != NULL; ready++)
        json_array_append_new(challenges, json_loads(ready->document, 0, NULL));
    lab_respond_json(response, 200, json_pack("{s:o}", "challenges", challenges));
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

const struct lab_schema lab_challenge_shows_members[] = {
    {LAB_MEMBER(BOOLEAN, "reference", "Before the end, whether the challenge shows what outputs are compared with."),
     .fallback = "false"},
    {LAB_MEMBER(BOOLEAN, "wrong", "Before the end, whether a submission says which element is the first wrong one."),
     .fallback = "false"},
    {0},
};

#define OPEN LAB_GIVEN(BOOLEAN, "open"), .text = "Whether submissions are accepted."
#define SUBMISSIONS LAB_GIVEN(INTEGER, "submissions"), .maximum = INFINITY, .text = "Those of the person who asks."

static const struct lab_schema summary_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(CHOICE, "score"), .choices = lab_score_names},
    {LAB_GIVEN(TIME, "opens_at"), .nullable = true, .component = "Time"},
    {LAB_GIVEN(TIME, "closes_at"), .component = "Time"},
    {OPEN},
    {SUBMISSIONS},
    {0},
};

static const struct lab_schema challenge_members[] = {
    LAB_CHALLENGE_MEMBERS(LAB_ANSWERED, ){OPEN},
    {SUBMISSIONS},
    {0},
};

static const struct lab_schema challenges_members[] = {
    {LAB_GIVEN(OBJECT, "challenges"), .count = LAB_LIST, .members = summary_members,
     .text = "Those that end last come first."},
    {0},
};

static const struct lab_schema ready_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "text")},
    {LAB_GIVEN(OBJECT, "kernel")},
    {LAB_GIVEN(STRING, "start")},
    {LAB_GIVEN(CHOICE, "score"), .choices = lab_score_names},
    {LAB_GIVEN(OBJECT, "shows"), LAB_CHALLENGE_SHOWS},
    {0},
};

static const struct lab_schema all_ready_members[] = {
    {LAB_GIVEN(OBJECT, "challenges"), .count = LAB_LIST, .members = ready_members,
     .text = "Each can be published when `closes_at` is added."},
    {0},
};

const struct lab_schema lab_challenges_documents[] = {
    {.name = "ReadyChallenges", .type = LAB_TYPE_OBJECT, .members = all_ready_members},
    {.name = "Challenges", .type = LAB_TYPE_OBJECT, .members = challenges_members},
    {.name = "Challenge", .type = LAB_TYPE_OBJECT, .members = challenge_members},
    {0},
};
