/* Adds a run that has ended elsewhere, with all its results, or samples to one that is there. */
#include "store_internal.h"

#include <stdlib.h>

struct import {
    const struct lab_imported_run *imported;
    bool added;
};

/* Inserts the sentences of a JSON array, or of none. */
static void add_sentences(struct lab_db *connection, int64_t number, const struct lab_run_row *run)
{
    static const char warnings[] =
        "INSERT INTO warning(run, position, text) SELECT ?1, key, value FROM json_each(coalesce(?2, '[]'))";
    static const char notes[] =
        "INSERT INTO note(run, position, text) SELECT ?1, key, value FROM json_each(coalesce(?2, '[]'))";
    lab_execute_statement(connection, warnings, LAB_VALUES(lab_integer(number), lab_text(run->warnings)));
    lab_execute_statement(connection, notes, LAB_VALUES(lab_integer(number), lab_text(run->notes)));
}

/* A copy of the samples as records have them; the caller frees it. NULL when out of memory. */
static double *copy_samples(const double *samples, size_t count)
{
    double *copy = malloc(count * sizeof *copy);
    if (copy != NULL)
        lab_samples_copy(copy, samples, count);
    return copy;
}

static enum lab_store_result add_measurement(struct lab_db *connection, int64_t number,
                                             const struct lab_measurement_row *row)
{
    struct lab_record record = {.row.measurement = *row};
    double *samples = NULL;
    if (row->samples != NULL && row->sample_count > 0) {
        samples = copy_samples(row->samples, row->sample_count);
        if (samples == NULL)
            return lab_store_no_memory();
        record.row.measurement.samples = samples;
    }
    lab_write_measurement(connection, number, &record);
    free(samples);
    return LAB_STORE_OK;
}

static enum lab_store_result add_results(struct lab_db *connection, int64_t number,
                                         const struct lab_imported_run *imported)
{
    enum lab_store_result result = LAB_STORE_OK;
    if (imported->run.environment != NULL)
        lab_write_environment(
            connection, number,
            &(struct lab_record){.row.environment = {imported->run.environment, imported->environment_key}});
    for (size_t i = 0; i < imported->measurement_count && result == LAB_STORE_OK; i++)
        result = add_measurement(connection, number, &imported->measurements[i]);
    for (size_t i = 0; i < imported->span_count; i++)
        lab_write_span(connection, number, &(struct lab_record){.row.span = imported->spans[i]});
    for (size_t i = 0; i < imported->field_count; i++)
        lab_text_write(connection, number, LAB_TEXT_FIELD, imported->fields[i]);
    for (size_t i = 0; i < imported->comment_count; i++)
        lab_comment_write(connection, number, &imported->comments[i]);
    return result;
}

static enum lab_store_result add_run(struct lab_db *connection, struct import *import)
{
    struct lab_run_row run = import->imported->run;
    char existing[LAB_RUN_ID_SIZE];
    int64_t number = 0;
    import->added = !lab_run_find(connection, run.id, &number) &&
                    !(import->imported->of_file && lab_run_find_file(connection, run.id, existing));
    if (!import->added)
        return LAB_STORE_OK;
    run.sweep = run.challenge = NULL;
    run.measurement_count = run.wrong_count = 0; /* counted as measurements are added */
    enum lab_store_result result = lab_run_insert(connection, &run, &number);
    if (result != LAB_STORE_OK)
        return result;
    add_sentences(connection, number, &run);
    return add_results(connection, number, import->imported);
}

static enum lab_store_result import_run(struct lab_db *connection, void *argument)
{
    enum lab_store_result result = add_run(connection, argument);
    if (!lab_db_rejected_data(connection))
        return result;
    result = lab_result(LAB_STORE_CONFLICT, "the store does not take the run: %s", connection->failure_text);
    lab_db_clear(connection); /* the run is wrong, not the store */
    return result;
}

enum lab_store_result lab_store_import_run(struct lab_store *store, const struct lab_imported_run *run, bool *added)
{
    struct import import = {.imported = run};
    *added = false;
    if (lab_status_live(run->run.status))
        return lab_result(LAB_STORE_CONFLICT, "run %s is queued or running and cannot be imported", run->run.id);
    enum lab_store_result result = lab_store_write(store, import_run, &import);
    *added = result == LAB_STORE_OK && import.added;
    return result;
}

/* --- samples of a run that is there ------------------------------------------------------------------------------- */

struct completion {
    const char *id;
    int64_t revision;
    const struct lab_measurement_row *rows;
    size_t count;
};

static enum lab_store_result add_samples(struct lab_db *connection, int64_t number,
                                         const struct lab_measurement_row *row)
{
    static const char mark[] =
        "UPDATE measurement SET sample_count = ?3, shape = ?4 WHERE run = ?1 AND position = ?2 AND sample_count = 0 AND skipped IS NULL";
    static const char insert[] = "INSERT INTO samples(run, position, content) VALUES (?1, ?2, ?3)";
    double *samples = copy_samples(row->samples, row->sample_count);
    if (samples == NULL)
        return lab_store_no_memory();
    lab_execute_statement(connection, mark,
                          LAB_VALUES(lab_integer(number), lab_integer(row->position),
                                     lab_integer((int64_t)row->sample_count), lab_text(row->shape)));
    bool marked = sqlite3_changes64(connection->db) == 1;
    if (marked)
        lab_execute_statement(connection, insert,
                              LAB_VALUES(lab_integer(number), lab_integer(row->position),
                                         lab_blob(samples, row->sample_count * sizeof *samples)));
    free(samples);
    return marked ? LAB_STORE_OK
                  : lab_result(LAB_STORE_CONFLICT, "measurement %lld has samples", (long long)row->position);
}

static enum lab_store_result complete_run(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT number FROM run WHERE id = ?1 AND revision = ?2";
    const struct completion *completion = argument;
    int64_t number = 0;
    if (!lab_select_integer(connection, &number, find,
                            LAB_VALUES(lab_text(completion->id), lab_integer(completion->revision))))
        return lab_result(LAB_STORE_CONFLICT, "the run was changed");
    enum lab_store_result result = LAB_STORE_OK;
    for (size_t i = 0; i < completion->count && result == LAB_STORE_OK; i++)
        result = add_samples(connection, number, &completion->rows[i]);
    return result;
}

enum lab_store_result lab_store_add_samples(struct lab_store *store, const char *id, int64_t revision,
                                            const struct lab_measurement_row *rows, size_t count)
{
    return lab_store_write(store, complete_run, &(struct completion){id, revision, rows, count});
}
