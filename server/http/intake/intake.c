/* The checks of a request, in their order. */
#include "intake.h"

#include <string.h>

/* libmicrohttpd passes the target as a C string, which ends at the first NUL. The version follows the target in the
 * same buffer; when it does not start right after the target's end, the target contains a NUL. */
static bool check_no_nul(struct lab_request *request, const char *version)
{
    uintptr_t start = (uintptr_t)request->target.source, after = (uintptr_t)version;
    bool same_buffer = after > start && after - start <= LAB_CONNECTION_MEMORY;
    if (same_buffer && after - start != strlen(request->target.text) + 1)
        return lab_request_reject(request, true, LAB_ERROR_MALFORMED_TARGET,
                                  "The request target must not contain a NUL.");
    return true;
}

static bool check_target(struct lab_request *request)
{
    struct lab_error error;
    return lab_target_parse(&request->target, &error) ||
           lab_request_reject(request, false, error.code, "%s", error.detail);
}

bool lab_intake_check(struct lab_request *request, const char *version)
{
    if (atomic_load(&request->connection->http->stopping))
        return lab_request_reject(request, true, LAB_ERROR_STOPPING, "The server is stopping.");
    if (!check_no_nul(request, version) || !lab_framing_check(request) || !check_target(request) ||
        !lab_origin_check_host(request) || !lab_route_find(request) || !lab_access_check(request))
        return false;
    return (lab_request_is_read(request) || lab_origin_check_write(request)) && lab_body_check(request);
}
