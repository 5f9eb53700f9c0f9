/* Copies the database while it is used. The copy is read in one read transaction, so it is one state of the database, and
 * commits meanwhile do not make SQLite begin again.
 */
#include "store_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Pages that are copied between two calls of `progress`. */
enum { STEP_PAGES = 1024 };

struct backup {
    bool (*progress)(void *context, int64_t copied, int64_t total);
    void *context;
};

static enum lab_store_result failed(sqlite3 *to, const char *path)
{
    int code = sqlite3_extended_errcode(to);
    return lab_result((code & 0xff) == SQLITE_FULL ? LAB_STORE_FULL : LAB_STORE_FAILED, "cannot write %s: %s", path,
                      sqlite3_errmsg(to));
}

static enum lab_store_result copy_pages(struct lab_connection *from, sqlite3 *to, const char *path,
                                        const struct backup *backup)
{
    sqlite3_backup *copy = sqlite3_backup_init(to, "main", from->db, "main");
    if (copy == NULL)
        return failed(to, path);
    int code = SQLITE_OK;
    bool goes_on = true;
    while (goes_on && (code = sqlite3_backup_step(copy, STEP_PAGES)) == SQLITE_OK) {
        int total = sqlite3_backup_pagecount(copy);
        goes_on = backup->progress == NULL ||
                  backup->progress(backup->context, total - sqlite3_backup_remaining(copy), total);
    }
    sqlite3_backup_finish(copy);
    if (!goes_on)
        return lab_result(LAB_STORE_CONFLICT, "the backup was given up");
    return code == SQLITE_DONE ? LAB_STORE_OK : failed(to, path);
}

/* Writes the copy into the file `temporary`, complete and on disk. */
static enum lab_store_result write_copy(struct lab_store *store, const char *temporary, const struct backup *backup)
{
    static const char touch[] = "SELECT count(*) FROM sqlite_schema";
    struct lab_connection *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t tables = 0;
    lab_select_integer(reader, &tables, touch, LAB_NO_VALUES); /* the read transaction begins with the first query */
    sqlite3 *to = NULL;
    enum lab_store_result result = LAB_STORE_OK;
    if (sqlite3_open_v2(temporary, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        result = failed(to, temporary);
    if (result == LAB_STORE_OK)
        result = copy_pages(reader, to, temporary, backup);
    sqlite3_close(to);
    return lab_reader_release(store, reader, result);
}

enum lab_store_result lab_store_backup(struct lab_store *store, const char *path,
                                       bool (*progress)(void *context, int64_t copied, int64_t total), void *context)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.incomplete", path) >= (int)sizeof temporary)
        return lab_result(LAB_STORE_FAILED, "the path of the backup is too long");
    unlink(temporary);
    enum lab_store_result result = write_copy(store, temporary, &(struct backup){progress, context});
    if (result == LAB_STORE_OK && rename(temporary, path) != 0)
        result = lab_result(LAB_STORE_FAILED, "cannot rename %s: %s", temporary, strerrordesc_np(errno));
    if (result == LAB_STORE_OK)
        lab_file_sync_folder(path);
    else
        unlink(temporary);
    return result;
}
