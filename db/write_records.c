/* Inserts queued records, inside a transaction of the writer thread. */
#include "store_internal.h"

void lab_write_measurement(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char insert[] =
        "INSERT INTO measurement(run, position, axes, metric, unit, n, median, q1, q3, min, max, mean, stdev, noise,"
        " stop_reason, verified, wrong, cache, numa_node, peak, conditions, kernel, skipped, samples)"
        " VALUES (?1, (SELECT measurement_count FROM run WHERE number = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
        " ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";
    static const char count[] =
        "UPDATE run SET measurement_count = measurement_count + 1,"
        " wrong_count = wrong_count + ?2 WHERE number = ?1";
    const struct lab_measurement_row *row = &record->row.measurement;
    lab_execute_statement(
        connection, insert,
        LAB_VALUES(lab_integer(run), lab_text(row->axes), lab_text(row->metric), lab_text(row->unit),
                   lab_integer(row->n), lab_real(row->median), lab_real(row->q1), lab_real(row->q3), lab_real(row->min),
                   lab_real(row->max), lab_real(row->mean), lab_real(row->stdev), lab_real(row->noise),
                   lab_text(row->stop_reason), lab_integer_or_null(row->verified < 0 ? INT64_MIN : row->verified),
                   lab_integer(row->wrong), lab_text(row->cache), lab_integer_or_null(row->numa_node),
                   lab_text(row->peak), lab_text(row->conditions), lab_text(row->kernel), lab_text(row->skipped),
                   lab_blob(row->samples, row->sample_count * sizeof *row->samples)));
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

enum lab_store_result lab_records_write(struct lab_connection *connection, void *records)
{
    for (struct lab_record *record = records; record != NULL; record = record->next) {
        int64_t run = 0;
        record->lost = false; /* set by an earlier attempt whose transaction failed */
        if (lab_run_find(connection, record->run, &run))
            record->write(connection, run, record);
        else if (connection->failure == SQLITE_OK)
            record->lost = true; /* no such run */
        /* A record that violates the schema must not make the other records of the transaction fail. */
        if (lab_connection_rejected_data(connection)) {
            record->lost = true;
            lab_connection_clear(connection);
        }
    }
    return LAB_STORE_OK;
}
