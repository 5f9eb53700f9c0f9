/* Reads one run by its id, or a page of the runs that match a filter. A page is one range of the primary key of `listing`, so
 * its cost does not depend on the number of runs, nor on whether any matches.
 */
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- one row -------------------------------------------------------------------------------------------------------- */

#define COLUMNS                                                                                                           \
    "run.id, revision, run.experiment, run.status, pinned, contended, created_at, started_at, finished_at, time_limit_s," \
    " host, devices, parameters, tags, note, environment,"                                                                \
    " (SELECT json_group_array(text) FROM (SELECT text FROM warning WHERE warning.run = run.number ORDER BY position)),"  \
    " (SELECT json_group_array(text) FROM (SELECT text FROM note WHERE note.run = run.number ORDER BY position)),"        \
    " error, measurement_count, wrong_count"

static void read_run(sqlite3_stmt *statement, struct lab_run_row *row)
{
    *row = (struct lab_run_row){
        .id = lab_column_text(statement, 0),
        .revision = sqlite3_column_int64(statement, 1),
        .experiment = lab_column_text(statement, 2),
        .pinned = sqlite3_column_int(statement, 4) != 0,
        .contended = sqlite3_column_int(statement, 5) != 0,
        .created_at = sqlite3_column_int64(statement, 6),
        .started_at = lab_column_optional(statement, 7),
        .finished_at = lab_column_optional(statement, 8),
        .time_limit_s = sqlite3_column_double(statement, 9),
        .host = lab_column_text(statement, 10),
        .devices = lab_column_text(statement, 11),
        .parameters = lab_column_text(statement, 12),
        .tags = lab_column_text(statement, 13),
        .note = lab_column_text(statement, 14),
        .environment = lab_column_text(statement, 15),
        .warnings = lab_column_text(statement, 16),
        .notes = lab_column_text(statement, 17),
        .error = lab_column_text(statement, 18),
        .measurement_count = sqlite3_column_int64(statement, 19),
        .wrong_count = sqlite3_column_int64(statement, 20),
    };
    lab_status_parse(lab_column_text(statement, 3), &row->status);
}

enum lab_store_result lab_store_get_run(struct lab_store *store, const char *id,
                                        void (*row)(void *context, const struct lab_run_row *run), void *context)
{
    static const char sql[] = "SELECT " COLUMNS " FROM run WHERE id = ?1";
    struct lab_connection *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(id)));
    if (!lab_query_next(reader, statement))
        return lab_reader_release(store, reader, lab_run_not_found(reader, id));
    struct lab_run_row run;
    read_run(statement, &run);
    row(context, &run);
    lab_query_reset(statement);
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

/* --- evaluating a filter -------------------------------------------------------------------------------------------- */

/* Run numbers in [low, high). */
struct range {
    int64_t low, high;
};

struct selection {
    int64_t experiment, device, status, tag; /* terms; 0: any */
    struct range range;
    struct range ids; /* the runs whose id begins with the text; empty for none */
    char *match;      /* FTS5 expression; NULL when the filter has no text */
};

/* Returns the number of the first run whose id is `id` or greater. */
static int64_t first_from_id(struct lab_connection *reader, const char *id)
{
    static const char sql[] = "SELECT number FROM run WHERE id >= ?1 ORDER BY id LIMIT 1";
    int64_t number = LAB_RUN_NUMBER_END;
    lab_select_integer(reader, &number, sql, LAB_VALUES(lab_text(id)));
    return number;
}

static int64_t first_from_time(struct lab_connection *reader, int64_t at)
{
    static const char sql[] = "SELECT number FROM run WHERE created_at >= ?1 ORDER BY created_at, number LIMIT 1";
    int64_t number = LAB_RUN_NUMBER_END;
    lab_select_integer(reader, &number, sql, LAB_VALUES(lab_integer(at)));
    return number;
}

static void lower_to(struct range *range, int64_t high)
{
    if (high < range->high)
        range->high = high;
}

static void raise_to(struct range *range, int64_t low)
{
    if (low > range->low)
        range->low = low;
}

