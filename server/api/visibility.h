/* What of a run is visible to whom: every route that returns runs, or parts of them, asks here. Viewers, operators and
 * admins see every run. What the others see of the routes that they may call (routes.c):
 *
 *   - Anonymous clients, in a lab that is open to everyone (`gpulab serve --anonymous`): a run, unless it measured a
 *     person's own code. Members whose rows are `withheld` (core/schema.h) have an empty value: null, "", [] or {}; if
 *     they need not be present, they are absent. A run that is marked `public` is shown whole.
 *   - Participants: the runs that they requested, whole; to them all other runs do not exist.
 */
#ifndef LAB_API_VISIBILITY_H
#define LAB_API_VISIBILITY_H

#include "http/http.h"
#include "store.h"

/* Whether someone may know of the run. */
bool lab_may_see(const struct lab_identity *viewer, const struct lab_run_row *run);
/* The person whose runs alone someone may know of; NULL: runs of all people. Valid as long as `viewer`. */
const char *lab_sees_only(const struct lab_identity *viewer);

#endif
