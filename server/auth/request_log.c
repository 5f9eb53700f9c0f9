#include "request_log.h"

#include "core/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { METHOD_SIZE = 64, PATH_SIZE = 1500 };

/* Copies a text; everything but visible ASCII, and what JSON escapes, is percent-encoded. What does not fit is cut. */
static const char *encode(const char *text, char *to, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 4 < size; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte > ' ' && byte < 0x7F && byte != '"' && byte != '\\')
            to[used++] = *text;
        else
            used += (size_t)snprintf(to + used, size - used, "%%%02X", byte);
    }
    to[used] = '\0';
    return to;
}

/* The parts of a record that must be encoded. */
struct parts {
    char at[LAB_TIME_SIZE], method[METHOD_SIZE], path[PATH_SIZE], what[PATH_SIZE];
    char name[3 * LAB_PERSON_MAX]; /* in JSON with its quotes, or null */
};

static void write_parts(enum lab_log_format format, const struct lab_request_record *record, struct parts *parts)
{
    char name[3 * LAB_PERSON_MAX - 2];
    lab_time_text(record->at_us, parts->at);
    encode(record->method, parts->method, sizeof parts->method);
    encode(record->path, parts->path, sizeof parts->path);
    encode(record->what, parts->what, sizeof parts->what);
    encode(record->identity->name, name, sizeof name);
    if (name[0] == '\0')
        snprintf(parts->name, sizeof parts->name, format == LAB_LOG_JSON ? "null" : "-");
    else
        snprintf(parts->name, sizeof parts->name, format == LAB_LOG_JSON ? "\"%s\"" : "%s", name);
}

static size_t length_of(int length, size_t size)
{
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

size_t lab_access_line(enum lab_log_format format, const struct lab_request_record *record, char *line, size_t size)
{
    struct parts parts;
    write_parts(format, record, &parts);
    if (format == LAB_LOG_JSON)
        return length_of(
            snprintf(
                line, size,
                "{\"time\":\"%s\",\"log\":\"access\",\"address\":\"%s\",\"name\":%s,\"method\":\"%s\",\"path\":\"%s\","
                "\"status\":%d,\"bytes\":%" PRIu64 ",\"milliseconds\":%.3f,\"request\":\"%s\"}",
                parts.at, record->address, parts.name, parts.method, parts.path, record->status, record->bytes,
                record->duration_ms, record->id),
            size);
    return length_of(snprintf(line, size, "%s access %s %s %s %s %d %" PRIu64 " %.3f %s", parts.at, record->address,
                              parts.name, parts.method, parts.path, record->status, record->bytes, record->duration_ms,
                              record->id),
                     size);
}

size_t lab_audit_line(enum lab_log_format format, const struct lab_request_record *record, char *line, size_t size)
{
    struct parts parts;
    const char *role = lab_role_name(record->identity->role);
    write_parts(format, record, &parts);
    if (format == LAB_LOG_JSON)
        return length_of(
            snprintf(
                line, size,
                "{\"time\":\"%s\",\"log\":\"audit\",\"address\":\"%s\",\"name\":%s,\"role\":\"%s\",\"method\":\"%s\","
                "\"path\":\"%s\",\"status\":%d,\"what\":\"%s\",\"request\":\"%s\"}",
                parts.at, record->address, parts.name, role, parts.method, parts.path, record->status, parts.what,
                record->id),
            size);
    return length_of(snprintf(line, size, "%s audit %s %s %s %s %s %d %s %s", parts.at, record->address, parts.name,
                              role, parts.method, parts.path, record->status, parts.what, record->id),
                     size);
}
