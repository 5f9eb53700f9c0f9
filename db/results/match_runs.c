/* Finds what two runs have both measured, and the pinned run that a run is compared with. */
#include "store_internal.h"

#include <stdio.h>

/* Measurements of a run that compare with those of another: not those of the other side of a comparison of its own. */
#define OWN_SIDE(m) " AND coalesce(" m ".side, 'head') = 'head'"

struct matching {
    void (*row)(void *context, int64_t point, const struct lab_measurement_row *base,
                const struct lab_measurement_row *head);
    void *context;
};

/* Calls the row for each measurement of the statement: of both runs, or of one of them. */
static void read_pairs(struct lab_db *reader, sqlite3_stmt *statement, bool has_base, bool has_head,
                       const struct matching *matching)
{
    while (lab_query_next(reader, statement)) {
        struct lab_measurement_row base, head;
        int column = 1;
        if (has_base)
            column = lab_measurement_read(statement, column, &base);
        if (has_head)
            lab_measurement_read(statement, column, &head);
        matching->row(matching->context, sqlite3_column_int64(statement, 0), has_base ? &base : NULL,
                      has_head ? &head : NULL);
    }
}

/* Reads the measurements of a run whose points the other run does not have. */
static void read_unmatched(struct lab_db *reader, int64_t run, int64_t other, bool is_base,
                           const struct matching *matching)
{
    static const char sql[] =
        "SELECT m.point," LAB_MEASUREMENT_COLUMNS("m") " FROM measurement AS m CROSS JOIN point AS p ON p.id = m.point"
        " WHERE m.run = ?1" OWN_SIDE("m") " AND NOT EXISTS (SELECT 1 FROM measurement AS o WHERE o.point = m.point"
        " AND o.model = (SELECT model FROM run WHERE number = ?2) AND o.run = ?2" OWN_SIDE("o") ") ORDER BY m.position";
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(run), lab_integer(other)));
    read_pairs(reader, statement, is_base, !is_base, matching);
}

enum lab_store_result lab_store_match_measurements(struct lab_store *store, const char *base, const char *head,
                                                   void (*row)(void *context, int64_t point,
                                                               const struct lab_measurement_row *base,
                                                               const struct lab_measurement_row *head),
                                                   void *context)
{
    static const char sql[] =
        "SELECT m.point," LAB_MEASUREMENT_COLUMNS("b") "," LAB_MEASUREMENT_COLUMNS("m")
        " FROM measurement AS m CROSS JOIN point AS p ON p.id = m.point CROSS JOIN measurement AS b"
        " ON b.point = m.point AND b.model = (SELECT model FROM run WHERE number = ?1) AND b.run = ?1" OWN_SIDE("b")
        " WHERE m.run = ?2" OWN_SIDE("m") " ORDER BY m.position";
    const struct matching matching = {row, context};
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t base_run = 0, head_run = 0;
    if (!lab_run_find(reader, base, &base_run))
        return lab_reader_release(store, reader, lab_run_not_found(reader, base));
    if (!lab_run_find(reader, head, &head_run))
        return lab_reader_release(store, reader, lab_run_not_found(reader, head));
    read_pairs(reader, lab_query(reader, sql, LAB_VALUES(lab_integer(base_run), lab_integer(head_run))), true, true,
               &matching);
    read_unmatched(reader, base_run, head_run, true, &matching);
    read_unmatched(reader, head_run, base_run, false, &matching);
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

enum lab_store_result lab_store_find_pinned(struct lab_store *store, const char *run,
                                            const struct lab_run_filter *filter, char id[LAB_RUN_ID_SIZE])
{
    static const char sql[] =
        "SELECT p.id FROM run AS r CROSS JOIN run AS p INDEXED BY run_pinned ON p.pinned = 1"
        " AND p.experiment = r.experiment AND p.model = r.model AND p.number <> r.number"
        " AND (?2 IS NULL OR p.requested_by = ?2)"
        " AND (?3 IS NULL OR coalesce(p.secret_until <= ?4, 1) OR p.requested_by IS ?3)"
        " WHERE r.id = ?1 AND EXISTS (SELECT 1 FROM measurement AS h CROSS JOIN measurement AS b"
        " ON b.point = h.point AND b.model = p.model AND b.run = p.number WHERE h.run = r.number)"
        " ORDER BY p.number DESC LIMIT 1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    enum lab_store_result result = LAB_STORE_NOT_FOUND;
    sqlite3_stmt *statement = lab_query(reader, sql,
                                        LAB_VALUES(lab_text(run), lab_text(filter->requested_by),
                                                   lab_text(filter->viewer), lab_integer(lab_time_now())));
    while (lab_query_next(reader, statement)) {
        snprintf(id, LAB_RUN_ID_SIZE, "%s", lab_column_text(statement, 0));
        result = LAB_STORE_OK;
    }
    return lab_reader_release(store, reader, result);
}
