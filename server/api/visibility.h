/* What of a run is visible to whom: every route that returns runs, or parts of them, asks here.
 *
 *   - A secret run (`secret_until`): to the person who asked for it and to admins alone, until that time.
 *   - Other runs to viewers, operators and admins: all, whole.
 *   - To anonymous clients, in a lab that is open to everyone (`gpulab serve --anonymous`): a run, unless it measured a
 *     person's own code. Members whose rows are `withheld` (core/schema.h) have an empty value: null, "", [] or {}; if
 *     they need not be present, they are absent. A run that is marked `public` is shown whole.
 *   - To participants: the runs that they requested, whole; by its id, which a ranking gives, also a submission to a
 *     challenge that has ended.
 *
 * To whom a run is not visible, it does not exist. What is made of several runs, such as a series, has no runs of own
 * kernels, and only those can be secret.
 */
#ifndef LAB_API_VISIBILITY_H
#define LAB_API_VISIBILITY_H

#include "http/http.h"
#include "jobs/jobs.h"
#include "store.h"

/* Whether someone may know of the run. */
bool lab_may_see(const struct lab_identity *viewer, const struct lab_run_row *run);
/* The person whose runs alone someone may know of; NULL: runs of all people. Valid as long as `viewer`. */
const char *lab_sees_only(const struct lab_identity *viewer);
/* The person whose secret runs alone someone may know of; NULL: an admin, who knows of all. Valid as long as
 * `viewer`. */
const char *lab_sees_secrets_of(const struct lab_identity *viewer);
/* Whether someone may know of a challenge: before it opens, admins alone. */
bool lab_may_see_challenge(const struct lab_identity *viewer, const struct lab_challenge_row *challenge);
/* Reads the state of the queue as who sends the request may know it: participants not the runs in progress, and below
 * viewers none of the reasons why a machine starts no run, which name machines, users and paths. */
void lab_queue_seen(const struct lab_request *request, struct lab_queue_state *state);

#endif
