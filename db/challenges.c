/* Challenges, and the runs that are submissions to them. */
#include "store_internal.h"

#include <stdlib.h>

const struct lab_row_member lab_challenge_members[] = {
    LAB_CHALLENGE_MEMBERS(LAB_ROW_MEMBER, struct lab_challenge_row){0}};

static enum lab_store_result not_found(const char *name)
{
    return lab_result(LAB_STORE_NOT_FOUND, "challenge %s not found", name);
}

/* The members as columns, and how many submissions the person has that is the parameter `person` of the statement. */
#define COLUMNS(person)                                                                                                \
    "challenge.name" LAB_CHALLENGE_REST(LAB_COLUMN, "challenge") ", (SELECT count(*) FROM run"                         \
    " WHERE run.challenge = challenge.id AND run.requested_by IS " person ")"

static void read_challenge(sqlite3_stmt *statement, struct lab_challenge_row *row)
{
    *row = (struct lab_challenge_row){0};
    row->submissions = sqlite3_column_int64(statement, lab_row_read(statement, 0, lab_challenge_members, row));
}

/* Copies the challenge of that name, which the statement returns. *copy is NULL unless the result is LAB_STORE_OK. */
static enum lab_store_result copy_challenge(struct lab_db *connection, sqlite3_stmt *statement, const char *name,
                                            struct lab_challenge_row **copy)
{
    static const struct lab_row_member *const tables[] = {lab_challenge_members, NULL};
    struct lab_challenge_row row;
    *copy = NULL;
    if (!lab_query_next(connection, statement))
        return not_found(name);
    read_challenge(statement, &row);
    *copy = lab_row_copy(&row, sizeof row, tables);
    lab_query_reset(statement);
    return *copy != NULL ? LAB_STORE_OK : lab_store_no_memory();
}

/* --- adding and deleting ------------------------------------------------------------------------------------------ */

