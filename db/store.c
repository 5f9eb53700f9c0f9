/* Opens, checks and closes the store. */
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Creates the file with mode 0600, because SQLite would use the umask; the WAL takes the mode of the file. */
static enum lab_store_result create_file(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return lab_result(errno == ENOSPC || errno == EDQUOT ? LAB_STORE_FULL : LAB_STORE_FAILED, "cannot open %s: %s",
                          path, strerrordesc_np(errno));
    close(file);
    return LAB_STORE_OK;
}

/* Makes new ids greater than every id in the file, also when the clock was set back meanwhile. */
static void seed_run_ids(struct lab_connection *connection)
{
    static const char sql[] =
        "SELECT max(coalesce((SELECT max(number) FROM run), 0), coalesce((SELECT max(number) FROM sweep), 0))";
    int64_t greatest = 0;
    lab_connection_clear(connection);
    lab_select_integer(connection, &greatest, sql, LAB_NO_VALUES);
    lab_run_id_after(greatest);
}

/* Opens and migrates the file. On failure the connection is closed. */
static enum lab_store_result open_file(struct lab_connection *connection, const char *path)
{
    enum lab_store_result result = lab_connection_open(connection, path, true);
    if (result != LAB_STORE_OK)
        return result;

    /* A file that is refused must not change: closing the connection must not even write back a WAL that it has. */
    size_t version = 0;
    sqlite3_db_config(connection->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    result = lab_schema_version(connection, lab_migration_count, &version);
    if (result == LAB_STORE_OK) {
        sqlite3_db_config(connection->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        result = lab_schema_migrate(connection, lab_migrations, version, lab_migration_count);
    }
    if (result == LAB_STORE_OK)
        seed_run_ids(connection);
    if (result != LAB_STORE_OK)
        lab_connection_close(connection);
    return result;
}

/* Returns microseconds since 1970. As a commit takes longer than a microsecond, this exceeds every generation of earlier
 * processes, so an ETag from before a restart never matches other contents. */
static uint64_t first_generation(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

struct lab_store *lab_store_open(const char *path, char *message, size_t message_size)
{
    bool opened = false;
    struct lab_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        lab_result(LAB_STORE_FAILED, "out of memory");
        goto failed;
    }
    store->lock = -1;
    atomic_init(&store->generation, first_generation());
    pthread_mutex_init(&store->readers.mutex, NULL);

    store->path = lab_store_path(path);
    if (store->path == NULL)
        goto failed;
    store->lock = lab_lock_acquire(store->path);
    if (store->lock < 0 || create_file(store->path) != LAB_STORE_OK)
        goto failed;
    opened = open_file(&store->writer.connection, store->path) == LAB_STORE_OK;
    if (!opened || lab_writer_start(store) != LAB_STORE_OK)
        goto failed;
    return store;

failed:
    snprintf(message, message_size, "%s", lab_message());
    bool in_use = store != NULL && store->lock == LAB_LOCK_IN_USE;
    if (store != NULL) {
        if (opened)
            lab_connection_close(&store->writer.connection);
        lab_lock_release(store->lock);
        pthread_mutex_destroy(&store->readers.mutex);
        free(store->path);
        free(store);
    }
    errno = in_use ? EBUSY : 0;
    return NULL;
}

void lab_store_close(struct lab_store *store)
{
    if (store == NULL)
        return;
    lab_writer_stop(store);
    /* The writer is closed last, because the last connection writes back the WAL and must be able to write. */
    for (size_t i = 0; i < store->readers.idle_count; i++) {
        lab_connection_close(store->readers.idle[i]);
        free(store->readers.idle[i]);
    }
    lab_connection_close(&store->writer.connection);
    lab_lock_release(store->lock);
    pthread_mutex_destroy(&store->readers.mutex);
    free(store->path);
    free(store);
}

uint64_t lab_store_generation(struct lab_store *store)
{
    return atomic_load(&store->generation);
}

bool lab_store_check(struct lab_store *store, char *message, size_t message_size)
{
    bool sound = false;
    struct lab_connection *reader = lab_reader_acquire(store);
    if (reader == NULL) {
        snprintf(message, message_size, "%s", lab_message());
        return false;
    }
    sqlite3_stmt *statement = lab_query(reader, "PRAGMA integrity_check(1)", LAB_NO_VALUES);
    if (lab_query_next(reader, statement)) {
        snprintf(message, message_size, "%s", lab_column_text(statement, 0));
        sound = strcmp(message, "ok") == 0;
        lab_query_reset(statement);
    }
    if (lab_reader_release(store, reader, LAB_STORE_OK) != LAB_STORE_OK) {
        snprintf(message, message_size, "%s", lab_message());
        sound = false;
    }
    return sound;
}

const char *lab_store_message(struct lab_store *store)
{
    (void)store; /* messages belong to threads; one store is open at a time */
    return lab_message();
}
