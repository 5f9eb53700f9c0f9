/* The disk space that the writer needs. SQLite appends a transaction to its log and writes the log back into the
 * database later, which must not fail because the disk is full: otherwise nothing could be deleted. So when space is
 * short, the log is written back whenever it has LOG_PAGES_SHORT pages, new data is accepted only after that has
 * succeeded, and the reserve has the size that it needs at most.
 */
#include "store_internal.h"

#include <sys/statvfs.h>

/* Pages of 4 KiB. Callers wait while the log is written back: this is done every second if it has LOG_PAGES_CHECK, and
 * between only if it has LOG_PAGES_MAX. LAB_RESERVE_BYTES is LOG_PAGES_SHORT of them. With FREE_PAGES_MIN pages of
 * deleted rows the file need not grow. */
enum {
    LOG_PAGES_CHECK = 1000,
    LOG_PAGES_MAX = 8000,
    LOG_PAGES_SHORT = LAB_RESERVE_BYTES / 4096,
    FREE_PAGES_MIN = 2 * LOG_PAGES_SHORT
};
/* With less free disk space than this, space is short. */
enum { SHORT_BYTES = 64 << 20 };

static int count_log_pages(void *writer, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct lab_writer *)writer)->log_pages = pages;
    return SQLITE_OK;
}

void lab_space_watch(struct lab_store *store)
{
    struct lab_writer *writer = &store->writer;
    sqlite3_wal_hook(writer->connection.db, count_log_pages, writer); /* replaces SQLite's own checkpoints */
    writer->spent = !lab_reserve_make(&store->file);
}

/* Returns the number of pages from which the log is written back. `checking`: the call is the one that is made once a
 * second; then a shorter log is enough, so that with steady writing callers seldom wait for LOG_PAGES_MAX to be written
 * back. */
static int log_pages_max(const struct lab_store *store, bool checking)
{
    struct statvfs disk;
    bool plenty = statvfs(store->file.path, &disk) == 0 && disk.f_bavail * disk.f_frsize > SHORT_BYTES;
    return !plenty ? LOG_PAGES_SHORT : checking ? LOG_PAGES_CHECK : LOG_PAGES_MAX;
}

bool lab_space_write_back(struct lab_store *store, bool checking)
{
    struct lab_writer *writer = &store->writer;
    if (writer->log_pages < LOG_PAGES_SHORT || writer->log_pages < log_pages_max(store, checking))
        return true;
    int code = sqlite3_wal_checkpoint_v2(writer->connection.db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_BUSY) {
        lab_result(LAB_STORE_FULL, "the database cannot grow: its log could not be written back: %s",
                   sqlite3_errstr(code));
        return false;
    }
    writer->log_pages = 0; /* where a reader still needs the log, the next commit sets it again */
    return true;
}

/* Whether the reserve exists, or the file has enough free pages that it need not grow. */
static bool has_space(struct lab_store *store)
{
    static const char free_pages[] = "PRAGMA freelist_count";
    struct lab_writer *writer = &store->writer;
    int64_t count = 0;
    if (!writer->spent)
        return true;
    writer->spent = !lab_reserve_make(&store->file);
    if (!writer->spent)
        return true;
    lab_db_clear(&writer->connection);
    lab_select_integer(&writer->connection, &count, free_pages, LAB_NO_VALUES);
    return count >= FREE_PAGES_MIN;
}

enum lab_store_result lab_space_check(struct lab_store *store, bool urgent)
{
    if (!urgent && !has_space(store))
        return lab_result(LAB_STORE_FULL, "the disk is full; free space or delete runs");
    return lab_space_write_back(store, false) ? LAB_STORE_OK : LAB_STORE_FULL;
}

bool lab_space_free_reserve(struct lab_store *store)
{
    bool released = lab_reserve_release(&store->file);
    store->writer.spent = store->writer.spent || released;
    return released;
}
