/* Event streams. The connection of a stream that has nothing to send is suspended, so that it uses no thread. It is
 * resumed by an event, by a heartbeat that is due, when the client has left and when the server stops. libmicrohttpd
 * allows exactly one resume per suspend, so both happen under the stream's lock.
 */
#include "output.h"

#include "events.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

struct lab_event_stream {
    LIST_ENTRY(lab_event_stream) link; /* in http->streams */
    struct lab_connection *connection;
    struct lab_events *events;
    struct lab_subscriber *subscriber;
    pthread_mutex_t lock; /* for all members below */
    bool retry_sent, suspended, client_left;
    bool revoked;       /* the client may no longer read events */
    int64_t written_ms; /* when bytes were last sent (clock.h) */
};

/* The first bytes of a stream: after how many ms a browser reconnects when the stream has ended. */
static const char retry[] = "retry: 2000\n\n";
static const char heartbeat[] = ":\n\n";

static struct lab_http *http_of(const struct lab_event_stream *stream)
{
    return stream->connection->http;
}

/* The caller of resume and suspend holds the stream's lock. */
static void resume(struct lab_event_stream *stream)
{
    if (!stream->suspended)
        return;
    stream->suspended = false;
    lab_phase_enter(stream->connection, LAB_PHASE_SENDING);
    MHD_resume_connection(stream->connection->mhd);
}

static void suspend(struct lab_event_stream *stream)
{
    stream->suspended = true;
    lab_phase_enter(stream->connection, LAB_PHASE_STREAM);
    MHD_suspend_connection(stream->connection->mhd);
}

static void wake(void *context)
{
    struct lab_event_stream *stream = context;
    pthread_mutex_lock(&stream->lock);
    resume(stream);
    pthread_mutex_unlock(&stream->lock);
}

static bool heartbeat_due(const struct lab_event_stream *stream, int64_t now_ms)
{
    return now_ms - stream->written_ms >= (int64_t)(http_of(stream)->deadlines.heartbeat_s * 1e3);
}

static size_t put(char *buffer, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length > size)
        return 0;
    memcpy(buffer, text, length);
    return length;
}

/* Writes the next bytes of the stream and returns their number; 0 when there are none. A heartbeat is sent only between
 * two events. */
static size_t fill(struct lab_event_stream *stream, char *buffer, size_t size)
{
    if (!stream->retry_sent) {
        stream->retry_sent = true;
        return put(buffer, size, retry);
    }
    size_t length = lab_events_read(stream->events, stream->subscriber, buffer, size);
    return length == 0 && heartbeat_due(stream, lab_clock_coarse_ms()) ? put(buffer, size, heartbeat) : length;
}

/* libmicrohttpd calls this for more bytes. `ending` is read before the events, so that events that were published
 * before the end are still sent. */
static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size)
{
    (void)position;
    struct lab_event_stream *stream = context;
    struct lab_http *http = http_of(stream);
    ssize_t result;
    pthread_mutex_lock(&stream->lock);
    bool ending = stream->revoked || atomic_load(&http->stopping);
    size_t length = stream->client_left || stream->revoked ? 0 : fill(stream, buffer, size);
    if (stream->client_left) {
        result = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (length > 0) {
        stream->written_ms = lab_clock_coarse_ms();
        lab_log_entry_bytes(&stream->connection->request, length);
        result = (ssize_t)length;
    } else if (ending) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        suspend(stream);
        result = 0;
    }
    pthread_mutex_unlock(&stream->lock);
    return result;
}

static void free_stream(void *context)
{
    struct lab_event_stream *stream = context;
    struct lab_http *http = http_of(stream);
    pthread_mutex_lock(&http->streams_lock);
    LIST_REMOVE(stream, link);
    atomic_fetch_sub(&http->stream_count, 1);
    pthread_mutex_unlock(&http->streams_lock);
    lab_connection_give_back(stream->connection, LAB_SHARE_STREAMS);
    lab_events_unsubscribe(stream->events, stream->subscriber);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static struct lab_event_stream *open_stream(const struct lab_request *request, struct lab_events *events,
                                            const struct lab_event_filter *filter)
{
    struct lab_http *http = request->connection->http;
    struct lab_event_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->connection = request->connection;
    stream->events = events;
    stream->written_ms = lab_clock_coarse_ms();
    pthread_mutex_init(&stream->lock, NULL);
    stream->subscriber =
        lab_events_subscribe(events, filter, lab_request_header(request, "Last-Event-ID"), wake, stream);
    if (stream->subscriber == NULL) {
        pthread_mutex_destroy(&stream->lock);
        free(stream);
        return NULL;
    }
    pthread_mutex_lock(&http->streams_lock);
    LIST_INSERT_HEAD(&http->streams, stream, link);
    atomic_fetch_add(&http->stream_count, 1);
    pthread_mutex_unlock(&http->streams_lock);
    return stream;
}

static void add_headers(struct MHD_Response *response)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Accel-Buffering", "no"); /* asks a proxy not to buffer events */
}

/* An empty body, because libmicrohttpd answers a HEAD for a body of unknown size with a chunk, which the client would
 * read as the next response. */
static void respond_head(struct lab_response *response)
{
    response->made = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    response->status = MHD_HTTP_OK;
    if (response->made != NULL)
        add_headers(response->made);
}

void lab_stream_refuse(struct lab_response *response)
{
    lab_respond_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "5");
    lab_respond_problem(response, LAB_ERROR_TOO_MANY_STREAMS,
                        "Too many clients wait for events, from this address or in all; try again later.", NULL);
}

void lab_respond_events(const struct lab_request *request, struct lab_response *response, struct lab_events *events,
                        const struct lab_event_filter *filter)
{
    /* Bytes. SEND_BUFFER bounds what the kernel buffers for a client that does not read. */
    enum { BLOCK = 1024, SEND_BUFFER = 64 * 1024 };
    if (request->head) {
        respond_head(response);
        return;
    }
    if (!lab_connection_take(request->connection, LAB_SHARE_STREAMS)) {
        lab_stream_refuse(response);
        return;
    }
    struct lab_event_stream *stream = open_stream(request, events, filter);
    if (stream == NULL) {
        lab_connection_give_back(request->connection, LAB_SHARE_STREAMS);
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
        return;
    }
    response->made = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, stream, free_stream);
    if (response->made == NULL) {
        free_stream(stream);
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
        return;
    }
    int size = SEND_BUFFER;
    setsockopt(request->connection->socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    response->status = MHD_HTTP_OK;
    add_headers(response->made);
}

void lab_streams_tick(struct lab_http *http)
{
    struct lab_event_stream *stream;
    int64_t now_ms = lab_clock_coarse_ms();
    pthread_mutex_lock(&http->streams_lock);
    LIST_FOREACH (stream, &http->streams, link) {
        pthread_mutex_lock(&stream->lock);
        stream->revoked = !lab_connection_may_listen(stream->connection);
        if (stream->suspended && lab_connection_has_left(stream->connection))
            stream->client_left = true;
        if (stream->client_left || stream->revoked || heartbeat_due(stream, now_ms))
            resume(stream);
        pthread_mutex_unlock(&stream->lock);
    }
    pthread_mutex_unlock(&http->streams_lock);
}

void lab_streams_end(struct lab_http *http)
{
    struct lab_event_stream *stream;
    pthread_mutex_lock(&http->streams_lock);
    LIST_FOREACH (stream, &http->streams, link)
        wake(stream);
    pthread_mutex_unlock(&http->streams_lock);
}
