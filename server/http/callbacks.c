/* libmicrohttpd's callbacks. For each request they are called in this order: the request line is read
 * (lab_connection_begin); the headers are complete: the request is checked and its route found, or it is rejected
 * (begin); pieces of the body arrive (lab_body_take); the response is made (lab_request_handle); it has been sent
 * (lab_connection_end).
 */
#include "callbacks.h"

#include "http/connection/connection.h"
#include "http/intake/intake.h"
#include "http/output/output.h"
#include "http/work/work.h"

#include <stdlib.h>
#include <string.h>

/* If it leaves *socket_context NULL, because memory ran out, the connection is closed at its first request. */
static void open_connection(struct lab_http *http, struct MHD_Connection *mhd, void **socket_context)
{
    const struct sockaddr *address = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    struct lab_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        return;
    connection->http = http;
    connection->mhd = mhd;
    connection->socket = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    lab_peer_read(connection->socket, &connection->peer);
    pthread_mutex_lock(&http->connections_lock);
    connection->client = lab_clients_join(http->clients, address);
    if (connection->client == NULL) {
        pthread_mutex_unlock(&http->connections_lock);
        free(connection);
        return;
    }
    gnutls_session_t session = lab_connection_tls(connection);
    if (session != NULL)
        connection->tls_pair = lab_tls_use(http->tls, session);
    *socket_context = connection;
    LIST_INSERT_HEAD(&http->connections, connection, link);
    bool is_first = atomic_fetch_add(&http->connection_count, 1) == 0;
    pthread_mutex_unlock(&http->connections_lock);
    lab_phase_enter(connection, LAB_PHASE_HEADER);
    if (is_first)
        lab_http_wake(http);
}

static void close_connection(struct lab_http *http, struct lab_connection *connection)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&http->connections_lock);
    lab_phase_leave(connection);
    lab_clients_leave(http->clients, connection->client, connection->wait.is_closing);
    LIST_REMOVE(connection, link);
    bool was_full = atomic_fetch_sub(&http->connection_count, 1) >= http->connections_max;
    pthread_mutex_unlock(&http->connections_lock);
    if (was_full)
        lab_http_wake(http);
    lab_tls_release(http->tls, connection->tls_pair);
    lab_target_release(&connection->request.target);
    lab_body_release(&connection->request.body);
    json_decref(connection->request.json);
    free(connection);
}

void lab_connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                           enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        open_connection(context, mhd, socket_context);
    else
        close_connection(context, *socket_context);
}

void *lab_connection_begin(void *context, const char *target, struct MHD_Connection *mhd)
{
    (void)context;
    struct lab_connection *connection = lab_connection_of(mhd);
    if (connection == NULL)
        return NULL;
    lab_phase_enter(connection, LAB_PHASE_HEADER);
    connection->request.connection = connection;
    connection->request.begun = true;
    connection->request.method = "-"; /* until the headers are complete */
    lab_log_entry_begin(&connection->request);
    lab_target_set(&connection->request.target, target != NULL ? target : "");
    return &connection->request;
}

static void decrement_active(struct lab_http *http)
{
    if (atomic_fetch_sub(&http->active, 1) != 1 || !atomic_load(&http->stopping))
        return;
    pthread_mutex_lock(&http->active_lock);
    pthread_cond_broadcast(&http->active_none);
    pthread_mutex_unlock(&http->active_lock);
}

/* Prepares the struct for the connection's next request. Members that every request sets, and members that are read
 * only when another member allows it, are not cleared. */
static void reset(struct lab_request *request)
{
    enum { KEPT_CAPACITY = 4096 };
    if (request->target.capacity > KEPT_CAPACITY)
        lab_target_release(&request->target);
    lab_body_release(&request->body);
    json_decref(request->json);
    request->json = NULL;
    request->begun = request->headers_complete = false;
    request->active = request->body_unread = request->handed_over = false;
    request->route = NULL;
    request->file = NULL;
    request->page = NULL;
    request->part_count = 0;
    request->identity = (struct lab_identity){0};
    request->rejection.error.code = LAB_ERROR_NONE;
    request->rejection.allow[0] = '\0';
    memset(request->headers, 0, sizeof request->headers);
    request->shared_origin = NULL;
}

void lab_connection_end(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code)
{
    (void)mhd;
    (void)code;
    struct lab_http *http = context;
    struct lab_request *request = *request_context;
    if (request == NULL)
        return;
    struct lab_connection *connection = request->connection;
    if (request->body_unread)
        lab_connection_drain(connection);
    lab_log_entry_end(request);
    if (request->active)
        decrement_active(http);
    lab_response_release(&request->response); /* a response that could not be sent */
    reset(request);
    *request_context = NULL;
    lab_phase_enter(connection, LAB_PHASE_IDLE);
}

/* Called when the headers are complete. A rejected request is answered now, and its connection closed, when the end of
 * its body is unknown, its body is too long to be read, or its client waits for "100 Continue" (Expect). Otherwise the
 * body is read first, and the connection stays open. */
static enum MHD_Result begin(struct lab_request *request, const char *method, const char *version)
{
    struct lab_connection *connection = request->connection;
    struct lab_http *http = connection->http;
    request->headers_complete = true;
    request->method = method;
    request->head = strcmp(method, "HEAD") == 0;
    request->active = true;
    atomic_fetch_add(&http->active, 1);
    lab_intake_check(request, version);
    size_t length = lab_framing_body_length(request);
    bool too_long = length != SIZE_MAX && length > lab_body_max(request);
    bool waits = length > 0 && request->headers[LAB_HEADER_EXPECT] != NULL;
    if (request->rejection.error.code != LAB_ERROR_NONE && (request->rejection.close || too_long || waits)) {
        request->body_unread = true;
        return lab_request_handle(request);
    }
    if (length > 0)
        lab_phase_enter(connection, LAB_PHASE_BODY);
    return MHD_YES;
}

enum MHD_Result lab_connection_handle(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                                      const char *version, const char *upload, size_t *upload_size,
                                      void **request_context)
{
    (void)context;
    (void)mhd;
    (void)url;
    struct lab_request *request = *request_context;
    if (request == NULL || request->target.text == NULL)
        return MHD_NO;
    if (!request->headers_complete)
        return begin(request, method, version);
    if (*upload_size > 0)
        return lab_body_take(request, upload, upload_size);
    return lab_request_handle(request);
}
