/* The lines of the access log, one for each request, and of the audit log, one for each write. Neither contains
 * headers, queries or bodies, so that no secret gets into a log.
 */
#ifndef LAB_AUTH_REQUEST_LOG_H
#define LAB_AUTH_REQUEST_LOG_H

#include "identity.h"

enum lab_log_format { LAB_LOG_TEXT, LAB_LOG_JSON };

/* What is logged of a request, after its response was sent. Strings are not NULL. */
struct lab_request_record {
    int64_t at_us;       /* when it arrived: microseconds since 1970 */
    const char *address; /* of the client; "unix" for the Unix socket */
    const struct lab_identity *identity;
    const char *method, *path; /* as the client sent them, the path without the query */
    int status;
    uint64_t bytes;     /* of the body that was sent */
    double duration_ms; /* until the end of the response */
    const char *id;     /* of the request */
    const char *what;   /* the path of the resource that it created, else that it changed */
};

/* Write a line without newline, as text or as a JSON object; characters that could end the line or a value are
 * percent-encoded. Return its length, which is less than `size`.
 *
 * The columns of the text are, for the access log: time, "access", address, name, method, path, status, bytes,
 * milliseconds, id; for the audit log: time, "audit", address, name, role, method, path, status, what, id. A name that
 * is unknown is "-", in JSON null. */
size_t lab_access_line(enum lab_log_format format, const struct lab_request_record *record, char *line, size_t size);
size_t lab_audit_line(enum lab_log_format format, const struct lab_request_record *record, char *line, size_t size);

#endif
