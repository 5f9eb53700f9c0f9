/* What the store has and does, for lab_store_counts: table `count`, the sizes of the files, the writer. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Takes over a row of table `count`. */
static void set(struct lab_stored *stored, const char *name, int64_t value)
{
    enum lab_status status;
    if (lab_status_parse(name, &status))
        stored->runs[status] = value;
    else if (strcmp(name, "measurements") == 0)
        stored->measurements = value;
    else if (strcmp(name, "samples") == 0)
        stored->samples = value;
}

static int64_t bytes_of(const char *path, const char *suffix)
{
    char name[4096];
    struct stat file;
    int length = snprintf(name, sizeof name, "%s%s", path, suffix);
    return length < (int)sizeof name && stat(name, &file) == 0 ? (int64_t)file.st_size : 0;
}

void lab_stored_read(struct lab_db *connection, const char *path, struct lab_stored *stored)
{
    static const char sql[] = "SELECT name, value FROM count";
    lab_db_clear(connection);
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_NO_VALUES);
    while (lab_query_next(connection, statement))
        set(stored, lab_column_text(statement, 0), sqlite3_column_int64(statement, 1));
    stored->database_bytes = bytes_of(path, "");
    stored->wal_bytes = bytes_of(path, "-wal");
    lab_db_clear(connection);
}

void lab_store_counts(struct lab_store *store, struct lab_store_counts *counts)
{
    struct lab_writer *writer = &store->writer;
    pthread_mutex_lock(&writer->mutex);
    *counts = (struct lab_store_counts){
        .stored = writer->stored,
        .pending_records = writer->record_count,
        .pending_bytes = writer->record_bytes,
        .lost_records = writer->lost_records,
        .failed_writes = writer->failed_writes,
        .commits = &writer->commits,
    };
    pthread_mutex_unlock(&writer->mutex);
}
