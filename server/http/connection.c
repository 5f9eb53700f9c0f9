/* A connection from libmicrohttpd's point of view, and the life of a request on it: its target comes first, then its
 * headers are looked at and a handler is found or the request refused, then its body arrives, then it is answered.
 */
#include "internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

int64_t lab_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t lab_after_ms(double seconds)
{
    return lab_now_ms() + (int64_t)(seconds * 1e3);
}

static struct lab_connection *connection_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void open_connection(struct lab_http *http, struct MHD_Connection *mhd, void **socket_context)
{
    struct lab_connection *connection = calloc(1, sizeof *connection);
    *socket_context = connection; /* without one, its first request closes it */
    if (connection == NULL)
        return;
    connection->http = http;
    connection->mhd = mhd;
    connection->socket = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    connection->deadline_ms = lab_after_ms(http->deadlines.header_s);
    pthread_mutex_lock(&http->connections_lock);
    connection->next = http->connections;
    if (http->connections != NULL)
        http->connections->previous = connection;
    http->connections = connection;
    bool first = atomic_fetch_add(&http->connection_count, 1) == 0;
    pthread_mutex_unlock(&http->connections_lock);
    if (first)
        lab_timeouts_wake(http->timeouts);
}

static void close_connection(struct lab_http *http, struct lab_connection *connection)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&http->connections_lock);
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        http->connections = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    bool was_full = atomic_fetch_sub(&http->connection_count, 1) == LAB_CONNECTIONS_MAX;
    pthread_mutex_unlock(&http->connections_lock);
    if (was_full)
        lab_timeouts_wake(http->timeouts);
    lab_target_free(&connection->request.target);
    free(connection->request.body);
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
    struct lab_http *http = context;
    struct lab_connection *connection = connection_of(mhd);
    if (connection == NULL)
        return NULL;
    atomic_store(&connection->idle, false);
    atomic_store(&connection->deadline_ms, lab_after_ms(http->deadlines.header_s));
    connection->request.connection = connection;
    lab_target_set(&connection->request.target, target != NULL ? target : "");
    return &connection->request;
}

/* Gives what is still unread to the timeouts, so that the client hears the answer before the connection is gone. */
static void linger(struct lab_connection *connection)
{
    int copy = fcntl(connection->socket, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0)
        lab_timeouts_linger(connection->http->timeouts, copy);
}

static void count_out(struct lab_http *http)
{
    if (atomic_fetch_sub(&http->active, 1) != 1 || !atomic_load(&http->stopping))
        return;
    pthread_mutex_lock(&http->active_lock);
    pthread_cond_broadcast(&http->active_none);
    pthread_mutex_unlock(&http->active_lock);
}

/* Makes the request ready for the next one of its connection. What each request sets anew, or what is read only when
 * something else says so, is left as it is: this is done for every request. */
static void reset(struct lab_request *request)
{
    enum { KEPT_CAPACITY = 4096 };
    if (request->target.capacity > KEPT_CAPACITY)
        lab_target_free(&request->target);
    free(request->body);
    request->body = NULL;
    request->body_length = request->body_capacity = 0;
    request->begun = request->counted = request->unread = false;
    request->route = NULL;
    request->page = NULL;
    request->part_count = 0;
    request->refusal.status = 0;
    request->refusal.allow[0] = '\0';
    memset(request->headers, 0, sizeof request->headers);
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
    if (request->unread)
        linger(connection);
    if (request->counted)
        count_out(http);
    reset(request);
    *request_context = NULL;
    atomic_store(&connection->deadline_ms, lab_after_ms(http->deadlines.idle_s));
    atomic_store(&connection->idle, true);
}

static enum MHD_Result answer(struct lab_request *request)
{
    struct lab_connection *connection = request->connection;
    struct lab_response response = {.request = request};
    atomic_store(&connection->deadline_ms, lab_after_ms(connection->http->deadlines.answer_s));
    if (request->refusal.status != 0)
        lab_respond_refusal(request, &response);
    else if (request->page != NULL)
        lab_page_respond(request->page, request, &response);
    else
        request->route->handle(request, &response);
    enum MHD_Result result = lab_response_send(request, &response);
    lab_response_free(&response);
    return result;
}

/* libmicrohttpd hands the target over as a C string. The version follows it in the same buffer: at another place than
 * right behind its end, a NUL cut the target short. */
static bool check_whole(struct lab_request *request, const char *version)
{
    uintptr_t start = (uintptr_t)request->target.source, behind = (uintptr_t)version;
    bool same_buffer = behind > start && behind - start <= LAB_CONNECTION_MEMORY;
    if (same_buffer && behind - start != strlen(request->target.text) + 1)
        return lab_refuse(request, MHD_HTTP_BAD_REQUEST, true, "malformed-target", "The target holds a NUL.");
    return true;
}

static bool check_target(struct lab_request *request)
{
    struct lab_error error;
    return lab_target_parse(&request->target, &error) ||
           lab_refuse(request, MHD_HTTP_BAD_REQUEST, false, error.code, "%s", error.detail);
}

