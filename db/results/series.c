/* Reads the history of points: all runs that measured the same thing. */
#include "store_internal.h"

#include <stdio.h>

static const struct lab_row_member run_members[] = {LAB_SERIES_RUN(LAB_ROW_MEMBER, struct lab_series_row){0}};
const struct lab_row_member lab_series_value_members[] = {LAB_SERIES_VALUE(LAB_ROW_MEMBER, struct lab_series_row){0}};

/* The columns of a run in a series, after another one; `m` is the measurement and `r` its run. */
#define SERIES_COLUMNS LAB_SERIES_RUN(LAB_COLUMN, "r") LAB_SERIES_VALUE(LAB_COLUMN, "m")
/* Whether the measurement `m` is part of a series, unless its run measured a person's own code (LAB_IS_OWN_CODE). */
#define IS_COMPARABLE " m.side IS NULL AND m.skipped IS NULL AND m.median IS NOT NULL"
/* Whether the measurement `m` is part of a series, in statements that do not join the table of runs. */
#define IN_SERIES                                                                                                      \
    IS_COMPARABLE " AND NOT EXISTS (SELECT 1 FROM run WHERE run.number = m.run AND" LAB_IS_OWN_CODE("run") ")"
/* The measurement's run has the device ?, unless that is NULL. */
#define ON_DEVICE(device)                                                                                              \
    " AND (" device " IS NULL OR EXISTS (SELECT 1 FROM run_device AS d WHERE d.device = " device " AND d.run = m.run))"

static void read_row(sqlite3_stmt *statement, int first, struct lab_series_row *row)
{
    lab_row_read(statement, lab_row_read(statement, first, run_members, row), lab_series_value_members, row);
}

enum lab_store_result lab_store_series_model(struct lab_store *store, int64_t point, const char *device, char *model,
                                             size_t size)
{
    /* One step in the index for each model, unless a device is given. */
    static const char sql[] =
        "SELECT name, (SELECT m.run FROM measurement AS m WHERE m.point = ?1 AND m.model = model.id AND" IN_SERIES
            ON_DEVICE("?2") " ORDER BY m.run DESC LIMIT 1) AS last FROM model WHERE last IS NOT NULL"
                            " ORDER BY last DESC LIMIT 1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    enum lab_store_result result = LAB_STORE_NOT_FOUND;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(point), lab_text(device)));
    while (lab_query_next(reader, statement)) {
        snprintf(model, size, "%s", lab_column_text(statement, 0));
        result = LAB_STORE_OK;
    }
    return lab_reader_release(store, reader, result);
}

/* The runs of a series, newest first. The few pinned runs of a model are found by their own index. */
#define SERIES(from, number)                                                                                           \
    "SELECT m.run" SERIES_COLUMNS " FROM " from " AND m.model = (SELECT id FROM model WHERE name = ?2) AND " number    \
    " < ?4 AND" IS_COMPARABLE ON_DEVICE("?3") " AND NOT" LAB_IS_OWN_CODE("r") " AND (?6 = 0 OR json_array_length(r.devices) = ?6)"                  \
    " AND (?7 = 0 OR m.verified IS NOT 0) AND (?8 IS NULL OR r.created_at < ?8) ORDER BY " number " DESC LIMIT ?5"

enum lab_store_result lab_store_series(struct lab_store *store, const struct lab_series_filter *filter,
                                       void (*row)(void *context, const struct lab_series_row *row), void *context)
{
    static const char every[] = SERIES(
        "measurement AS m INDEXED BY measurement_point"
        " CROSS JOIN run AS r ON r.number = m.run WHERE m.point = ?1",
        "m.run");
    static const char pinned[] = SERIES(
        "run AS r INDEXED BY run_pinned CROSS JOIN measurement AS m"
        " ON m.point = ?1 AND m.run = r.number WHERE r.pinned = 1"
        " AND r.model = (SELECT id FROM model WHERE name = ?2)"
        " AND r.experiment = (SELECT experiment FROM point WHERE id = ?1)",
        "r.number");
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t before = LAB_RUN_NUMBER_END;
    if (filter->before != NULL && !lab_run_find(reader, filter->before, &before))
        lab_run_id_number(filter->before, &before); /* the run was deleted; its number is in its id */
    sqlite3_stmt *statement =
        lab_query(reader, filter->pinned ? pinned : every,
                  LAB_VALUES(lab_integer(filter->point), lab_text(filter->model), lab_text(filter->device),
                             lab_integer(before), lab_integer((int64_t)filter->limit),
                             lab_integer((int64_t)filter->device_count), lab_integer(filter->right),
                             lab_integer_or_null(filter->until != NULL ? *filter->until : LAB_NO_TIME)));
    struct lab_series_row run;
    while (lab_query_next(reader, statement)) {
        read_row(statement, 1, &run);
        row(context, &run);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

enum lab_store_result lab_store_list_points(struct lab_store *store, const char *experiment, const char *metric,
                                            const char *model, size_t limit,
                                            void (*row)(void *context, const struct lab_point_summary *row),
                                            void *context)
{
    static const char sql[] =
        "SELECT p.id, p.experiment, p.metric, p.unit, p.axes, model.name,"
        " (SELECT count(*) FROM (SELECT 1 FROM measurement AS m WHERE m.point = p.id AND m.model = model.id AND" IN_SERIES
        " LIMIT ?5))" SERIES_COLUMNS
        " FROM point AS p CROSS JOIN model"
        " CROSS JOIN measurement AS m ON m.point = p.id AND m.model = model.id AND m.run ="
        " (SELECT m.run FROM measurement AS m WHERE m.point = p.id AND m.model = model.id AND" IN_SERIES
        " ORDER BY m.run DESC LIMIT 1) CROSS JOIN run AS r ON r.number = m.run"
        " WHERE p.experiment = ?1 AND (?2 IS NULL OR p.metric = ?2) AND (?3 IS NULL OR model.name = ?3) AND" IS_COMPARABLE
        " AND NOT" LAB_IS_OWN_CODE("r") " ORDER BY p.id LIMIT ?4";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql,
                                        LAB_VALUES(lab_text(experiment), lab_text(metric), lab_text(model),
                                                   lab_integer((int64_t)limit), lab_integer(LAB_POINT_RUNS_MAX)));
    while (lab_query_next(reader, statement)) {
        struct lab_point_summary summary = {
            .point = {.id = sqlite3_column_int64(statement, 0),
                      .experiment = lab_column_text(statement, 1),
                      .metric = lab_column_text(statement, 2),
                      .unit = lab_column_text(statement, 3),
                      .axes = lab_column_text(statement, 4)},
            .model = lab_column_text(statement, 5),
            .runs = sqlite3_column_int64(statement, 6),
        };
        read_row(statement, 7, &summary.last);
        row(context, &summary);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
