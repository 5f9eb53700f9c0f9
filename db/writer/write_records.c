/* Inserts queued records, inside a transaction of the writer thread. */
#include "store_internal.h"

/* Returns the id of the measurement's point in the run's experiment, and adds the point where it is new. */
static int64_t point_of(struct lab_db *connection, int64_t run, const struct lab_measurement_row *row)
{
    static const char find[] =
        "SELECT id FROM point WHERE experiment = (SELECT experiment FROM run WHERE number = ?1) AND metric = ?2"
        " AND unit = ?3 AND canonical = canonical_axes(?4)";
    static const char insert[] =
        "INSERT INTO point(experiment, metric, unit, axes, canonical)"
        " SELECT experiment, ?2, ?3, ?4, canonical_axes(?4) FROM run WHERE number = ?1";
    const struct lab_sql_value values[] = {lab_integer(run), lab_text(row->metric), lab_text(row->unit),
                                           lab_text(row->axes)};
    int64_t point = 0;
    if (lab_select_integer(connection, &point, find, values, 4))
        return point;
    lab_execute_statement(connection, insert, values, 4);
    return sqlite3_last_insert_rowid(connection->db);
}

static void write_samples(struct lab_db *connection, int64_t run, const struct lab_measurement_row *row)
{
    static const char insert[] =
        "INSERT INTO samples(run, position, content) SELECT ?1, measurement_count, ?2 FROM run WHERE number = ?1";
    if (row->samples != NULL && row->sample_count > 0)
        lab_execute_statement(
            connection, insert,
            LAB_VALUES(lab_integer(run), lab_blob(row->samples, row->sample_count * sizeof *row->samples)));
}

void lab_write_measurement(struct lab_db *connection, int64_t run, const struct lab_record *record)
{
    enum {
        OWN = 3,
        POINT = LAB_MEMBER_COUNT_OF(LAB_MEASUREMENT_POINT),
        ALL = LAB_MEMBER_COUNT_OF(LAB_MEASUREMENT_MEMBERS)
    };
    static const char insert[] =
        "INSERT INTO measurement(run, position, model, point, sample_count" LAB_MEASUREMENT_SUMMARY(LAB_NAME, )
            LAB_MEASUREMENT_FACTS(LAB_NAME, ) ") SELECT ?1, measurement_count, model, ?2, ?3" LAB_MEASUREMENT_SUMMARY(
                LAB_PARAMETER, ) LAB_MEASUREMENT_FACTS(LAB_PARAMETER, ) " FROM run WHERE number = ?1";
    static const char count[] =
        "UPDATE run SET measurement_count = measurement_count + 1,"
        " wrong_count = wrong_count + ?2 WHERE number = ?1";
    const struct lab_measurement_row *row = &record->row.measurement;
    struct lab_sql_value values[OWN + ALL - POINT] = {
        lab_integer(run), lab_integer(point_of(connection, run, row)),
        lab_integer(row->samples != NULL ? (int64_t)row->sample_count : 0)};
    lab_row_values(&lab_measurement_row_members[POINT], row, &values[OWN]);
    lab_execute_statement(connection, insert, values, sizeof values / sizeof *values);
    write_samples(connection, run, row);
    lab_execute_statement(connection, count, LAB_VALUES(lab_integer(run), lab_integer(row->verified == 0)));
}

void lab_write_span(struct lab_db *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] = "INSERT INTO span(run, position" LAB_SPAN_MEMBERS(
        LAB_NAME, ) ") SELECT ?1, (SELECT coalesce(max(position) + 1, 0) FROM span WHERE run = ?1)" LAB_SPAN_MEMBERS(LAB_PARAMETER, );
    struct lab_sql_value values[1 + LAB_MEMBER_COUNT_OF(LAB_SPAN_MEMBERS)] = {lab_integer(run)};
    lab_row_values(lab_span_row_members, &record->row.span, &values[1]);
    lab_execute_statement(connection, sql, values, sizeof values / sizeof *values);
}

void lab_write_environment(struct lab_db *connection, int64_t run, const struct lab_record *record)
{
    static const char content[] =
        "INSERT INTO environment(run, content) VALUES (?1, ?2)"
        " ON CONFLICT(run) DO UPDATE SET content = excluded.content";
    static const char key[] = "UPDATE run SET environment_key = short_digest(?2) WHERE number = ?1";
    lab_execute_statement(connection, content, LAB_VALUES(lab_integer(run), lab_text(record->row.environment.content)));
    lab_execute_statement(connection, key, LAB_VALUES(lab_integer(run), lab_text(record->row.environment.key)));
}

#define APPEND(table, column)                                                                                          \
    "INSERT INTO " table "(run, position, " column                                                                     \
    ") VALUES (?1,"                                                                                                    \
    " (SELECT coalesce(max(position) + 1, 0) FROM " table " WHERE run = ?1), ?2)"

void lab_text_write(struct lab_db *connection, int64_t run, enum lab_text_kind kind, const char *text)
{
    static const char *const sql[] = {
        [LAB_TEXT_HEADLINE] = "UPDATE run SET headline = ?2 WHERE number = ?1",
        [LAB_TEXT_MESSAGES] = "UPDATE run SET messages = ?2 WHERE number = ?1",
        [LAB_TEXT_FINDINGS] = "UPDATE run SET findings = ?2 WHERE number = ?1",
        [LAB_TEXT_OUTPUT] = "UPDATE run SET output = coalesce(output, '') || ?2 WHERE number = ?1",
        [LAB_TEXT_WARNING] = APPEND("warning", "text"),
        [LAB_TEXT_NOTE] = APPEND("note", "text"),
        [LAB_TEXT_FIELD] = APPEND("field", "content"),
    };
    lab_execute_statement(connection, sql[kind], LAB_VALUES(lab_integer(run), lab_text(text)));
}

void lab_write_text(struct lab_db *connection, int64_t run, const struct lab_record *record)
{
    lab_text_write(connection, run, record->row.text.kind, record->row.text.content);
}

enum lab_store_result lab_records_write(struct lab_db *connection, void *records)
{
    static const char begin[] = "SAVEPOINT record", undo[] = "ROLLBACK TO record", end[] = "RELEASE record";
    for (struct lab_record *record = records; record != NULL; record = record->next) {
        int64_t run = 0;
        record->lost = false; /* set by an earlier attempt whose transaction failed */
        lab_execute_statement(connection, begin, LAB_NO_VALUES);
        if (lab_run_find(connection, record->run, &run))
            record->write(connection, run, record);
        else if (connection->failure == SQLITE_OK)
            record->lost = true; /* no such run */
        /* A record that violates the schema must not make the other records of the transaction fail. */
        if (lab_db_rejected_data(connection)) {
            record->lost = true;
            lab_db_clear(connection);
            lab_execute_statement(connection, undo, LAB_NO_VALUES);
        }
        lab_execute_statement(connection, end, LAB_NO_VALUES);
    }
    return LAB_STORE_OK;
}
