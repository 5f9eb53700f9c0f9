/* POST /api/v1/challenges/{name}/submissions: a run of the challenge's kernel with the source of a person. */
#include "challenge.h"

#include "core/clock.h"
#include "descriptor/own_kernel.h"

#include <stdlib.h>
#include <string.h>

/* The kernel of the challenge with the members that the person gives, a new reference. Options that are given are added
 * to those of the challenge. */
static json_t *kernel_of(const struct lab_challenge_row *challenge, const json_t *given)
{
    json_t *kernel = lab_json_stored_object(challenge->kernel);
    json_t *options = json_copy(json_object_get(kernel, "options"));
    for (const struct lab_schema *member = lab_own_submission_members; member->name != NULL; member++)
        if (json_object_get(given, member->name) != NULL)
            json_object_set(kernel, member->name, json_object_get(given, member->name));
    if (options != NULL)
        json_object_update(options, json_object_get(given, "options"));
    if (options != NULL)
        json_object_set(kernel, "options", options);
    json_decref(options);
    return kernel;
}

static void refuse_closed(struct lab_response *response, const struct lab_challenge_row *challenge, int64_t now)
{
    lab_respond_problem(response, LAB_ERROR_CHALLENGE_NOT_OPEN,
                        now < challenge->closes_at
                            ? "The challenge has not begun: 'opens_at' says when it takes submissions."
                            : "The challenge has ended: it takes no more submissions.",
                        NULL);
}

void lab_api_submit(const struct lab_request *request, struct lab_response *response)
{
    const json_t *given = lab_request_json(request);
    int64_t now = lab_time_now();
    struct lab_challenge_row *challenge = lab_challenge_of(request, response);
    if (challenge == NULL)
        return;
    if (lab_challenge_is_open(challenge, now)) {
        json_t *body = json_pack("{s:s, s:o}", "experiment", "kernel", "kernel", kernel_of(challenge, given));
        json_t *key_body = json_pack("{s:s, s:O}", "challenge", challenge->name, "body", given);
        lab_submit_run(request, response, &(struct lab_new_run){body, key_body, challenge->name});
        json_decref(key_body);
        json_decref(body);
    } else {
        refuse_closed(response, challenge, now);
    }
    free(challenge);
}
