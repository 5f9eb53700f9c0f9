/* Reads which points an experiment has, and on which device models it was measured. */
#include "store_internal.h"

enum lab_store_result lab_store_each_point(struct lab_store *store, const char *experiment,
                                           void (*row)(void *context, const struct lab_point_row *point), void *context)
{
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement =
        lab_query(reader, "SELECT id, experiment, metric, unit, axes FROM point WHERE experiment = ?1 ORDER BY id",
                  LAB_VALUES(lab_text(experiment)));
    while (lab_query_next(reader, statement)) {
        const struct lab_point_row point = {
            .id = sqlite3_column_int64(statement, 0),
            .experiment = lab_column_text(statement, 1),
            .metric = lab_column_text(statement, 2),
            .unit = lab_column_text(statement, 3),
            .axes = lab_column_text(statement, 4),
        };
        row(context, &point);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

enum lab_store_result
lab_store_list_models(struct lab_store *store, const char *experiment,
                      void (*row)(void *context, const char *model, int64_t runs, const char *devices), void *context)
{
    /* `devices` is that of the run with the largest number. */
    static const char sql[] =
        "SELECT model.name, count(*) AS runs, run.devices, max(run.number) AS newest FROM run CROSS JOIN model ON model.id = run.model"
        " WHERE run.experiment = ?1 AND run.measurement_count > 0 AND run.compare_with IS NULL AND run.kernel IS NULL"
        " AND model.name <> '' GROUP BY model.id ORDER BY runs DESC, newest DESC";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(experiment)));
    while (lab_query_next(reader, statement))
        row(context, lab_column_text(statement, 0), sqlite3_column_int64(statement, 1), lab_column_text(statement, 2));
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