static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    if (type == NULL || strncasecmp(type, json, sizeof json - 1) != 0)
        return false;
    const char *rest = type + sizeof json - 1;
    rest += strspn(rest, " \t");
    if (*rest == '\0')
        return true;
    const char *charset = strcasestr(rest, "charset=");
    if (*rest != ';' || charset == NULL)
        return *rest == ';';
    charset += strlen("charset=");
    charset += *charset == '"' ? 1 : 0;
    return strncasecmp(charset, "utf-8", 5) == 0 && strchr("\"; \t", charset[5]) != NULL;
}

static bool check_body(struct lab_request *request)
{
    size_t length = lab_framing_body_length(request), most = request->connection->http->max_body_bytes;
    const char *coding = request->headers[LAB_HEADER_CONTENT_ENCODING];
    if (length == 0)
        return true;
    if (length != SIZE_MAX && length > most)
        return lab_refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, true, "body-too-large",
                          "The body has %zu bytes; at most %zu are taken.", length, most);
    if (coding != NULL && strcasecmp(coding, "identity") != 0)
        return lab_refuse(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, false, "unsupported-media-type",
                          "A body must not be compressed.");
    return is_json(request->headers[LAB_HEADER_CONTENT_TYPE]) ||
           lab_refuse(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, false, "unsupported-media-type",
                      "A body must be application/json, in UTF-8.");
}

static bool check(struct lab_request *request, const char *version)
{
    static const char *const reading[] = {"GET", "HEAD", NULL};
    if (atomic_load(&request->connection->http->stopping))
        return lab_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, true, "stopping", "The lab is being stopped.");
    if (!check_whole(request, version) || !lab_framing_check(request) || !check_target(request) ||
        !lab_origin_check_host(request) || !lab_route_find(request))
        return false;
    for (const char *const *each = reading; *each != NULL; each++)
        if (strcmp(request->method, *each) == 0)
            return check_body(request);
    return lab_origin_check_write(request) && check_body(request);
}

/* The headers are complete. Who is refused and waits to be told to send on (Expect), or sends more than we read, or
 * what we cannot delimit, is answered now, and the connection ends; else the body is read first and the connection
 * stays. */
static enum MHD_Result begin(struct lab_request *request, const char *method, const char *version)
{
    struct lab_connection *connection = request->connection;
    struct lab_http *http = connection->http;
    request->begun = true;
    request->method = method;
    request->head = strcmp(method, "HEAD") == 0;
    request->counted = true;
    atomic_fetch_add(&http->active, 1);
    atomic_fetch_add_explicit(&http->requests, 1, memory_order_relaxed);
    check(request, version);
    size_t length = lab_framing_body_length(request);
    bool too_long = length != SIZE_MAX && length > http->max_body_bytes;
    bool waits = length > 0 && request->headers[LAB_HEADER_EXPECT] != NULL;
    if (request->refusal.status != 0 && (request->refusal.close || too_long || waits)) {
        request->unread = true;
        return answer(request);
    }
    if (length > 0)
        atomic_store(&connection->deadline_ms, lab_after_ms(http->deadlines.body_s));
    return MHD_YES;
}

/* A chunked body turned out too long. libmicrohttpd takes no answer in the middle of a body; nothing has been sent yet,
 * so the answer can go straight to the socket, which is then closed. */
static enum MHD_Result break_off(struct lab_request *request)
{
    if (request->refusal.status == 0)
        lab_refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, true, "body-too-large", "At most %zu bytes of body are taken.",
                   request->connection->http->max_body_bytes);
    char *bytes = lab_refusal_bytes(request);
    if (bytes != NULL && send(request->connection->socket, bytes, strlen(bytes), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        request->unread = true;
    free(bytes);
    return MHD_NO;
}

static bool reserve(struct lab_request *request, size_t more)
{
    enum { FIRST_CAPACITY = 4096 };
    size_t needed = request->body_length + more, capacity = request->body_capacity;
    if (needed <= capacity)
        return true;
    capacity = capacity > 0 ? capacity * 2 : FIRST_CAPACITY;
    if (capacity < needed)
        capacity = needed;
    char *body = realloc(request->body, capacity);
    if (body == NULL)
        return lab_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, false, "out-of-memory", "No memory for the body.");
    request->body = body;
    request->body_capacity = capacity;
    return true;
}

/* A refused request's body is counted, not kept. */
static enum MHD_Result take_body(struct lab_request *request, const char *bytes, size_t *size)
{
    if (*size > request->connection->http->max_body_bytes - request->body_length)
        return break_off(request);
    if (request->refusal.status == 0 && reserve(request, *size))
        memcpy(request->body + request->body_length, bytes, *size);
    request->body_length += *size;
    *size = 0;
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
    if (!request->begun)
        return begin(request, method, version);
    if (*upload_size > 0)
        return take_body(request, upload, upload_size);
    return answer(request);
}