static enum lab_store_result add_challenge(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM challenge WHERE name = ?1";
    static const char count[] = "SELECT count(*) FROM challenge";
    static const char insert[] = "INSERT INTO challenge(name" LAB_CHALLENGE_REST(
        LAB_NAME, ) ") VALUES (?1" LAB_CHALLENGE_REST(LAB_PARAMETER, ) ")";
    const struct lab_challenge_row *row = argument;
    struct lab_sql_value values[sizeof lab_challenge_members / sizeof *lab_challenge_members - 1];
    int64_t existing = 0;
    if (lab_select_integer(connection, &(int64_t){0}, find, LAB_VALUES(lab_text(row->name))))
        return lab_result(LAB_STORE_CONFLICT, "a challenge has this name");
    lab_select_integer(connection, &existing, count, LAB_NO_VALUES);
    if (existing >= LAB_CHALLENGES_MAX)
        return lab_result(LAB_STORE_CONFLICT, "there are %d challenges already", LAB_CHALLENGES_MAX);
    lab_row_values(lab_challenge_members, row, values);
    lab_execute_statement(connection, insert, values, sizeof values / sizeof *values);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_challenge(struct lab_store *store, const struct lab_challenge_row *challenge)
{
    return lab_store_write(store, add_challenge, (void *)challenge);
}

struct deletion {
    const char *name;
    int64_t now;
};

static enum lab_store_result delete_challenge(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM challenge WHERE name = ?1";
    static const char held[] =
        "SELECT 1 FROM run WHERE challenge = ?1 AND (status IN ('queued', 'running') OR secret_until > ?2) LIMIT 1";
    static const char release[] = "UPDATE run SET challenge = NULL WHERE challenge = ?1";
    static const char delete[] = "DELETE FROM challenge WHERE id = ?1";
    const struct deletion *deletion = argument;
    int64_t id = 0;
    if (!lab_select_integer(connection, &id, find, LAB_VALUES(lab_text(deletion->name))))
        return not_found(deletion->name);
    if (lab_select_integer(connection, &(int64_t){0}, held, LAB_VALUES(lab_integer(id), lab_integer(deletion->now))))
        return lab_result(LAB_STORE_CONFLICT, "a submission to the challenge is queued, running or secret");
    lab_execute_statement(connection, release, LAB_VALUES(lab_integer(id)));
    lab_execute_statement(connection, delete, LAB_VALUES(lab_integer(id)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_delete_challenge(struct lab_store *store, const char *name, int64_t now)
{
    return lab_store_write(store, delete_challenge, &(struct deletion){name, now});
}

/* --- its end ------------------------------------------------------------------------------------------------------ */

struct closing {
    const char *name;
    int64_t closes_at, now;
    const char *person;
    struct lab_challenge_row *written;
};

static enum lab_store_result close_challenge(struct lab_db *connection, void *argument)
{
    static const char ended[] = "SELECT 1 FROM challenge WHERE name = ?1 AND closes_at <= ?2 AND closes_at < ?3";
    /* a run that compares two submissions has their sources, and no challenge of its own */
    static const char follow[] =
        "UPDATE run SET secret_until = max(secret_until, ?2), revision = revision + 1"
        " WHERE challenge IS NULL AND compare_with IS NOT NULL"
        " AND secret_until = (SELECT closes_at FROM challenge WHERE name = ?1)";
    static const char update[] = "UPDATE challenge SET closes_at = ?2 WHERE name = ?1 RETURNING " COLUMNS("?3");
    static const char hide[] =
        "UPDATE run SET secret_until = ?2, revision = revision + 1"
        " WHERE challenge = (SELECT id FROM challenge WHERE name = ?1)";
    struct closing *closing = argument;
    struct lab_sql_value values[] = {lab_text(closing->name), lab_integer(closing->closes_at),
                                     lab_text(closing->person)};
    int64_t has_ended;
    free(closing->written); /* of an earlier attempt */
    closing->written = NULL;
    if (lab_select_integer(
            connection, &has_ended, ended,
            LAB_VALUES(lab_text(closing->name), lab_integer(closing->now), lab_integer(closing->closes_at))))
        return lab_result(LAB_STORE_CONFLICT, "the challenge has ended");
    lab_execute_statement(connection, follow, values, 2);
    enum lab_store_result result =
        copy_challenge(connection, lab_query(connection, update, values, 3), closing->name, &closing->written);
    if (result != LAB_STORE_OK)
        return result;
    lab_execute_statement(connection, hide, values, 2);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_close_challenge(struct lab_store *store, const char *name, int64_t closes_at,
                                                int64_t now, const char *person, struct lab_challenge_row **challenge)
{
    struct closing closing = {name, closes_at, now, person, NULL};
    enum lab_store_result result = lab_store_write(store, close_challenge, &closing);
    *challenge = result == LAB_STORE_OK ? closing.written : NULL;
    if (result != LAB_STORE_OK)
        free(closing.written);
    return result;
}

enum lab_store_result lab_challenge_join(struct lab_db *connection, struct lab_run_row *run)
{
    static const char sql[] = "SELECT closes_at FROM challenge WHERE name = ?1";
    if (run->challenge == NULL ||
        lab_select_integer(connection, &run->secret_until, sql, LAB_VALUES(lab_text(run->challenge))))
        return LAB_STORE_OK;
    return lab_result(LAB_STORE_FAILED, "challenge %s was deleted", run->challenge);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

enum lab_store_result lab_store_get_challenge(struct lab_store *store, const char *name, const char *person,
                                              struct lab_challenge_row **challenge)
{
    static const char sql[] = "SELECT " COLUMNS("?2") " FROM challenge WHERE name = ?1";
    struct lab_db *reader = lab_reader_acquire(store);
    *challenge = NULL;
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(name), lab_text(person)));
    return lab_reader_release(store, reader, copy_challenge(reader, statement, name, challenge));
}

enum lab_store_result lab_store_list_challenges(struct lab_store *store, const char *person,
                                                void (*row)(void *context, const struct lab_challenge_row *challenge),
                                                void *context)
{
    static const char sql[] = "SELECT " COLUMNS("?1") " FROM challenge ORDER BY closes_at DESC, name";
    struct lab_challenge_row challenge;
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(person)));
    while (lab_query_next(reader, statement)) {
        read_challenge(statement, &challenge);
        row(context, &challenge);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

enum lab_store_result lab_store_list_standings(struct lab_store *store, const char *challenge, const char *metric,
                                               void (*row)(void *context, const struct lab_standing_row *standing),
                                               void *context)
{
    static const char sql[] =
        "SELECT run.id, run.requested_by, model.name, point.unit, run.created_at, m.position, m.median, m.q1, m.q3"
        " FROM run JOIN model ON model.id = run.model JOIN measurement AS m ON m.run = run.number"
        " JOIN point ON point.id = m.point"
        " WHERE run.challenge = (SELECT id FROM challenge WHERE name = ?1) AND run.status = 'succeeded'"
        " AND point.metric = ?2 AND m.median IS NOT NULL"
        " AND m.position = (SELECT max(o.position) FROM measurement AS o JOIN point AS p ON p.id = o.point"
        " WHERE o.run = run.number AND p.metric = ?2)"
        " AND NOT EXISTS (SELECT 1 FROM measurement AS o WHERE o.run = run.number AND o.verified IS NOT 1)"
        " ORDER BY run.number";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(challenge), lab_text(metric)));
    while (lab_query_next(reader, statement)) {
        const struct lab_standing_row standing = {
            .run = lab_column_text(statement, 0),
            .person = lab_column_text(statement, 1),
            .model = lab_column_text(statement, 2),
            .unit = lab_column_text(statement, 3),
            .created_at = sqlite3_column_int64(statement, 4),
            .position = sqlite3_column_int64(statement, 5),
            .median = lab_column_real(statement, 6),
            .q1 = lab_column_real(statement, 7),
            .q3 = lab_column_real(statement, 8),
        };
        row(context, &standing);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