static void select_range(struct lab_connection *reader, const struct lab_run_filter *filter, struct range *range)
{
    *range = (struct range){0, LAB_RUN_NUMBER_END};
    if (filter->since != LAB_NO_TIME)
        raise_to(range, first_from_time(reader, filter->since));
    if (filter->until != LAB_NO_TIME)
        lower_to(range, first_from_time(reader, filter->until));
    if (filter->before != NULL)
        lower_to(range, first_from_id(reader, filter->before));
    if (filter->after != NULL) {
        int64_t number = 0;
        bool exists = lab_run_find(reader, filter->after, &number);
        raise_to(range, exists ? number + 1 : first_from_id(reader, filter->after));
    }
}

/* Length from which a text is compared with the beginning of ids; a shorter one could match by accident. */
enum { ID_BEGINNING_MIN = 8 };

/* Sets selection->ids to the runs whose id begins with `text`, within selection->range. */
static void select_ids(struct lab_connection *reader, const char *text, struct selection *selection)
{
    char first[LAB_RUN_ID_SIZE], beyond[LAB_RUN_ID_SIZE + 1];
    size_t length = strlen(text);
    if (length < ID_BEGINNING_MIN || length >= LAB_RUN_ID_SIZE || strspn(text, "0123456789abcdefABCDEF-") != length)
        return;
    for (size_t i = 0; i <= length; i++)
        first[i] = beyond[i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 'a' : text[i]);
    beyond[length] = '~'; /* sorts after all characters of an id */
    beyond[length + 1] = '\0';
    selection->ids = selection->range;
    raise_to(&selection->ids, first_from_id(reader, first));
    lower_to(&selection->ids, first_from_id(reader, beyond));
}

/* Looks up a term. Returns false when no run has ever had it, so that nothing can match. */
static bool select_term(struct lab_connection *reader, const char *kind, const char *name, int64_t *term)
{
    if (name == NULL)
        return true;
    *term = lab_index_find_term(reader, kind, name);
    return *term != 0;
}

/* Evaluates the filter. Sets *none when nothing can match. A failure of SQLite is kept in the connection. */
static enum lab_store_result select_runs(struct lab_connection *reader, const struct lab_run_filter *filter,
                                         struct selection *selection, bool *none)
{
    const char *status = filter->by_status ? lab_status_name(filter->status) : NULL;
    select_range(reader, filter, &selection->range);
    *none = !select_term(reader, "experiment", filter->experiment, &selection->experiment) ||
            !select_term(reader, "device", filter->device, &selection->device) ||
            !select_term(reader, "status", status, &selection->status) ||
            !select_term(reader, "tag", filter->tag, &selection->tag) || selection->range.low >= selection->range.high;
    if (*none || filter->text == NULL || filter->text[0] == '\0')
        return LAB_STORE_OK;
    select_ids(reader, filter->text, selection);
    selection->match = lab_search_expression(filter->text);
    return selection->match != NULL ? LAB_STORE_OK : lab_result(LAB_STORE_FAILED, "out of memory");
}

/* --- the page ------------------------------------------------------------------------------------------------------- */

#define LISTED "experiment = ?1 AND device = ?2 AND status = ?3 AND tag = ?4"

/* CROSS JOIN makes `listing` the outer loop. Runs are in [?5, ?6); ?7 is the limit. */
#define PAGE(order)                                                                                                    \
    "SELECT " COLUMNS                                                                                                  \
    " FROM listing CROSS JOIN run ON run.number = listing.run WHERE listing.experiment = ?1"                           \
    " AND listing.device = ?2 AND listing.status = ?3 AND listing.tag = ?4 AND listing.run >= ?5 AND listing.run < ?6" \
    " ORDER BY listing.run " order " LIMIT ?7"

/* Scans `search` within one term and looks up the other terms in `listing` for each hit. Rowids of `search` descend as run
 * numbers ascend: rowid = ?9 - run, so the runs [?5, ?6) are the rowids (?9 - ?6, ?9 - ?5]. The second part of the UNION adds
 * the runs in [?10, ?11), whose ids begin with the text. */
