/* The body of a request, while it arrives: kept in memory or, for a route with `body_max`, in a temporary file. A
 * thread of the writer pool writes that file, a piece at a time, while the connection is suspended.
 */
#include "work.h"

#include "http/intake/intake.h"
#include "http/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a file's piece; the piece of memory that a body first gets. */
enum { PIECE = 256 * 1024, FIRST_CAPACITY = 4096 };

/* --- the temporary file ------------------------------------------------------------------------------------------- */

/* Opens a file without a name, which is gone when it is closed. */
static FILE *open_file(const char *folder)
{
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

/* Moves what is in memory to the file. Rejects the request when that fails. */
static bool write_piece(struct lab_request *request)
{
    struct lab_body *body = &request->body;
    if (request->rejection.error.code == LAB_ERROR_NONE && body->file == NULL)
        body->file = open_file(request->connection->http->spool_folder);
    bool written =
        body->file != NULL && (body->length == 0 || fwrite(body->bytes, 1, body->length, body->file) == body->length);
    body->length = 0;
    if (!written && request->rejection.error.code == LAB_ERROR_NONE)
        lab_request_reject(request, false, LAB_ERROR_NO_SPACE, "The body could not be stored in a temporary file: %s.",
                           strerror(errno));
    return written;
}

/* Runs on a thread of the writer pool. The request must not be used after its connection was resumed. */
static void run_write(struct lab_job *job)
{
    struct lab_request *request = (struct lab_request *)(void *)((char *)job - offsetof(struct lab_request, job));
    write_piece(request);
    lab_phase_enter(request->connection, LAB_PHASE_BODY);
    MHD_resume_connection(request->connection->mhd);
}

/* libmicrohttpd calls again with the same bytes when the connection was resumed. */
static void submit_write(struct lab_request *request)
{
    struct lab_connection *connection = request->connection;
    request->job.run = run_write;
    lab_phase_enter(connection, LAB_PHASE_HANDLER);
    MHD_suspend_connection(connection->mhd);
    if (lab_pool_continue(connection->http->pools[LAB_ROUTE_WRITES], &request->job))
        return;
    lab_request_reject(request, false, LAB_ERROR_STOPPING, "The server is stopping.");
    lab_phase_enter(connection, LAB_PHASE_BODY);
    MHD_resume_connection(connection->mhd);
}

bool lab_body_finish(struct lab_request *request)
{
    struct lab_body *body = &request->body;
    if (!lab_request_is_spooled(request))
        return true;
    if (!write_piece(request))
        return false;
    rewind(body->file);
    return true;
}

FILE *lab_request_body_file(const struct lab_request *request)
{
    return request->body.file;
}

/* --- the bytes ---------------------------------------------------------------------------------------------------- */

/* Refuses a chunked body that is too long. */
static enum MHD_Result refuse(struct lab_request *request)
{
    if (request->rejection.error.code == LAB_ERROR_NONE)
        lab_request_reject(request, true, LAB_ERROR_BODY_TOO_LARGE, "The body must have at most %zu bytes.",
                           lab_body_max(request));
    const struct lab_rejection *rejection = &request->rejection;
    lab_connection_refuse(request->connection, rejection->error.code, rejection->error.detail);
    return MHD_NO;
}

static bool reserve(struct lab_request *request, size_t more)
{
    struct lab_body *body = &request->body;
    size_t needed = body->length + more, capacity = body->capacity;
    if (needed <= capacity)
        return true;
    capacity = capacity > 0 ? capacity * 2 : FIRST_CAPACITY;
    if (capacity < needed)
        capacity = needed;
    char *bytes = realloc(body->bytes, capacity);
    if (bytes == NULL)
        return lab_request_reject(request, false, LAB_ERROR_NO_SPACE, "Out of memory for the body.");
    body->bytes = bytes;
    body->capacity = capacity;
    return true;
}

enum MHD_Result lab_body_take(struct lab_request *request, const char *bytes, size_t *size)
{
    struct lab_body *body = &request->body;
    if (*size > lab_body_max(request) - body->total)
        return refuse(request);
    bool is_kept = request->rejection.error.code == LAB_ERROR_NONE;
    if (is_kept && lab_request_is_spooled(request) && body->length > 0 && body->length + *size > PIECE) {
        submit_write(request);
        return MHD_YES;
    }
    if (is_kept && reserve(request, *size)) {
        memcpy(body->bytes + body->length, bytes, *size);
        body->length += *size;
    }
    body->total += *size;
    lab_phase_received(request->connection, *size);
    *size = 0;
    return MHD_YES;
}

void lab_body_release(struct lab_body *body)
{
    free(body->bytes);
    if (body->file != NULL)
        fclose(body->file);
    *body = (struct lab_body){0};
}
