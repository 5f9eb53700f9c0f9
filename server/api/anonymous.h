/* What a lab that is open to everyone (`gpulab serve --anonymous`) shows to clients without a token, of the routes with
 * the role `anonymous` in routes.c.
 *
 *   - A run is shown, unless it measured a person's own code. Members whose rows are `withheld` (core/schema.h) have an
 *     empty value: null, "", [] or {}; if they need not be present, they are absent.
 *   - A run that is marked `public` is shown whole.
 */
#ifndef LAB_API_ANONYMOUS_H
#define LAB_API_ANONYMOUS_H

#include "http/http.h"
#include "store.h"

bool lab_request_is_anonymous(const struct lab_request *request);
/* Whether whoever sends the request may know of the run. To all others but an anonymous client every run is shown. */
bool lab_request_may_see(const struct lab_request *request, const struct lab_run_row *run);

#endif
