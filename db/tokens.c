/* The tokens of people and scripts. A row stays when its token is revoked, so that no id is used twice. */
#include "store_internal.h"

/* --- adding ------------------------------------------------------------------------------------------------------- */

struct addition {
    const struct lab_token_row *token;
    int64_t id;
};

static enum lab_store_result add_token(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM token WHERE name = ?1 AND revoked_at IS NULL";
    static const char insert[] = "INSERT INTO token(name, role, hash, created_at) VALUES (?1, ?2, ?3, ?4)";
    struct addition *addition = argument;
    const struct lab_token_row *token = addition->token;
    int64_t existing;
    if (lab_select_integer(connection, &existing, find, LAB_VALUES(lab_text(token->name))))
        return lab_result(LAB_STORE_CONFLICT, "there is a token '%s' already", token->name);
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_text(token->name), lab_text(token->role),
                                     lab_blob(token->hash, LAB_TOKEN_HASH_SIZE), lab_integer(token->created_at)));
    addition->id = sqlite3_last_insert_rowid(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_token(struct lab_store *store, const struct lab_token_row *token, int64_t *id)
{
    struct addition addition = {.token = token};
    enum lab_store_result result = lab_store_write(store, add_token, &addition);
    *id = addition.id;
    return result;
}

/* --- revoking and using ------------------------------------------------------------------------------------------- */

struct change {
    int64_t id, at;
};

static enum lab_store_result revoke_token(struct lab_db *connection, void *argument)
{
    static const char sql[] = "UPDATE token SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
    const struct change *change = argument;
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(change->id), lab_integer(change->at)));
    if (sqlite3_changes(connection->db) > 0)
        return LAB_STORE_OK;
    return lab_result(LAB_STORE_NOT_FOUND, "token %lld not found", (long long)change->id);
}

enum lab_store_result lab_store_revoke_token(struct lab_store *store, int64_t id, int64_t at)
{
    return lab_store_write(store, revoke_token, &(struct change){id, at});
}

static enum lab_store_result use_token(struct lab_db *connection, void *argument)
{
    static const char sql[] = "UPDATE token SET last_used_at = max(?2, coalesce(last_used_at, ?2)) WHERE id = ?1";
    const struct change *change = argument;
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(change->id), lab_integer(change->at)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_use_token(struct lab_store *store, int64_t id, int64_t at)
{
    return lab_store_write(store, use_token, &(struct change){id, at});
}

/* --- listing ------------------------------------------------------------------------------------------------------ */

enum lab_store_result lab_store_list_tokens(struct lab_store *store,
                                            void (*row)(void *context, const struct lab_token_row *token),
                                            void *context)
{
    static const char sql[] =
        "SELECT id, name, role, hash, created_at, last_used_at FROM token"
        " WHERE revoked_at IS NULL AND length(hash) = ?1 ORDER BY id";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(LAB_TOKEN_HASH_SIZE)));
    while (lab_query_next(reader, statement)) {
        const struct lab_token_row token = {
            .id = sqlite3_column_int64(statement, 0),
            .name = lab_column_text(statement, 1),
            .role = lab_column_text(statement, 2),
            .hash = sqlite3_column_blob(statement, 3),
            .created_at = sqlite3_column_int64(statement, 4),
            .last_used_at = lab_column_optional(statement, 5),
        };
        row(context, &token);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
