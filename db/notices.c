/* Channels, what is watched for them, and the notices that go out by them. */
#include "store_internal.h"

#include <math.h>
#include <string.h>

static struct lab_sql_value number_or_null(double number)
{
    return isnan(number) ? lab_text(NULL) : lab_real(number);
}

static double column_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

/* An insertion into a table that has at most `max` rows. */
struct addition {
    const void *row;
    int64_t id;
};

static bool is_full(struct lab_db *connection, const char *count, int64_t max)
{
    int64_t existing = 0;
    lab_select_integer(connection, &existing, count, LAB_NO_VALUES);
    return existing >= max;
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

#define CHANNEL_COLUMNS                                                                                                \
    " channel.id, channel.name, channel.kind, channel.address, channel.secret, channel.sender, channel.recipient,"     \
    " channel.private, channel.created_at, channel.created_by"

static void read_channel(sqlite3_stmt *statement, int first, struct lab_channel_row *channel)
{
    *channel = (struct lab_channel_row){
        .id = sqlite3_column_int64(statement, first),
        .name = lab_column_text(statement, first + 1),
        .kind = lab_column_text(statement, first + 2),
        .address = lab_column_text(statement, first + 3),
        .secret = lab_column_text(statement, first + 4),
        .sender = lab_column_text(statement, first + 5),
        .recipient = lab_column_text(statement, first + 6),
        .private = sqlite3_column_int(statement, first + 7) != 0,
        .created_at = sqlite3_column_int64(statement, first + 8),
        .created_by = lab_column_text(statement, first + 9),
    };
}

static enum lab_store_result add_channel(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM channel WHERE name = ?1";
    static const char insert[] =
        "INSERT INTO channel(name, kind, address, secret, sender, recipient, private,"
        " created_at, created_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    struct addition *addition = argument;
    const struct lab_channel_row *row = addition->row;
    if (lab_select_integer(connection, &(int64_t){0}, find, LAB_VALUES(lab_text(row->name))))
        return lab_result(LAB_STORE_CONFLICT, "a channel has this name");
    if (is_full(connection, "SELECT count(*) FROM channel", LAB_CHANNELS_MAX))
        return lab_result(LAB_STORE_CONFLICT, "there are %d channels already", LAB_CHANNELS_MAX);
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_text(row->name), lab_text(row->kind), lab_text(row->address),
                                     lab_text(row->secret), lab_text(row->sender), lab_text(row->recipient),
                                     lab_integer(row->private), lab_integer(row->created_at),
                                     lab_text(row->created_by)));
    addition->id = sqlite3_last_insert_rowid(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_channel(struct lab_store *store, const struct lab_channel_row *channel, int64_t *id)
{
    struct addition addition = {.row = channel};
    enum lab_store_result result = lab_store_write(store, add_channel, &addition);
    *id = addition.id;
    return result;
}

static enum lab_store_result delete_channel(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM channel WHERE id = ?1";
    static const char delete[] = "DELETE FROM channel WHERE id = ?1";
    const int64_t *id = argument;
    if (!lab_select_integer(connection, &(int64_t){0}, find, LAB_VALUES(lab_integer(*id))))
        return lab_result(LAB_STORE_NOT_FOUND, "channel %lld not found", (long long)*id);
    lab_execute_statement(connection, delete, LAB_VALUES(lab_integer(*id)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_delete_channel(struct lab_store *store, int64_t id)
{
    return lab_store_write(store, delete_channel, &id);
}

enum lab_store_result lab_store_list_channels(struct lab_store *store,
                                              void (*row)(void *context, const struct lab_channel_row *channel),
                                              void *context)
{
    static const char sql[] = "SELECT" CHANNEL_COLUMNS " FROM channel ORDER BY name";
    struct lab_channel_row channel;
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_NO_VALUES);
    while (lab_query_next(reader, statement)) {
        read_channel(statement, 0, &channel);
        row(context, &channel);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

/* --- watches ------------------------------------------------------------------------------------------------------ */

static enum lab_store_result add_watch(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM channel WHERE id = ?1";
    static const char insert[] =
        "INSERT INTO watch(channel, kind, experiment, metric, low, high, created_at, created_by)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    struct addition *addition = argument;
    const struct lab_watch_row *row = addition->row;
    if (!lab_select_integer(connection, &(int64_t){0}, find, LAB_VALUES(lab_integer(row->channel))))
        return lab_result(LAB_STORE_NOT_FOUND, "channel %lld not found", (long long)row->channel);
    if (is_full(connection, "SELECT count(*) FROM watch", LAB_WATCHES_MAX))
        return lab_result(LAB_STORE_CONFLICT, "there are %d watches already", LAB_WATCHES_MAX);
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_integer(row->channel), lab_text(row->kind), lab_text(row->experiment),
                                     lab_text(row->metric), number_or_null(row->low), number_or_null(row->high),
                                     lab_integer(row->created_at), lab_text(row->created_by)));
    addition->id = sqlite3_last_insert_rowid(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_watch(struct lab_store *store, const struct lab_watch_row *watch, int64_t *id)
{
    struct addition addition = {.row = watch};
    enum lab_store_result result = lab_store_write(store, add_watch, &addition);
    *id = addition.id;
    return result;
}

struct deletion {
    int64_t id;
    const char *person;
};

static enum lab_store_result delete_watch(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT ?2 IS NULL OR created_by IS ?2 FROM watch WHERE id = ?1";
    static const char delete[] = "DELETE FROM watch WHERE id = ?1";
    const struct deletion *deletion = argument;
    int64_t allowed = 0;
    if (!lab_select_integer(connection, &allowed, find,
                            LAB_VALUES(lab_integer(deletion->id), lab_text(deletion->person))))
        return lab_result(LAB_STORE_NOT_FOUND, "watch %lld not found", (long long)deletion->id);
    if (!allowed)
        return lab_result(LAB_STORE_CONFLICT, "watch %lld is of another person", (long long)deletion->id);
    lab_execute_statement(connection, delete, LAB_VALUES(lab_integer(deletion->id)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_delete_watch(struct lab_store *store, int64_t id, const char *person)
{
    return lab_store_write(store, delete_watch, &(struct deletion){id, person});
}

enum lab_store_result lab_store_list_watches(struct lab_store *store,
                                             void (*row)(void *context, const struct lab_watch_row *watch),
                                             void *context)
{
    static const char sql[] =
        "SELECT watch.id, channel, channel.name, watch.kind, experiment, metric, low, high,"
        " watch.created_at, watch.created_by FROM watch JOIN channel ON channel.id = watch.channel"
        " ORDER BY watch.id";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_NO_VALUES);
    while (lab_query_next(reader, statement)) {
        const struct lab_watch_row watch = {
            .id = sqlite3_column_int64(statement, 0),
            .channel = sqlite3_column_int64(statement, 1),
            .channel_name = lab_column_text(statement, 2),
            .kind = lab_column_text(statement, 3),
            .experiment = lab_column_text(statement, 4),
            .metric = lab_column_text(statement, 5),
            .low = column_number(statement, 6),
            .high = column_number(statement, 7),
            .created_at = sqlite3_column_int64(statement, 8),
            .created_by = lab_column_text(statement, 9),
        };
        row(context, &watch);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

/* --- notices ------------------------------------------------------------------------------------------------------ */

#define NOTICE_COLUMNS                                                                                                 \
    " notice.id, notice.channel, channel.name, notice.created_at, delivery, content, state, attempts, next_at, error"

static void read_notice(sqlite3_stmt *statement, struct lab_notice_row *notice)
{
    *notice = (struct lab_notice_row){
        .id = sqlite3_column_int64(statement, 0),
        .channel = sqlite3_column_int64(statement, 1),
        .channel_name = lab_column_text(statement, 2),
        .created_at = sqlite3_column_int64(statement, 3),
        .delivery = lab_column_text(statement, 4),
        .content = lab_column_text(statement, 5),
        .state = lab_column_text(statement, 6),
        .attempts = sqlite3_column_int64(statement, 7),
        .next_at = sqlite3_column_int64(statement, 8),
        .error = lab_column_text(statement, 9),
    };
}

/* Makes room for one more that waits, and removes the oldest of those that ended. */
static void make_room(struct lab_db *connection, int64_t now)
{
    static const char drop[] =
        "UPDATE notice SET state = 'failed', next_at = ?2, error = 'too many notices waited'"
        " WHERE id IN (SELECT id FROM notice WHERE state = 'waiting' ORDER BY id DESC"
        " LIMIT -1 OFFSET ?1)";
    static const char forget[] =
        "DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE state <> 'waiting'"
        " ORDER BY id DESC LIMIT -1 OFFSET ?1)";
    lab_execute_statement(connection, drop, LAB_VALUES(lab_integer(LAB_NOTICES_WAITING_MAX - 1), lab_integer(now)));
    lab_execute_statement(connection, forget, LAB_VALUES(lab_integer(LAB_NOTICES_ENDED_MAX)));
}

static enum lab_store_result add_notice(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM channel WHERE id = ?1";
    static const char insert[] =
        "INSERT INTO notice(channel, created_at, delivery, content, state, attempts, next_at)"
        " VALUES (?1, ?2, ?3, ?4, 'waiting', 0, ?2)";
    const struct lab_notice_row *notice = argument;
    if (!lab_select_integer(connection, &(int64_t){0}, find, LAB_VALUES(lab_integer(notice->channel))))
        return lab_result(LAB_STORE_NOT_FOUND, "channel %lld not found", (long long)notice->channel);
    make_room(connection, notice->created_at);
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_integer(notice->channel), lab_integer(notice->created_at),
                                     lab_text(notice->delivery), lab_text(notice->content)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_notice(struct lab_store *store, const struct lab_notice_row *notice)
{
    struct lab_notice_row copy = *notice;
    return lab_store_write_urgent(store, add_notice, &copy); /* it may be about a full disk */
}

enum lab_store_result lab_store_due_notices(struct lab_store *store, int64_t now,
                                            void (*row)(void *context, const struct lab_notice_row *notice,
                                                        const struct lab_channel_row *channel),
                                            void *context)
{
    /* In SQLite, `id` is that of the row with the least next_at. */
    static const char sql[] = "SELECT" NOTICE_COLUMNS "," CHANNEL_COLUMNS
                              " FROM (SELECT id AS due, min(next_at) FROM notice"
                              "       WHERE state = 'waiting' AND next_at <= ?1 GROUP BY channel)"
                              " JOIN notice ON notice.id = due JOIN channel ON channel.id = notice.channel";
    struct lab_notice_row notice;
    struct lab_channel_row channel;
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(now)));
    while (lab_query_next(reader, statement)) {
        read_notice(statement, &notice);
        read_channel(statement, 10, &channel);
        row(context, &notice, &channel);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

struct attempt {
    int64_t id;
    const char *state;
    int64_t next_at;
    const char *error;
};

static enum lab_store_result end_attempt(struct lab_db *connection, void *argument)
{
    static const char update[] =
        "UPDATE notice SET state = ?2, next_at = ?3, error = ?4, attempts = attempts + 1"
        " WHERE id = ?1";
    static const char pause[] =
        "UPDATE notice SET next_at = max(next_at, ?2) WHERE state = 'waiting'"
        " AND channel = (SELECT channel FROM notice WHERE id = ?1)";
    const struct attempt *attempt = argument;
    lab_execute_statement(connection, update,
                          LAB_VALUES(lab_integer(attempt->id), lab_text(attempt->state), lab_integer(attempt->next_at),
                                     lab_text(attempt->error)));
    if (strcmp(attempt->state, "waiting") == 0)
        lab_execute_statement(connection, pause, LAB_VALUES(lab_integer(attempt->id), lab_integer(attempt->next_at)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_end_attempt(struct lab_store *store, int64_t id, const char *state, int64_t next_at,
                                            const char *error)
{
    return lab_store_write_urgent(store, end_attempt,
                                  &(struct attempt){id, state, next_at, error}); /* it may be about a full disk */
}

enum lab_store_result lab_store_list_notices(struct lab_store *store, size_t limit,
                                             void (*row)(void *context, const struct lab_notice_row *notice),
                                             void *context)
{
    static const char sql[] = "SELECT" NOTICE_COLUMNS
                              " FROM notice JOIN channel ON channel.id = notice.channel"
                              " ORDER BY notice.id DESC LIMIT ?1";
    struct lab_notice_row notice;
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer((int64_t)limit)));
    while (lab_query_next(reader, statement)) {
        read_notice(statement, &notice);
        row(context, &notice);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
