/* Measurements, spans and warnings on their way to the disk: copied when they are handed in, written by the writer's thread
 * in groups.
 */
#include "store_internal.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- writing (in the transaction of a group) ------------------------------------------------------------------------- */

static void write_measurement(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char insert[] =
        "INSERT INTO measurement(run, position, axes, metric, unit, n, median, q1, q3, min, max, mean, stdev, noise,"
        " stop_reason, verified, wrong, cache, numa_node, peak, conditions, skipped, samples)"
        " VALUES (?1, (SELECT measurement_count FROM run WHERE number = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
        " ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)";
    static const char count[] =
        "UPDATE run SET measurement_count = measurement_count + 1,"
        " wrong_count = wrong_count + ?2 WHERE number = ?1";
    const struct lab_measurement_row *row = &record->of.measurement;
    lab_change(
        connection, insert,
        LAB_WITH(lab_integer(run), lab_text(row->axes), lab_text(row->metric), lab_text(row->unit), lab_integer(row->n),
                 lab_real(row->median), lab_real(row->q1), lab_real(row->q3), lab_real(row->min), lab_real(row->max),
                 lab_real(row->mean), lab_real(row->stdev), lab_real(row->noise), lab_text(row->stop_reason),
                 lab_optional(row->verified < 0 ? INT64_MIN : row->verified), lab_integer(row->wrong),
                 lab_text(row->cache), lab_optional(row->numa_node), lab_text(row->peak), lab_text(row->conditions),
                 lab_text(row->skipped), lab_blob(row->samples, row->sample_count * sizeof *row->samples)));
    lab_change(connection, count, LAB_WITH(lab_integer(run), lab_integer(row->verified == 0)));
}

static void write_span(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    static const char sql[] =
        "INSERT INTO span(run, position, lane, kind, label, axes, start_ns, end_ns) VALUES (?1,"
        " (SELECT coalesce(max(position) + 1, 0) FROM span WHERE run = ?1), ?2, ?3, ?4, ?5, ?6, ?7)";
    const struct lab_span_row *row = &record->of.span;
    lab_change(connection, sql,
               LAB_WITH(lab_integer(run), lab_text(row->lane), lab_text(row->kind), lab_text(row->label),
                        lab_text(row->axes), lab_integer(row->start_ns), lab_integer(row->end_ns)));
}

void lab_warning_write(struct lab_connection *connection, int64_t run, const char *warning)
{
    static const char sql[] =
        "INSERT INTO warning(run, position, text) VALUES (?1,"
        " (SELECT coalesce(max(position) + 1, 0) FROM warning WHERE run = ?1), ?2)";
    lab_change(connection, sql, LAB_WITH(lab_integer(run), lab_text(warning)));
}

static void write_warning(struct lab_connection *connection, int64_t run, const struct lab_record *record)
{
    lab_warning_write(connection, run, record->of.warning);
}

enum lab_store_result lab_records_write(struct lab_connection *connection, void *records)
{
    for (struct lab_record *record = records; record != NULL; record = record->next) {
        int64_t run = 0;
        record->lost = false; /* this may be another try */
        if (lab_run_number(connection, record->run, &run))
            record->write(connection, run, record);
        else if (connection->failure == SQLITE_OK)
            record->lost = true; /* there is no such run */
        /* A record that breaks a rule of the schema must not take those beside it with it. */
        if (lab_connection_refused(connection)) {
            record->lost = true;
            lab_connection_clear(connection);
        }
    }
    return LAB_STORE_OK;
}

/* --- copying -------------------------------------------------------------------------------------------------------- */

/* Where the strings of each kind of record are. */
static const size_t measurement_strings[] = {
    offsetof(struct lab_record, of.measurement.axes),       offsetof(struct lab_record, of.measurement.metric),
    offsetof(struct lab_record, of.measurement.unit),       offsetof(struct lab_record, of.measurement.stop_reason),
    offsetof(struct lab_record, of.measurement.cache),      offsetof(struct lab_record, of.measurement.peak),
    offsetof(struct lab_record, of.measurement.conditions), offsetof(struct lab_record, of.measurement.skipped),
};
static const size_t span_strings[] = {
    offsetof(struct lab_record, of.span.lane),
    offsetof(struct lab_record, of.span.kind),
    offsetof(struct lab_record, of.span.label),
    offsetof(struct lab_record, of.span.axes),
};
static const size_t warning_strings[] = {offsetof(struct lab_record, of.warning)};

static const char **string_of(struct lab_record *record, size_t offset)
{
    return (const char **)(void *)((char *)record + offset);
}

/* Samples as the file has them, whatever the machine. */
static void copy_samples(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        bits = htole64(bits);
        memcpy(&to[i], &bits, sizeof bits);
    }
}

/* `draft` in one piece of memory with everything it points to; NULL when there is none. */
static struct lab_record *copy(struct lab_record *draft, const char *run, const size_t *strings, size_t string_count,
                               size_t sample_count)
{
    size_t bytes = sizeof *draft + sample_count * sizeof(double);
    for (size_t i = 0; i < string_count; i++)
        if (*string_of(draft, strings[i]) != NULL)
            bytes += strlen(*string_of(draft, strings[i])) + 1;

    struct lab_record *record = malloc(bytes);
    if (record == NULL)
        return NULL;
    *record = *draft;
    record->bytes = bytes;
    snprintf(record->run, sizeof record->run, "%s", run);
    char *end = (char *)&record->content[sample_count];
    for (size_t i = 0; i < string_count; i++) {
        const char **string = string_of(record, strings[i]);
        if (*string == NULL)
            continue;
        size_t size = strlen(*string) + 1;
        *string = memcpy(end, *string, size);
        end += size;
    }
    return record;
}

void lab_store_add_measurement(struct lab_store *store, const char *run_id,
                               const struct lab_measurement_row *measurement)
{
    size_t samples = measurement->samples == NULL ? 0 : measurement->sample_count;
    struct lab_record draft = {.write = write_measurement, .of.measurement = *measurement};
    struct lab_record *record =
        copy(&draft, run_id, measurement_strings, sizeof measurement_strings / sizeof *measurement_strings, samples);
    if (record != NULL && samples > 0) {
        copy_samples(record->content, measurement->samples, samples);
        record->of.measurement.samples = record->content;
    }
    lab_writer_add(store, run_id, record);
}

void lab_store_add_span(struct lab_store *store, const char *run_id, const struct lab_span_row *span)
{
    struct lab_record draft = {.write = write_span, .of.span = *span};
    lab_writer_add(store, run_id, copy(&draft, run_id, span_strings, sizeof span_strings / sizeof *span_strings, 0));
}

void lab_store_add_warning(struct lab_store *store, const char *id, const char *warning)
{
    struct lab_record draft = {.write = write_warning, .of.warning = warning};
    lab_writer_add(store, id, copy(&draft, id, warning_strings, 1, 0));
}
