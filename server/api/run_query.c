/* Parses the query parameters one by one; all errors are reported together. */
#include "run_query.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lab_run_query_names[LAB_QUERY_COUNT + 1] = {
    [LAB_QUERY_EXPERIMENT] = "experiment",
    [LAB_QUERY_DEVICE] = "device",
    [LAB_QUERY_STATUS] = "status",
    [LAB_QUERY_TAG] = "tag",
    [LAB_QUERY_SINCE] = "since",
    [LAB_QUERY_UNTIL] = "until",
    [LAB_QUERY_TEXT] = "q",
    [LAB_QUERY_LIMIT] = "limit",
    [LAB_QUERY_CURSOR] = "cursor",
};

enum { SHOWN_SIZE = 41 };

/* Copies the client's text for an error message: cut to 40 bytes, with '?' for every byte that is not printable ASCII. */
static const char *printable(const char *text, char out[SHOWN_SIZE])
{
    size_t i = 0;
    for (; i < SHOWN_SIZE - 1 && text[i] != '\0'; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[i] = '\0';
    return out;
}

static bool read_status(const char *text, struct lab_run_filter *filter, struct lab_errors *errors)
{
    char shown[SHOWN_SIZE];
    filter->by_status = lab_status_parse(text, &filter->status);
    return filter->by_status ||
           lab_errors_add(
               errors, "unknown-status", "/query/status",
               "'%s' is not a status; it must be queued, running, succeeded, failed, cancelled or interrupted.",
               printable(text, shown));
}

static bool read_limit(const char *text, struct lab_run_filter *filter, struct lab_errors *errors)
{
    char shown[SHOWN_SIZE];
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    unsigned long value = strtoul(text, NULL, 10);
    if (digits == 0 || text[digits] != '\0')
        return lab_errors_add(errors, "wrong-type", "/query/limit",
                              "'limit' must be an integer from 1 to %d, not '%s'.", LAB_PAGE_MAX,
                              printable(text, shown));
    if (errno != 0 || value < 1 || value > LAB_PAGE_MAX)
        return lab_errors_add(errors, "out-of-bounds", "/query/limit", "'limit' must be from 1 to %d, not %s.",
                              LAB_PAGE_MAX, printable(text, shown));
    filter->limit = value;
    return true;
}

static bool read_time(const char *text, size_t parameter, int64_t *at, struct lab_errors *errors)
{
    char shown[SHOWN_SIZE], pointer[LAB_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/query/%s", lab_run_query_names[parameter]);
    return lab_time_parse(text, at) ||
           lab_errors_add(
               errors, "wrong-type", pointer,
               "'%s' must be an RFC 3339 time such as 2026-01-31T12:00:00Z or a date such as 2026-01-31, not '%s'; in a URL, "
               "write '+' as %%2B.",
               lab_run_query_names[parameter], printable(text, shown));
}

/* Appends NAME=VALUE to a percent-encoded query string; false when it does not fit. */
static bool append_encoded(char *out, size_t size, const char *name, const char *value)
{
    size_t used = strlen(out);
    int length = snprintf(out + used, size - used, "%s%s=", used > 0 ? "&" : "", name);
    if (length < 0 || (size_t)length >= size - used)
        return false;
    used += (size_t)length;
    for (const unsigned char *c = (const unsigned char *)value; *c != '\0'; c++) {
        if (used + 4 > size)
            return false;
        if ((*c < 0x80 && isalnum(*c)) || strchr("-._~", *c) != NULL)
            out[used++] = (char)*c;
        else
            used += (size_t)snprintf(out + used, size - used, "%%%02X", *c);
        out[used] = '\0';
    }
    return true;
}

/* Writes the filters in a fixed order, so that equal queries have equal scopes. Limit and cursor are not part of it. */
static bool write_scope(const char *const texts[LAB_QUERY_COUNT], struct lab_run_query *query,
                        struct lab_errors *errors)
{
    query->scope[0] = '\0';
    for (size_t i = 0; i < LAB_QUERY_LIMIT; i++)
        if (texts[i] != NULL && !append_encoded(query->scope, sizeof query->scope, lab_run_query_names[i], texts[i]))
            return lab_errors_add(errors, "too-long", "/query", "All filters together must have at most %d characters.",
                                  LAB_SCOPE_MAX - 1);
    return true;
}

static void check_not_empty(const char *const texts[LAB_QUERY_COUNT], struct lab_errors *errors)
{
    static const size_t plain[] = {LAB_QUERY_EXPERIMENT, LAB_QUERY_DEVICE, LAB_QUERY_TAG, LAB_QUERY_TEXT};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/query/%s", lab_run_query_names[plain[i]]);
        if (texts[plain[i]] != NULL && texts[plain[i]][0] == '\0')
            lab_errors_add(errors, "empty", pointer, "'%s' must not be empty; omit it to list all.",
                           lab_run_query_names[plain[i]]);
    }
}

/* The length is limited because the store's index is searched once for each character. */
static void check_text(const char *text, struct lab_errors *errors)
{
    enum { TEXT_MAX = 64 };
    if (strlen(text) > TEXT_MAX)
        lab_errors_add(errors, "too-long", "/query/q", "'q' must have at most %d bytes.", TEXT_MAX);
}

static bool read_cursor(const char *text, struct lab_run_query *query, struct lab_errors *errors)
{
    switch (lab_cursor_read(query->scope, text, query->before)) {
    case LAB_CURSOR_OK:
        query->filter.before = query->before;
        return true;
    case LAB_CURSOR_OTHER_SCOPE:
        return lab_errors_add(errors, "bad-cursor", "/query/cursor",
                              "The cursor belongs to a query with other filters; omit it to get the first page.");
    default:
        return lab_errors_add(
            errors, "bad-cursor", "/query/cursor",
            "The cursor must be 'next' of the previous page, unchanged; omit it to get the first page.");
    }
}

bool lab_run_query_parse(const char *const texts[LAB_QUERY_COUNT], struct lab_run_query *query,
                         struct lab_errors *errors)
{
    size_t count_before = errors->count;
    struct lab_run_filter *filter = &query->filter;
    *filter = (struct lab_run_filter){
        .experiment = texts[LAB_QUERY_EXPERIMENT],
        .device = texts[LAB_QUERY_DEVICE],
        .tag = texts[LAB_QUERY_TAG],
        .text = texts[LAB_QUERY_TEXT],
        .since = LAB_NO_TIME,
        .until = LAB_NO_TIME,
        .limit = LAB_PAGE_DEFAULT,
    };
    check_not_empty(texts, errors);
    if (filter->text != NULL)
        check_text(filter->text, errors);
    if (texts[LAB_QUERY_STATUS] != NULL)
        read_status(texts[LAB_QUERY_STATUS], filter, errors);
    if (texts[LAB_QUERY_SINCE] != NULL)
        read_time(texts[LAB_QUERY_SINCE], LAB_QUERY_SINCE, &filter->since, errors);
    if (texts[LAB_QUERY_UNTIL] != NULL)
        read_time(texts[LAB_QUERY_UNTIL], LAB_QUERY_UNTIL, &filter->until, errors);
    if (texts[LAB_QUERY_LIMIT] != NULL)
        read_limit(texts[LAB_QUERY_LIMIT], filter, errors);
    bool scoped = write_scope(texts, query, errors);
    query->bad_cursor =
        scoped && texts[LAB_QUERY_CURSOR] != NULL && !read_cursor(texts[LAB_QUERY_CURSOR], query, errors);
    return errors->count == count_before;
}
