/* Refuses a connection: writes a problem document to its socket directly, when libmicrohttpd cannot send a response.
 *
 * That is so in the middle of a body, and for the errors that libmicrohttpd itself detects. It answers those with HTML,
 * some of them twice, and has no hook for them. But it queues that answer with its public function MHD_queue_response,
 * and the dynamic linker resolves a program's and its libraries' references to a name to one definition, the program's:
 * the one below. Responses of server/http go to libmicrohttpd's own function (lab_http_queue_function). Where
 * libmicrohttpd is linked so that it does not use the dynamic linker for its own names (-Bsymbolic), the answers are
 * HTML as before.
 */
#include "parts.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Sends without waiting. False when nothing was sent. */
static bool send_text(struct lab_connection *connection, const char *text)
{
    gnutls_session_t session = lab_connection_tls(connection);
    if (session != NULL)
        return gnutls_record_send(session, text, strlen(text)) > 0;
    return send(connection->socket, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

void lab_connection_refuse(struct lab_connection *connection, enum lab_error_code code, const char *detail)
{
    struct lab_request *request = &connection->request;
    if (connection->refused)
        return;
    connection->refused = true;
    char *bytes = lab_problem_bytes(request->begun ? lab_request_path(request) : "", code, detail);
    if (bytes != NULL && send_text(connection, bytes))
        lab_connection_drain(connection);
    if (request->begun)
        lab_log_entry_response(request, lab_error_status(code), NULL);
    free(bytes);
}

/* --- errors that libmicrohttpd detects ---------------------------------------------------------------------------- */

static const struct {
    bool in_body; /* detected after the headers were complete */
    enum lab_error_code code;
    const char *detail;
} errors[] = {
    {false, LAB_ERROR_MALFORMED_REQUEST, "The request line or a header is not valid HTTP/1.1."},
    {true, LAB_ERROR_MALFORMED_BODY, "The chunks of the body are not valid."},
    {false, LAB_ERROR_BODY_TOO_LARGE, "Content-Length is too large."},
    {true, LAB_ERROR_BODY_TOO_LARGE, "A chunk of the body is too large."},
    {false, LAB_ERROR_TARGET_TOO_LONG, "The request line and the headers must have at most 16 KiB."},
    {false, LAB_ERROR_HEADERS_TOO_LARGE, "The request line and the headers must have at most 16 KiB."},
    {true, LAB_ERROR_HEADERS_TOO_LARGE, "The trailers of the body, with the headers, must have at most 16 KiB."},
    {false, LAB_ERROR_UNSUPPORTED_VERSION, "The HTTP version must be 1.1 or 1.0."},
};

/* libmicrohttpd calls this with its own answer to an error. MHD_NO makes it close the connection without it. */
enum MHD_Result MHD_queue_response(struct MHD_Connection *mhd, unsigned status, struct MHD_Response *response)
{
    (void)response;
    struct lab_connection *connection = lab_connection_of(mhd);
    if (connection == NULL)
        return MHD_NO;
    bool in_body = connection->request.headers_complete;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if ((unsigned)lab_error_status(errors[i].code) == status && errors[i].in_body == in_body) {
            lab_connection_refuse(connection, errors[i].code, errors[i].detail);
            return MHD_NO;
        }
    }
    lab_connection_refuse(connection, LAB_ERROR_OUT_OF_MEMORY, "Out of memory for the request.");
    return MHD_NO;
}

lab_queue_function *lab_http_queue_function(void)
{
    lab_queue_function *function = NULL;
    *(void **)&function = dlsym(RTLD_NEXT, "MHD_queue_response");
    return function;
}
