/* The record of a request, for the access and audit log (server/auth/request_log.h). */
#include "connection.h"
#include "counters.h"

#include "auth/log.h"

#include "core/clock.h"

#include <inttypes.h>
#include <stdio.h>

void lab_log_entry_begin(struct lab_request *request)
{
    struct lab_log_entry *record = &request->record;
    record->at_us = lab_time_now();
    record->began_at = lab_clock_now();
    record->status = 0;
    record->bytes = 0;
    record->created[0] = '\0';
    record->number = atomic_fetch_add_explicit(&request->connection->http->requests, 1, memory_order_relaxed) + 1;
}

void lab_log_entry_id(const struct lab_request *request, char id[LAB_REQUEST_ID_SIZE])
{
    snprintf(id, LAB_REQUEST_ID_SIZE, "%08" PRIx32 "-%" PRIu64, request->connection->http->epoch,
             request->record.number);
}

void lab_log_entry_response(struct lab_request *request, int status, const char *location)
{
    if (request->record.status == 0)
        lab_counters_add_response(request, status, lab_clock_now() - request->record.began_at);
    request->record.status = status;
    if (location != NULL && status < 300)
        snprintf(request->record.created, sizeof request->record.created, "%s", location);
}

void lab_log_entry_bytes(struct lab_request *request, size_t length)
{
    request->record.bytes += length;
    atomic_fetch_add_explicit(&request->connection->http->bytes_sent, length, memory_order_relaxed);
}

void lab_log_entry_end(struct lab_request *request)
{
    const struct lab_http *http = request->connection->http;
    const struct lab_log_entry *record = &request->record;
    const struct lab_http_logs *logs = &http->logs;
    char line[LAB_LOG_LINE_MAX], id[LAB_REQUEST_ID_SIZE];
    bool audited = logs->audit != NULL && request->headers_complete && !lab_request_is_read(request);
    if (record->status == 0 || (logs->access == NULL && !audited))
        return;
    lab_log_entry_id(request, id);
    const struct lab_request_record of = {
        .at_us = record->at_us,
        .address = request->connection->peer.address,
        .identity = &request->identity,
        .method = request->method,
        .path = lab_request_path(request),
        .status = record->status,
        .bytes = record->bytes,
        .duration_ms = (lab_clock_now() - record->began_at) * 1e3,
        .id = id,
        .what = record->created[0] != '\0' ? record->created : lab_request_path(request),
    };
    if (logs->access != NULL)
        lab_log_line(logs->access, line, lab_access_line(logs->format, &of, line, sizeof line));
    if (audited)
        lab_log_line(logs->audit, line, lab_audit_line(logs->format, &of, line, sizeof line));
}
