/* Parses the query of GET /api/v1/runs into the store's filter. Does not depend on the HTTP server, so that it can be tested
 * and fuzzed without one.
 */
#ifndef LAB_RUN_QUERY_H
#define LAB_RUN_QUERY_H

#include "core/errors.h"
#include "cursor.h"
#include "store.h"

#include <stdbool.h>

/* Runs of a page, by default and at most; size of the buffer for a scope in bytes. */
enum { LAB_PAGE_DEFAULT = 50, LAB_PAGE_MAX = 500, LAB_SCOPE_MAX = 4096 };

/* The parameters: indices of lab_run_query_names and of the texts that are parsed. The filters come first. */
enum {
    LAB_QUERY_EXPERIMENT,
    LAB_QUERY_DEVICE,
    LAB_QUERY_STATUS,
    LAB_QUERY_TAG,
    LAB_QUERY_SINCE,
    LAB_QUERY_UNTIL,
    LAB_QUERY_TEXT,
    LAB_QUERY_LIMIT,
    LAB_QUERY_CURSOR,
    LAB_QUERY_COUNT
};
extern const char *const lab_run_query_names[LAB_QUERY_COUNT + 1]; /* ends with NULL */

/* A parsed query. Not to be copied: `filter` points into the texts that were parsed and into `before`. */
struct lab_run_query {
    struct lab_run_filter filter;
    char before[LAB_RUN_ID_SIZE]; /* the run id in the cursor, when there is a cursor */
    char scope[LAB_SCOPE_MAX];    /* the filters as a query string, percent-encoded: the scope of its cursors */
    bool bad_cursor;              /* the cursor could not be read, or belongs to other filters */
};

/* Parses the values of the parameters, which are borrowed; NULL for one that is absent. False when it added errors, with
 * pointers such as "/query/limit". */
bool lab_run_query_parse(const char *const texts[LAB_QUERY_COUNT], struct lab_run_query *query,
                         struct lab_errors *errors);

/* Reads an RFC 3339 time, or a date, which stands for its start in UTC. *at is in microseconds since 1970. False when the
 * text is neither. */
bool lab_time_parse(const char *text, int64_t *at);

#endif
