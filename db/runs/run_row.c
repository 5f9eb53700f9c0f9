/* A run as a row: its members as values of SQL. */
#include "store_internal.h"

#include <stdlib.h>

#define LIVE(x, form, name, presence, ...) {#name, LAB_FORM_##form, LAB_NULLABLE_##presence, LAB_ELSEWHERE},
const struct lab_row_member lab_run_summary_members[] = {
    LAB_RUN_SUMMARY(LAB_ROW_MEMBER, LAB_ROW_MEMBER, LIVE, struct lab_run_row){0}};
const struct lab_row_member lab_run_detail_members[] = {
    LAB_RUN_DETAILS(LAB_ROW_MEMBER, LAB_ROW_MEMBER, struct lab_run_row){0}};
static const struct lab_row_member hidden_members[] = {
    LAB_RUN_HIDDEN(LAB_ROW_MEMBER, LAB_ROW_MEMBER, struct lab_run_row){0}};

/* The members that are columns of the table. */
#define COLUMNS(ROW, x)                                                                                                \
    LAB_RUN_SUMMARY(ROW, LAB_NO_ROW, LAB_NO_ROW, x)                                                                    \
    LAB_RUN_DETAILS(ROW, LAB_NO_ROW, x) LAB_RUN_HIDDEN(ROW, LAB_NO_ROW, x)
static const struct lab_row_member columns[] = {COLUMNS(LAB_ROW_MEMBER, struct lab_run_row){0}};

void lab_run_write(struct lab_db *connection, int64_t number, int64_t model, const struct lab_run_row *run)
{
    enum { OWN = 4 };
    static const char insert[] = "INSERT INTO run(number, model, sweep, challenge" COLUMNS(
        LAB_NAME, ) ") VALUES (?1, ?2, (SELECT number FROM sweep WHERE id = ?3),"
                    " (SELECT id FROM challenge WHERE name = ?4)" COLUMNS(LAB_PARAMETER, ) ")";
    struct lab_sql_value values[OWN + sizeof columns / sizeof *columns - 1] = {
        lab_integer(number), lab_integer(model), lab_text(run->sweep), lab_text(run->challenge)};
    lab_row_values(columns, run, &values[OWN]);
    lab_execute_statement(connection, insert, values, sizeof values / sizeof *values);
}

int lab_run_read(sqlite3_stmt *statement, struct lab_run_row *row)
{
    *row = (struct lab_run_row){0};
    return lab_row_read(statement, lab_row_read(statement, 1, lab_run_summary_members, row), hidden_members, row);
}

struct lab_run_row *lab_run_copy(const struct lab_run_row *run)
{
    static const struct lab_row_member *const tables[] = {lab_run_summary_members, lab_run_detail_members,
                                                          hidden_members, NULL};
    return lab_row_copy(run, sizeof *run, tables);
}

enum lab_store_result lab_run_query(struct lab_db *connection, const char *sql, const struct lab_sql_value *values,
                                    size_t count, struct lab_run_row **copy)
{
    struct lab_run_row run;
    free(*copy);
    *copy = NULL;
    sqlite3_stmt *statement = lab_query(connection, sql, values, count);
    if (!lab_query_next(connection, statement))
        return LAB_STORE_NOT_FOUND;
    lab_row_read(statement, lab_run_read(statement, &run), lab_run_detail_members, &run);
    *copy = lab_run_copy(&run);
    lab_query_reset(statement);
    return *copy != NULL ? LAB_STORE_OK : lab_store_no_memory();
}

enum lab_store_result lab_run_hand_over(enum lab_store_result result, struct lab_run_row *copy,
                                        struct lab_run_row **run)
{
    bool given = result == LAB_STORE_OK && run != NULL;
    if (run != NULL)
        *run = given ? copy : NULL;
    if (!given)
        free(copy);
    return result;
}
