/* The index that lists of runs are read from: a run's terms, one row of `listing` for every combination of them, and its text
 * in `search` once for each term. The index rows of a run are removed before its terms change and added again afterwards.
 */
#include "store_internal.h"

/* The combinations of terms of run ?1: all when ?2 is true, else those with a status other than "any". */
#define COMBINATIONS                                                                                                   \
    "SELECT e.term, d.term, s.term, t.term, e.run FROM run_term AS e"                                                  \
    " CROSS JOIN run_term AS d CROSS JOIN run_term AS s CROSS JOIN run_term AS t"                                      \
    " WHERE e.run = ?1 AND e.kind = 'experiment' AND d.run = ?1 AND d.kind = 'device'"                                 \
    " AND s.run = ?1 AND s.kind = 'status' AND (?2 OR s.term <> 0) AND t.run = ?1 AND t.kind = 'tag'"

/* The rowids in `search` of the same terms; 1 << 42 is LAB_RUN_NUMBER_END. The term 0 has one row for all kinds together. */
#define ROWIDS                                                                                                         \
    "(term << 42) + (1 << 42) - 1 - run.number, words FROM run JOIN run_term ON run_term.run = run.number"             \
    " WHERE run.number = ?1 AND CASE WHEN term = 0 THEN ?2 AND kind = 'status' ELSE ?2 OR kind = 'status' END"

static void apply(struct lab_connection *connection, const char *listing, const char *search, int64_t run,
                  enum lab_index_scope which)
{
    const struct lab_value values[] = {lab_integer(run), lab_integer(which == LAB_INDEX_ALL)};
    lab_execute_statement(connection, listing, values, 2);
    lab_execute_statement(connection, search, values, 2);
}

void lab_index_remove(struct lab_connection *connection, int64_t run, enum lab_index_scope which)
{
    static const char listing[] =
        "DELETE FROM listing WHERE (experiment, device, status, tag, run) IN (" COMBINATIONS ")";
    static const char search[] = "INSERT INTO search(search, rowid, words) SELECT 'delete', " ROWIDS;
    apply(connection, listing, search, run, which);
}

void lab_index_add(struct lab_connection *connection, int64_t run, enum lab_index_scope which)
{
    static const char listing[] = "INSERT INTO listing(experiment, device, status, tag, run) " COMBINATIONS;
    static const char search[] = "INSERT INTO search(rowid, words) SELECT " ROWIDS;
    apply(connection, listing, search, run, which);
}

int64_t lab_index_find_term(struct lab_connection *connection, const char *kind, const char *name)
{
    static const char sql[] = "SELECT number FROM term WHERE kind = ?1 AND name = ?2";
    int64_t term = 0;
    lab_select_integer(connection, &term, sql, LAB_VALUES(lab_text(kind), lab_text(name)));
    return term;
}

/* Returns the number of a term and creates the term where it is new. */
static int64_t term_number(struct lab_connection *connection, const char *kind, const char *name)
{
    static const char sql[] = "INSERT INTO term(kind, name) VALUES (?1, ?2)";
    int64_t term = lab_index_find_term(connection, kind, name);
    if (term != 0 || !lab_execute_statement(connection, sql, LAB_VALUES(lab_text(kind), lab_text(name))))
        return term;
    return sqlite3_last_insert_rowid(connection->db);
}

void lab_index_add_term(struct lab_connection *connection, int64_t run, const char *kind, const char *name)
{
    static const char sql[] = "INSERT INTO run_term(run, kind, term) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    int64_t term = name == NULL ? 0 : term_number(connection, kind, name);
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run), lab_text(kind), lab_integer(term)));
}

void lab_index_set_status(struct lab_connection *connection, int64_t run, enum lab_status status)
{
    static const char row[] = "UPDATE run SET status = ?2, revision = revision + 1 WHERE number = ?1";
    static const char term[] = "UPDATE run_term SET term = ?2 WHERE run = ?1 AND kind = 'status' AND term <> 0";
    const char *name = lab_status_name(status);
    int64_t number = term_number(connection, "status", name);
    lab_index_remove(connection, run, LAB_INDEX_STATUS);
    lab_execute_statement(connection, row, LAB_VALUES(lab_integer(run), lab_text(name)));
    lab_execute_statement(connection, term, LAB_VALUES(lab_integer(run), lab_integer(number)));
    lab_index_add(connection, run, LAB_INDEX_STATUS);
}

void lab_index_update_text(struct lab_connection *connection, int64_t run)
{
    static const char sql[] =
        "UPDATE run SET words = searchable(experiment || char(10)"
        " || coalesce((SELECT group_concat(name, char(10)) FROM run_term JOIN term ON term.number = run_term.term"
        "              WHERE run_term.run = ?1 AND run_term.kind = 'tag') || char(10), '')"
        " || note) WHERE number = ?1";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run)));
}
