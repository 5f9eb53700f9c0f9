/* The query of GET /api/v1/runs: its parameters, and the store's filter that they make. Does not depend on the HTTP
 * server, so that it can be tested and fuzzed without one.
 */
#ifndef LAB_RUN_QUERY_H
#define LAB_RUN_QUERY_H

#include "core/run_filters.h"
#include "cursor.h"
#include "store.h"

#include <stdbool.h>

enum { LAB_SCOPE_MAX = 4096 }; /* size of the buffer for a scope in bytes */

/* The parameters: indices of lab_run_query_fields and of the texts that are read. The filters come first. */
#define LAB_QUERY_INDEX(index, ...) LAB_QUERY_##index,
enum {
    LAB_RUN_FILTERS(LAB_QUERY_INDEX) LAB_QUERY_TEXT,
    LAB_QUERY_LIMIT,
    LAB_QUERY_CURSOR,
    LAB_QUERY_LATEST,
    LAB_QUERY_COUNT
};
extern const struct lab_schema lab_run_query_fields[LAB_QUERY_COUNT + 1];

/* The parameters of GET /api/v1/export: the filters of GET /api/v1/runs, then these. */
enum { LAB_EXPORT_SAMPLES = LAB_QUERY_LIMIT, LAB_EXPORT_FORMAT, LAB_EXPORT_COUNT };
extern const struct lab_schema lab_export_query_fields[LAB_EXPORT_COUNT + 1];

/* One run of each experiment instead of pages: the newest, or the one whose result stands for the experiment. */
enum lab_latest { LAB_LATEST_NONE, LAB_LATEST_EXPERIMENT, LAB_LATEST_RESULT };

/* A query that was read. Not to be copied: `filter` points into the texts and into `before`. */
struct lab_run_query {
    struct lab_run_filter filter;
    char before[LAB_RUN_ID_SIZE]; /* the run id in the cursor, when there is a cursor */
    char scope[LAB_SCOPE_MAX];    /* the filters as a query string, percent-encoded: the scope of its cursors */
    bool bad_cursor;              /* the cursor could not be read, or belongs to other filters */
    enum lab_latest latest;
};

/* Reads the values of the parameters, which the check of the fields has accepted; borrowed, NULL for one that is
 * absent. False with an error when the filters are too long or the cursor cannot be read. */
bool lab_run_query_read(const char *const texts[LAB_QUERY_COUNT], struct lab_run_query *query,
                        struct lab_errors *errors);

#endif
