/* Intake: the checks that a request passes when its headers are complete, before its body is read and its handler
 * called. Each check returns false when it rejected the request (lab_request_reject). */
#ifndef LAB_HTTP_INTAKE_H
#define LAB_HTTP_INTAKE_H

#include "http/connection/connection.h"

/* Makes all checks in their order. `version` is libmicrohttpd's, which follows the target in memory. */
bool lab_intake_check(struct lab_request *request, const char *version);

/* Reads the headers into request->headers and checks those that say where the request ends. */
bool lab_framing_check(struct lab_request *request);
/* The length of the body: 0 without one, SIZE_MAX for a chunked body. */
size_t lab_framing_body_length(const struct lab_request *request);
/* Rejects a request whose Host is not a name of this server. */
bool lab_origin_check_host(struct lab_request *request);
/* Rejects a request that the page of another site sent. */
bool lab_origin_check_write(struct lab_request *request);
/* The origin of another site whose script may read the answer, without credentials; NULL: none. request->shared_origin
 * keeps it. */
const char *lab_origin_shared(const struct lab_request *request);
/* Sets request->route and its parts, or request->file and, with its parts, request->page. Rejects with 404, 405 or
 * 501. */
bool lab_route_find(struct lab_request *request);
/* Sets request->identity; rejects a request that needs a token (401) or another role (403), or that is one of
 * too many (429). */
bool lab_access_check(struct lab_request *request);
/* Later, while its handler waits: rejects a request whose token was revoked since (401). */
bool lab_access_check_again(struct lab_request *request);
/* The largest body that the request may have, in bytes. */
size_t lab_body_max(const struct lab_request *request);
/* Checks the headers that describe the body: its length, type and coding. Rejects with 413 or 415. */
bool lab_body_check(struct lab_request *request);

#endif
