/* Reads the query parameters of the list of runs. */
#include "query.h"

#include "core/clock.h"
#include "core/run_filters.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of enum lab_latest, without LAB_LATEST_NONE. */
static const char *const latest_of[] = {"experiment", "result", NULL};

/* The filters, by which runs are listed and exported. The length of `q` is limited because the store's index is
 * searched once for each character. */
#define FILTER(index, name_, placeholder, type_, ...)                                                                  \
    [LAB_QUERY_##index] = {.name = #name_, .type = LAB_TYPE_##type_, __VA_ARGS__},
#define FILTERS                                                                                                        \
    LAB_RUN_FILTERS(FILTER)                                                                                            \
    [LAB_QUERY_TEXT] = {                                                                                               \
        .name = "q",                                                                                                   \
        .type = LAB_TYPE_STRING,                                                                                       \
        LAB_FILTER_NAME,                                                                                               \
        .text =                                                                                                        \
            "Runs with this text, case ignored, in experiment, names of devices, tags or note; "                       \
            "1 or 2 characters match the start of a word, 8 or more also the start of the id, 6 or more its end."}

const struct lab_schema lab_run_query_fields[LAB_QUERY_COUNT + 1] = {
    FILTERS,
    [LAB_QUERY_LIMIT] = {.name = "limit",
                         .type = LAB_TYPE_INTEGER,
                         .minimum = 1,
                         .maximum = 500,
                         .fallback = "50",
                         .text = "Runs of a page."},
    [LAB_QUERY_CURSOR] = {.name = "cursor",
                          .type = LAB_TYPE_STRING,
                          .maximum = 16384, /* any that a request can have: a cursor that cannot be read is 400 */
                          .text = "`next` of the previous page."},
    [LAB_QUERY_LATEST] =
        {.name = "latest",
         .type = LAB_TYPE_CHOICE,
         .choices = latest_of,
         .text = "`experiment`: of each experiment the newest of the matching runs; `result`: the run whose "
                 "result stands for the experiment: of a GPU before that of a host device, of several devices "
                 "before that of one where the experiment is about several. "
                 "Not in pages."},
};

static const char *const formats[] = {"jsonl", "csv", NULL};

const struct lab_schema lab_export_query_fields[LAB_EXPORT_COUNT + 1] = {
    FILTERS,
    [LAB_EXPORT_SAMPLES] = {.name = "samples",
                            .type = LAB_TYPE_BOOLEAN,
                            .fallback = "false",
                            .text = "Whether the samples are included; only with the format jsonl."},
    [LAB_EXPORT_FORMAT] = {.name = "format",
                           .type = LAB_TYPE_CHOICE,
                           .choices = formats,
                           .fallback = "jsonl",
                           .text = "JSON lines, which can be imported, or CSV."},
};

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
        if (texts[i] != NULL &&
            !append_encoded(query->scope, sizeof query->scope, lab_run_query_fields[i].name, texts[i]))
            return lab_errors_add(errors, LAB_ERROR_TOO_LONG, "/query",
                                  "All filters together must have at most %d characters.", LAB_SCOPE_MAX - 1);
    return true;
}

static bool read_cursor(const char *text, struct lab_run_query *query, struct lab_errors *errors)
{
    switch (lab_cursor_read(query->scope, text, query->before)) {
    case LAB_CURSOR_OK:
        query->filter.before = query->before;
        return true;
    case LAB_CURSOR_OTHER_SCOPE:
        return lab_errors_add(errors, LAB_ERROR_BAD_CURSOR, "/query/cursor",
                              "The cursor belongs to a query with other filters; omit it to get the first page.");
    default:
        return lab_errors_add(
            errors, LAB_ERROR_BAD_CURSOR, "/query/cursor",
            "The cursor must be 'next' of the previous page, unchanged; omit it to get the first page.");
    }
}

static enum lab_latest read_latest(const char *text)
{
    for (size_t i = 0; text != NULL && latest_of[i] != NULL; i++)
        if (strcmp(text, latest_of[i]) == 0)
            return (enum lab_latest)(i + 1);
    return LAB_LATEST_NONE;
}

bool lab_run_query_read(const char *const texts[LAB_QUERY_COUNT], struct lab_run_query *query,
                        struct lab_errors *errors)
{
    struct lab_run_filter *filter = &query->filter;
    const char *limit = texts[LAB_QUERY_LIMIT];
    *filter = (struct lab_run_filter){
        .experiment = texts[LAB_QUERY_EXPERIMENT],
        .device = texts[LAB_QUERY_DEVICE],
        .by_status = texts[LAB_QUERY_STATUS] != NULL,
        .tag = texts[LAB_QUERY_TAG],
        .sweep = texts[LAB_QUERY_SWEEP],
        .challenge = texts[LAB_QUERY_CHALLENGE],
        .by_pinned = texts[LAB_QUERY_PINNED] != NULL,
        .text = texts[LAB_QUERY_TEXT],
        .since = LAB_NO_TIME,
        .until = LAB_NO_TIME,
        .limit = strtoul(limit != NULL ? limit : lab_run_query_fields[LAB_QUERY_LIMIT].fallback, NULL, 10),
    };
    query->bad_cursor = false;
    query->latest = read_latest(texts[LAB_QUERY_LATEST]);
    if (filter->by_status)
        lab_status_parse(texts[LAB_QUERY_STATUS], &filter->status);
    if (texts[LAB_QUERY_PINNED] != NULL)
        filter->pinned = strcmp(texts[LAB_QUERY_PINNED], "true") == 0;
    if (texts[LAB_QUERY_SINCE] != NULL)
        lab_time_parse(texts[LAB_QUERY_SINCE], &filter->since);
    if (texts[LAB_QUERY_UNTIL] != NULL)
        lab_time_parse(texts[LAB_QUERY_UNTIL], &filter->until);
    if (!write_scope(texts, query, errors))
        return false;
    query->bad_cursor = texts[LAB_QUERY_CURSOR] != NULL && !read_cursor(texts[LAB_QUERY_CURSOR], query, errors);
    return !query->bad_cursor;
}
