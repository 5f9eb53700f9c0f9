/* The query of GET /api/v1/runs: its texts checked and turned into the store's filter. Pure, so that it can be tested
 * and fuzzed without a server.
 */
#ifndef LAB_RUN_QUERY_H
#define LAB_RUN_QUERY_H

#include "core/errors.h"
#include "cursor.h"
#include "store.h"

#include <stdbool.h>

enum { LAB_PAGE_DEFAULT = 50, LAB_PAGE_MAX = 500, LAB_SCOPE_MAX = 4096 };

/* The parameters, in the order of lab_run_query_names: NULL for one that is absent. Borrowed. */
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

/* A query that was understood. `filter` points into the texts that it was made from, and into `before`: not to be
 * copied. */
struct lab_run_query {
    struct lab_run_filter filter;
    char before[LAB_RUN_ID_SIZE];
    char scope[LAB_SCOPE_MAX]; /* the filters as a query string, percent-encoded; what cursors are bound to */
};

/* False with pointers ("/query/limit") to all that is wrong. */
bool lab_run_query_parse(const char *const texts[LAB_QUERY_COUNT], const struct lab_cursor_key *key,
                         struct lab_run_query *query, struct lab_errors *errors);

/* An RFC 3339 date and time, or a date alone for its first moment in UTC, in microseconds since 1970. */
bool lab_time_parse(const char *text, int64_t *at);

#endif
