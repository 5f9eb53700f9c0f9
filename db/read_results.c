/* Reads the measurements and spans of a run. */
#include "store_internal.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* --- measurements --------------------------------------------------------------------------------------------------- */

/* A buffer for one row's samples, reused for the next row. */
struct samples {
    size_t capacity;
    double *values;
};

/* Copies a blob, which is unaligned and little-endian. Returns false when out of memory. */
static bool copy_samples(struct samples *samples, const void *blob, size_t count)
{
    if (count > samples->capacity) {
        double *grown = realloc(samples->values, count * sizeof *grown);
        if (grown == NULL)
            return false;
        samples->values = grown;
        samples->capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, (const char *)blob + i * sizeof bits, sizeof bits);
        bits = le64toh(bits);
        memcpy(&samples->values[i], &bits, sizeof bits);
    }
    return true;
}

/* Column 22 is the number of samples, column 23 the samples themselves or NULL. */
#define MEASUREMENTS(samples)                                                                                             \
    "SELECT position, axes, metric, unit, n, median, q1, q3, min, max, mean, stdev, noise, stop_reason, verified, wrong," \
    " cache, numa_node, peak, conditions, kernel, skipped, coalesce(length(samples), 0) / 8, " samples                    \
    " FROM measurement WHERE run = ?1 ORDER BY position"

static void read_measurement(sqlite3_stmt *statement, struct lab_measurement_row *row)
{
    *row = (struct lab_measurement_row){
        .position = sqlite3_column_int64(statement, 0),
        .axes = lab_column_text(statement, 1),
        .metric = lab_column_text(statement, 2),
        .unit = lab_column_text(statement, 3),
        .n = sqlite3_column_int64(statement, 4),
        .median = lab_column_real(statement, 5),
        .q1 = lab_column_real(statement, 6),
        .q3 = lab_column_real(statement, 7),
        .min = lab_column_real(statement, 8),
        .max = lab_column_real(statement, 9),
        .mean = lab_column_real(statement, 10),
        .stdev = lab_column_real(statement, 11),
        .noise = lab_column_real(statement, 12),
        .stop_reason = lab_column_text(statement, 13),
        .verified = sqlite3_column_type(statement, 14) == SQLITE_NULL ? -1 : sqlite3_column_int(statement, 14),
        .wrong = sqlite3_column_int64(statement, 15),
        .cache = lab_column_text(statement, 16),
        .numa_node = lab_column_optional(statement, 17),
        .peak = lab_column_text(statement, 18),
        .conditions = lab_column_text(statement, 19),
        .kernel = lab_column_text(statement, 20),
        .skipped = lab_column_text(statement, 21),
        .sample_count = (size_t)sqlite3_column_int64(statement, 22),
    };
}

enum lab_store_result lab_store_list_measurements(struct lab_store *store, const char *run_id, bool samples,
                                                  void (*row)(void *context, const struct lab_measurement_row *row),
                                                  void *context)
{
    static const char with[] = MEASUREMENTS("samples"), without[] = MEASUREMENTS("NULL");
    struct lab_connection *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t run = 0;
    if (!lab_run_find(reader, run_id, &run))
        return lab_reader_release(store, reader, lab_run_not_found(reader, run_id));

    enum lab_store_result result = LAB_STORE_OK;
    struct samples kept = {0};
    sqlite3_stmt *statement = lab_query(reader, samples ? with : without, LAB_VALUES(lab_integer(run)));
    while (lab_query_next(reader, statement)) {
        struct lab_measurement_row measurement;
        read_measurement(statement, &measurement);
        if (samples && measurement.sample_count > 0) {
            if (!copy_samples(&kept, sqlite3_column_blob(statement, 23), measurement.sample_count)) {
                lab_query_reset(statement);
                result = lab_result(LAB_STORE_FAILED, "out of memory");
                break;
            }
            measurement.samples = kept.values;
        }
        row(context, &measurement);
    }
    free(kept.values);
    return lab_reader_release(store, reader, result);
}

/* --- spans ---------------------------------------------------------------------------------------------------------- */

enum lab_store_result lab_store_list_spans(struct lab_store *store, const char *run_id,
                                           void (*row)(void *context, const struct lab_span_row *row), void *context)
{
    static const char sql[] =
        "SELECT lane, kind, label, axes, start_ns, end_ns FROM span WHERE run = ?1 ORDER BY position";
    struct lab_connection *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t run = 0;
    if (!lab_run_find(reader, run_id, &run))
        return lab_reader_release(store, reader, lab_run_not_found(reader, run_id));

    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(run)));
    while (lab_query_next(reader, statement)) {
        const struct lab_span_row span = {
            .lane = lab_column_text(statement, 0),
            .kind = lab_column_text(statement, 1),
            .label = lab_column_text(statement, 2),
            .axes = lab_column_text(statement, 3),
            .start_ns = sqlite3_column_int64(statement, 4),
            .end_ns = sqlite3_column_int64(statement, 5),
        };
        row(context, &span);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