#define PAGE_WITH_TEXT(order, reverse_order)                                                                           \
    "SELECT " COLUMNS                                                                                                  \
    " FROM (SELECT hit FROM (SELECT ?9 - rowid AS hit FROM search WHERE search MATCH ?8"                               \
    " AND rowid > ?9 - ?6 AND rowid <= ?9 - ?5"                                                                        \
    " AND EXISTS (SELECT 1 FROM listing WHERE " LISTED                                                                 \
    " AND run = ?9 - search.rowid)"                                                                                    \
    " ORDER BY rowid " reverse_order                                                                                   \
    " LIMIT ?7)"                                                                                                       \
    " UNION SELECT hit FROM (SELECT run AS hit FROM listing WHERE " LISTED                                             \
    " AND run >= ?10 AND run < ?11"                                                                                    \
    " ORDER BY run " order " LIMIT ?7)) CROSS JOIN run ON run.number = hit ORDER BY hit " order " LIMIT ?7"

static sqlite3_stmt *query_page(struct lab_connection *reader, const struct selection *selection, bool oldest_first,
                                size_t limit)
{
    static const char newest[] = PAGE("DESC"), oldest[] = PAGE("ASC");
    return lab_query(reader, oldest_first ? oldest : newest,
                     LAB_VALUES(lab_integer(selection->experiment), lab_integer(selection->device),
                                lab_integer(selection->status), lab_integer(selection->tag),
                                lab_integer(selection->range.low), lab_integer(selection->range.high),
                                lab_integer((int64_t)limit)));
}

/* Returns the term that usually matches the fewest runs; 0 when the filter has none. */
static int64_t narrowest(const struct selection *selection)
{
    const int64_t terms[] = {selection->tag, selection->device, selection->experiment, selection->status};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (terms[i] != 0)
            return terms[i];
    return 0;
}

static sqlite3_stmt *query_page_with_text(struct lab_connection *reader, const struct selection *selection,
                                          bool oldest_first, size_t limit)
{
    static const char newest[] = PAGE_WITH_TEXT("DESC", "ASC"), oldest[] = PAGE_WITH_TEXT("ASC", "DESC");
    int64_t rowid_of_run_0 = (narrowest(selection) + 1) * LAB_RUN_NUMBER_END - 1;
    return lab_query(reader, oldest_first ? oldest : newest,
                     LAB_VALUES(lab_integer(selection->experiment), lab_integer(selection->device),
                                lab_integer(selection->status), lab_integer(selection->tag),
                                lab_integer(selection->range.low), lab_integer(selection->range.high),
                                lab_integer((int64_t)limit), lab_text(selection->match), lab_integer(rowid_of_run_0),
                                lab_integer(selection->ids.low), lab_integer(selection->ids.high)));
}

/* Passes up to `limit` rows to `row`. Returns whether there are more. */
static bool read_page(struct lab_connection *reader, sqlite3_stmt *statement, size_t limit,
                      void (*row)(void *context, const struct lab_run_row *run), void *context)
{
    for (size_t count = 0; lab_query_next(reader, statement); count++) {
        if (count == limit) {
            lab_query_reset(statement);
            return true;
        }
        struct lab_run_row run;
        read_run(statement, &run);
        row(context, &run);
    }
    return false;
}

enum lab_store_result lab_store_list_runs(struct lab_store *store, const struct lab_run_filter *filter,
                                          void (*row)(void *context, const struct lab_run_row *run), void *context,
                                          bool *more)
{
    *more = false;
    if (filter->limit < 1 || filter->limit > LAB_LIST_MAX)
        return lab_result(LAB_STORE_FAILED, "limit must be 1 to %d, not %zu", LAB_LIST_MAX, filter->limit);
    struct lab_connection *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;

    bool none = false;
    struct selection selection = {0};
    enum lab_store_result result = select_runs(reader, filter, &selection, &none);
    if (result == LAB_STORE_OK && !none) {
        /* One row more than the limit shows whether there are more. */
        sqlite3_stmt *statement = (selection.match == NULL ? query_page : query_page_with_text)(
            reader, &selection, filter->oldest_first, filter->limit + 1);
        *more = read_page(reader, statement, filter->limit, row, context);
    }
    free(selection.match);
    return lab_reader_release(store, reader, result);
}
