/* Inserts queued records, inside a transaction of the writer thread. */
#include "store_internal.h"

/* Returns the id of the measurement's point in the run's experiment, and adds the point where it is new. */
static int64_t point_of(struct lab_connection *connection, int64_t run, const struct lab_measurement_row *row)
{
    static const char find[] =
        "SELECT id FROM point WHERE experiment = (SELECT experiment FROM run WHERE number = ?1) AND metric = ?2"
        " AND unit = ?3 AND canonical = canonical_axes(?4)";
    static const char insert[] =
        "INSERT INTO point(experiment, metric, unit, axes, canonical)"
        " SELECT experiment, ?2, ?3, ?4, canonical_axes(?4) FROM run WHERE number = ?1";
    const struct lab_value values[] = {lab_integer(run), lab_text(row->metric), lab_text(row->unit),
                                       lab_text(row->axes)};
    int64_t point = 0;
    if (lab_select_integer(connection, &point, find, values, 4))
        return point;
    lab_execute_statement(connection, insert, values, 4);
    return sqlite3_last_insert_rowid(connection->db);
}

static void write_samples(struct lab_connection *connection, int64_t run, const struct lab_measurement_row *row)
{
    static const char insert[] =
        "INSERT INTO samples(run, position, content) SELECT ?1, measurement_count, ?2 FROM run WHERE number = ?1";
    if (row->samples != NULL && row->sample_count > 0)
        lab_execute_statement(
            connection, insert,
            LAB_VALUES(lab_integer(run), lab_blob(row->samples, row->sample_count * sizeof *row->samples)));
}

void lab_write_measurement(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char insert[] =
        "INSERT INTO measurement(run, position, model, point, side, n, median, q1, q3, min, max, mean, stdev, noise,"
        " stop_reason, verified, wrong, cache, numa_node, sample_count, peak, conditions, kernel, rounds, skipped)"
        " SELECT ?1, measurement_count, model, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
        " ?19, ?20, ?21, ?22, ?23 FROM run WHERE number = ?1";
    static const char count[] =
        "UPDATE run SET measurement_count = measurement_count + 1,"
        " wrong_count = wrong_count + ?2 WHERE number = ?1";
    const struct lab_measurement_row *row = &record->row.measurement;
    size_t sample_count = row->samples != NULL ? row->sample_count : 0;
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_integer(run), lab_integer(point_of(connection, run, row)), lab_text(row->side),
                                     lab_integer(row->n), lab_real(row->median), lab_real(row->q1), lab_real(row->q3),
                                     lab_real(row->min), lab_real(row->max), lab_real(row->mean), lab_real(row->stdev),
                                     lab_real(row->noise), lab_text(row->stop_reason),
                                     lab_integer_or_null(row->verified < 0 ? INT64_MIN : row->verified),
                                     lab_integer(row->wrong), lab_text(row->cache), lab_integer_or_null(row->numa_node),
                                     lab_integer((int64_t)sample_count), lab_text(row->peak), lab_text(row->conditions),
                                     lab_text(row->kernel), lab_text(row->rounds), lab_text(row->skipped)));
    write_samples(connection, run, row);
    lab_execute_statement(connection, count, LAB_VALUES(lab_integer(run), lab_integer(row->verified == 0)));
}

void lab_write_span(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] =
        "INSERT INTO span(run, position, lane, kind, label, axes, start_ns, end_ns) VALUES (?1,"
        " (SELECT coalesce(max(position) + 1, 0) FROM span WHERE run = ?1), ?2, ?3, ?4, ?5, ?6, ?7)";
    const struct lab_span_row *row = &record->row.span;
    lab_execute_statement(connection, sql,
                          LAB_VALUES(lab_integer(run), lab_text(row->lane), lab_text(row->kind), lab_text(row->label),
                                     lab_text(row->axes), lab_integer(row->start_ns), lab_integer(row->end_ns)));
}

void lab_write_environment(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char content[] =
        "INSERT INTO environment(run, content) VALUES (?1, ?2)"
        " ON CONFLICT(run) DO UPDATE SET content = excluded.content";
    static const char key[] = "UPDATE run SET environment_key = short_digest(?2) WHERE number = ?1";
    lab_execute_statement(connection, content, LAB_VALUES(lab_integer(run), lab_text(record->row.environment.content)));
    lab_execute_statement(connection, key, LAB_VALUES(lab_integer(run), lab_text(record->row.environment.key)));
}

void lab_write_headline(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] = "UPDATE run SET headline = ?2 WHERE number = ?1";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run), lab_text(record->row.text)));
}

void lab_write_output(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] = "UPDATE run SET output = ?2 WHERE number = ?1";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run), lab_text(record->row.text)));
}

void lab_warning_write(struct lab_connection *connection, int64_t run, const char *warning)
{
    static const char sql[] =
        "INSERT INTO warning(run, position, text) VALUES (?1,"
        " (SELECT coalesce(max(position) + 1, 0) FROM warning WHERE run = ?1), ?2)";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run), lab_text(warning)));
}

void lab_write_warning(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    lab_warning_write(connection, run, record->row.text);
}

void lab_write_note(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] =
        "INSERT INTO note(run, position, text) VALUES (?1,"
        " (SELECT coalesce(max(position) + 1, 0) FROM note WHERE run = ?1), ?2)";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run), lab_text(record->row.text)));
}

void lab_write_field(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] =
        "INSERT INTO field(run, position, content) VALUES (?1,"
        " (SELECT coalesce(max(position) + 1, 0) FROM field WHERE run = ?1), ?2)";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(run), lab_text(record->row.text)));
}

enum lab_store_result lab_records_write(struct lab_connection *connection, void *records)
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
        if (lab_connection_rejected_data(connection)) {
            record->lost = true;
            lab_connection_clear(connection);
            lab_execute_statement(connection, undo, LAB_NO_VALUES);
        }
        lab_execute_statement(connection, end, LAB_NO_VALUES);
    }
    return LAB_STORE_OK;
}
