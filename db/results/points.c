/* Finds points, and reads which an experiment has and on which device models it was measured. */
#include "store_internal.h"

#define POINT_COLUMNS "id, experiment, metric, unit, axes"

/* Calls `row` with the rows of a query of POINT_COLUMNS. Returns whether there was one. */
static bool read_points(struct lab_db *reader, sqlite3_stmt *statement,
                        void (*row)(void *context, const struct lab_point_row *point), void *context)
{
    bool found = false;
    for (; lab_query_next(reader, statement); found = true) {
        const struct lab_point_row point = {
            .id = sqlite3_column_int64(statement, 0),
            .experiment = lab_column_text(statement, 1),
            .metric = lab_column_text(statement, 2),
            .unit = lab_column_text(statement, 3),
            .axes = lab_column_text(statement, 4),
        };
        row(context, &point);
    }
    return found;
}

enum lab_store_result lab_store_find_point(struct lab_store *store, const char *experiment, const char *metric,
                                           const char *axes,
                                           void (*row)(void *context, const struct lab_point_row *point), void *context)
{
    static const char sql[] = "SELECT " POINT_COLUMNS
                              " FROM point WHERE experiment = ?1 AND metric = ?2"
                              " AND canonical = canonical_axes(?3) ORDER BY id DESC LIMIT 1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement =
        lab_query(reader, sql, LAB_VALUES(lab_text(experiment), lab_text(metric), lab_text(axes)));
    bool found = read_points(reader, statement, row, context);
    return lab_reader_release(store, reader, found ? LAB_STORE_OK : LAB_STORE_NOT_FOUND);
}

enum lab_store_result lab_store_each_point(struct lab_store *store, const char *experiment,
                                           void (*row)(void *context, const struct lab_point_row *point), void *context)
{
    static const char sql[] = "SELECT " POINT_COLUMNS " FROM point WHERE experiment = ?1 ORDER BY id";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    read_points(reader, lab_query(reader, sql, LAB_VALUES(lab_text(experiment))), row, context);
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

enum lab_store_result
lab_store_list_models(struct lab_store *store, const char *experiment,
                      void (*row)(void *context, const char *model, int64_t runs, const char *devices), void *context)
{
    /* `devices` is that of the run with the largest number. */
    static const char sql[] =
        "SELECT model.name, count(*) AS runs, run.devices, max(run.number) AS newest FROM run CROSS JOIN model ON model.id = run.model"
        " WHERE run.experiment = ?1 AND run.measurement_count > 0 AND run.compare_with IS NULL AND NOT" LAB_IS_OWN_CODE(
            "run") " AND model.name <> '' GROUP BY model.id ORDER BY runs DESC, newest DESC";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(experiment)));
    while (lab_query_next(reader, statement))
        row(context, lab_column_text(statement, 0), sqlite3_column_int64(statement, 1), lab_column_text(statement, 2));
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
