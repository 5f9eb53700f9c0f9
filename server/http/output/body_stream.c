/* Bodies that are produced piece by piece while they are sent (lab_respond_stream). The connection is suspended while a
 * thread of the reader pool makes the next piece. libmicrohttpd and that thread therefore use the struct in turns, and
 * need no lock.
 */
#include "body_stream.h"

#include "http/connection/connection.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 * 1024, BLOCK = 16 * 1024 };

struct body_stream {
    struct lab_connection *connection;
    struct lab_producer producer;
    struct lab_job job;     /* makes the next piece */
    size_t length, sent;    /* of the piece, in bytes */
    bool ended, is_failure; /* no more pieces follow */
    char piece[PIECE];
};

/* Runs on a thread of the pool. The stream must not be used after its connection was resumed. */
static void produce_piece(struct lab_job *job)
{
    struct body_stream *stream = (struct body_stream *)(void *)((char *)job - offsetof(struct body_stream, job));
    ssize_t length = stream->producer.produce(stream->producer.context, stream->piece, sizeof stream->piece);
    stream->sent = 0;
    stream->length = length > 0 ? (size_t)length : 0;
    stream->ended = length <= 0;
    stream->is_failure = length < 0;
    lab_phase_enter(stream->connection, LAB_PHASE_SENDING);
    MHD_resume_connection(stream->connection->mhd);
}

/* Asks for the next piece. A server that stops breaks the body off. */
static ssize_t request_piece(struct body_stream *stream)
{
    struct lab_connection *connection = stream->connection;
    struct lab_http *http = connection->http;
    if (atomic_load(&http->stopping))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    lab_phase_enter(connection, LAB_PHASE_HANDLER);
    MHD_suspend_connection(connection->mhd);
    if (!lab_pool_continue(http->pools[LAB_ROUTE_READS], &stream->job)) {
        stream->ended = stream->is_failure = true;
        lab_phase_enter(connection, LAB_PHASE_SENDING);
        MHD_resume_connection(connection->mhd);
    }
    return 0;
}

/* libmicrohttpd calls this for more bytes, when the client has taken those before. */
static ssize_t read_body(void *context, uint64_t position, char *buffer, size_t size)
{
    (void)position;
    struct body_stream *stream = context;
    size_t left = stream->length - stream->sent;
    if (stream->ended)
        return stream->is_failure ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    if (left == 0)
        return request_piece(stream);
    size_t length = left < size ? left : size;
    memcpy(buffer, stream->piece + stream->sent, length);
    stream->sent += length;
    lab_log_entry_bytes(&stream->connection->request, length);
    return (ssize_t)length;
}

static void free_stream(void *context)
{
    struct body_stream *stream = context;
    stream->producer.release(stream->producer.context);
    free(stream);
}

struct MHD_Response *lab_body_stream_create(struct lab_connection *connection, const struct lab_producer *producer)
{
    struct body_stream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    memset(stream, 0, offsetof(struct body_stream, piece));
    stream->connection = connection;
    stream->producer = *producer;
    stream->job.run = produce_piece;
    struct MHD_Response *made =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_body, stream, free_stream);
    if (made == NULL)
        free(stream);
    return made;
}
