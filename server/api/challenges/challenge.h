/* What the routes of challenges share. */
#ifndef LAB_API_CHALLENGE_H
#define LAB_API_CHALLENGE_H

#include "store.h"

#include "../resources.h"
#include "core/json_text.h"
#include "descriptor/results.h"

/* What ranks submissions, in the order of lab_score_names: the shortest time, or the largest share of the device's
 * peak. There is no speedup over the reference, which is in another process than the submission. */
enum lab_score { LAB_SCORE_TIME, LAB_SCORE_PEAK };
/* Ends with NULL. */
extern const char *const lab_score_names[];

extern const struct lab_schema lab_challenge_shows_members[];

/* The details of rows of LAB_CHALLENGE_MEMBERS. */
#define LAB_CHALLENGE_SCORE                                                                                            \
    .choices = lab_score_names, .text = "What ranks submissions: the shortest time, or the largest share of the peak."
#define LAB_CHALLENGE_SHOWS .members = lab_challenge_shows_members

/* Reads the challenge that the path names, if who sends the request may know of it; the caller frees it. NULL where it
 * has responded. */
struct lab_challenge_row *lab_challenge_of(const struct lab_request *request, struct lab_response *response);
/* Responds to a call of the store about the challenge of the path that failed. */
void lab_reply_no_challenge(const struct lab_request *request, struct lab_response *response,
                            enum lab_store_result result);
/* The challenge as who sends the request may see it, a new reference. */
json_t *lab_challenge_json(const struct lab_request *request, const struct lab_challenge_row *challenge);
/* Whether submissions are accepted at the time `now`. */
bool lab_challenge_is_open(const struct lab_challenge_row *challenge, int64_t now);

#endif
