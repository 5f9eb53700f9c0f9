/* Opens, checks and closes the store. */
#include "store_internal.h"

#include "core/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes new ids greater than every id in the file, also when the clock was set back meanwhile. */
static void seed_run_ids(struct lab_db *connection)
{
    static const char sql[] =
        "SELECT max(coalesce((SELECT max(number) FROM run), 0), coalesce((SELECT max(number) FROM sweep), 0))";
    int64_t greatest = 0;
    lab_db_clear(connection);
    lab_select_integer(connection, &greatest, sql, LAB_NO_VALUES);
    lab_run_id_after(greatest);
}

/* Opens and migrates the file. On failure the connection is closed. */
static enum lab_store_result open_file(struct lab_db *connection, const char *path)
{
    enum lab_store_result result = lab_db_open(connection, path, true);
    if (result != LAB_STORE_OK)
        return result;

    result = lab_schema_upgrade(connection, path);
    if (result == LAB_STORE_OK)
        result = lab_schema_check(connection, lab_migrations, lab_migration_count);
    if (result == LAB_STORE_OK)
        seed_run_ids(connection);
    if (result != LAB_STORE_OK)
        lab_db_close(connection);
    return result;
}

/* Opens the file. If that fails because the disk is full, releases the reserve and tries again: SQLite needs a little
 * space for its log. */
static enum lab_store_result open_with_reserve(struct lab_store *store)
{
    struct lab_db *connection = &store->writer.connection;
    enum lab_store_result result = lab_file_create(&store->file);
    if (result == LAB_STORE_OK)
        result = open_file(connection, store->file.path);
    if (result == LAB_STORE_FULL && lab_reserve_release(&store->file))
        result = open_file(connection, store->file.path);
    if (result != LAB_STORE_OK)
        return result;
    result = lab_file_note_log(&store->file);
    if (result != LAB_STORE_OK)
        lab_db_close(connection);
    return result;
}

static void release(struct lab_store *store)
{
    lab_lock_release(store->lock);
    pthread_mutex_destroy(&store->readers.mutex);
    free(store->file.path);
    free(store);
}

struct lab_store *lab_store_open(const char *path, char *message, size_t message_size)
{
    bool in_use = false;
    struct lab_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        snprintf(message, message_size, "out of memory");
        errno = 0;
        return NULL;
    }
    store->lock = -1;
    /* Microseconds since 1970: as a commit takes longer than a microsecond, they exceed every generation of earlier
     * processes, so an ETag from before a restart never matches other contents. */
    atomic_init(&store->generation, (uint64_t)lab_time_now());
    pthread_mutex_init(&store->readers.mutex, NULL);
    if (lab_file_locate(&store->file, path) == LAB_STORE_OK) {
        store->lock = lab_lock_acquire(store->file.path);
        in_use = store->lock == LAB_LOCK_IN_USE;
    }
    if (store->lock >= 0 && open_with_reserve(store) == LAB_STORE_OK) {
        if (lab_writer_start(store) == LAB_STORE_OK)
            return store;
        lab_db_close(&store->writer.connection);
    }
    snprintf(message, message_size, "%s", lab_message());
    release(store);
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
        lab_db_close(store->readers.idle[i]);
        free(store->readers.idle[i]);
    }
    lab_db_close(&store->writer.connection);
    release(store);
}

uint64_t lab_store_generation(struct lab_store *store)
{
    return atomic_load(&store->generation);
}

const char *lab_store_message(struct lab_store *store)
{
    (void)store; /* messages belong to threads; one store is open at a time */
    return lab_message();
}

enum lab_store_result lab_store_failed(const char *format, ...)
{
    char text[LAB_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lab_result(LAB_STORE_FAILED, "%s", text);
}
