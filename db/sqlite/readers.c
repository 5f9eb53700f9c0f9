/* The pool of read-only connections. */
#include "store_internal.h"

#include <stdlib.h>

static const char begin_reading[] = "BEGIN", end_reading[] = "COMMIT";

static struct lab_db *idle_reader(struct lab_readers *readers)
{
    struct lab_db *reader = NULL;
    pthread_mutex_lock(&readers->mutex);
    if (readers->idle_count > 0)
        reader = readers->idle[--readers->idle_count];
    pthread_mutex_unlock(&readers->mutex);
    return reader;
}

static struct lab_db *new_reader(const struct lab_file *file)
{
    if (!lab_file_present(file)) /* another file at the path must not be read */
        return NULL;
    struct lab_db *reader = malloc(sizeof *reader);
    if (reader == NULL) {
        lab_store_no_memory();
        return NULL;
    }
    if (lab_db_open(reader, file->path, false) != LAB_STORE_OK) {
        free(reader);
        return NULL;
    }
    return reader;
}

struct lab_db *lab_reader_acquire(struct lab_store *store)
{
    struct lab_db *reader = idle_reader(&store->readers);
    if (reader == NULL)
        reader = new_reader(&store->file);
    if (reader != NULL) {
        lab_db_clear(reader);
        lab_execute_statement(reader, begin_reading, LAB_NO_VALUES);
    }
    return reader;
}

static void return_to_pool(struct lab_readers *readers, struct lab_db *reader)
{
    pthread_mutex_lock(&readers->mutex);
    bool kept = readers->idle_count < LAB_READERS_IDLE_MAX;
    if (kept)
        readers->idle[readers->idle_count++] = reader;
    pthread_mutex_unlock(&readers->mutex);
    if (!kept) {
        lab_db_close(reader);
        free(reader);
    }
}

enum lab_store_result lab_reader_release(struct lab_store *store, struct lab_db *reader, enum lab_store_result result)
{
    lab_execute_statement(reader, end_reading, LAB_NO_VALUES);
    if (reader->failure == SQLITE_OK) {
        return_to_pool(&store->readers, reader);
        return result;
    }
    /* A connection that failed is closed instead of reused. */
    result = lab_db_result(reader);
    lab_db_close(reader);
    free(reader);
    return result;
}
