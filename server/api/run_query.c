/* The query of the run list. */
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

/* Somebody's text as an error may repeat it: short, and nothing in it that JSON or a terminal would choke on. */
static const char *shown(const char *text, char out[SHOWN_SIZE])
{
    size_t i = 0;
    for (; i < SHOWN_SIZE - 1 && text[i] != '\0'; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[i] = '\0';
    return out;
}

static bool read_status(const char *text, struct lab_run_filter *filter, struct lab_errors *errors)
{
    char show[SHOWN_SIZE];
    filter->by_status = lab_status_parse(text, &filter->status);
    return filter->by_status ||
           lab_errors_add(errors, "unknown-status", "/query/status",
                          "'%s' is no status; it is one of queued, running, succeeded, failed, cancelled, interrupted.",
                          shown(text, show));
}

static bool read_limit(const char *text, struct lab_run_filter *filter, struct lab_errors *errors)
{
    char show[SHOWN_SIZE];
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    unsigned long value = strtoul(text, NULL, 10);
    if (digits == 0 || text[digits] != '\0')
        return lab_errors_add(errors, "wrong-type", "/query/limit", "The page's limit is an integer, not '%s'.",
                              shown(text, show));
    if (errno != 0 || value < 1 || value > LAB_PAGE_MAX)
        return lab_errors_add(errors, "out-of-bounds", "/query/limit", "The page's limit is between 1 and %d, not %s.",
                              LAB_PAGE_MAX, shown(text, show));
    filter->limit = value;
    return true;
}

static bool read_time(const char *text, const char *pointer, int64_t *at, struct lab_errors *errors)
{
    char show[SHOWN_SIZE];
    return lab_time_parse(text, at) ||
           lab_errors_add(
               errors, "wrong-type", pointer,
               "'%s' is no RFC 3339 time such as 2025-01-31T12:00:00Z or 2025-01-31 (a '+' is written %%2B).",
               shown(text, show));
}

/* Appends to a percent-encoded query string; false when it is full. */
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

/* The filters in a fixed order, so that equal queries have equal scopes. Limit and cursor are no part of it. */
static bool write_scope(const char *const texts[LAB_QUERY_COUNT], struct lab_run_query *query,
                        struct lab_errors *errors)
{
    query->scope[0] = '\0';
    for (size_t i = 0; i < LAB_QUERY_LIMIT; i++)
        if (texts[i] != NULL && !append_encoded(query->scope, sizeof query->scope, lab_run_query_names[i], texts[i]))
            return lab_errors_add(errors, "too-long", "/query", "All filters together are at most %d characters.",
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
            lab_errors_add(errors, "empty", pointer, "Must not be empty; leave it away to list all.");
    }
}

/* Each character of a phrase is another look-up in the store's index. */
static void check_text(const char *text, struct lab_errors *errors)
{
    enum { TEXT_MAX = 64 };
    if (strlen(text) > TEXT_MAX)
        lab_errors_add(errors, "too-long", "/query/q", "At most %d bytes of text are searched for.", TEXT_MAX);
}

bool lab_run_query_parse(const char *const texts[LAB_QUERY_COUNT], const struct lab_cursor_key *key,
                         struct lab_run_query *query, struct lab_errors *errors)
{
    size_t before = errors->count;
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
        read_time(texts[LAB_QUERY_SINCE], "/query/since", &filter->since, errors);
    if (texts[LAB_QUERY_UNTIL] != NULL)
        read_time(texts[LAB_QUERY_UNTIL], "/query/until", &filter->until, errors);
    if (texts[LAB_QUERY_LIMIT] != NULL)
        read_limit(texts[LAB_QUERY_LIMIT], filter, errors);
    bool scoped = write_scope(texts, query, errors);
    if (scoped && texts[LAB_QUERY_CURSOR] != NULL) {
        if (lab_cursor_read(key, query->scope, texts[LAB_QUERY_CURSOR], query->before))
            filter->before = query->before;
        else
            lab_errors_add(errors, "bad-cursor", "/query/cursor",
                           "This cursor was changed, or belongs to another query; start again without one.");
    }
    return errors->count == before;
}
