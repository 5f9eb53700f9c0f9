/* Copies the database, while it is used or before it is migrated. The copy is read in one read transaction, so it is
 * one state of the database, and commits meanwhile do not make SQLite begin again.
 */
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Pages that are copied between two calls of `progress`. */
enum { STEP_PAGES = 1024 };

static enum lab_store_result failed(sqlite3 *to, const char *path)
{
    int code = sqlite3_extended_errcode(to);
    return lab_result((code & 0xff) == SQLITE_FULL ? LAB_STORE_FULL : LAB_STORE_FAILED, "cannot write %s: %s", path,
                      sqlite3_errmsg(to));
}

static enum lab_store_result copy_pages(struct lab_db *from, sqlite3 *to, const char *path, lab_copy_progress *progress,
                                        void *context)
{
    sqlite3_backup *copy = sqlite3_backup_init(to, "main", from->db, "main");
    if (copy == NULL)
        return failed(to, path);
    int code = SQLITE_OK;
    bool goes_on = true;
    while (goes_on && (code = sqlite3_backup_step(copy, STEP_PAGES)) == SQLITE_OK) {
        int total = sqlite3_backup_pagecount(copy);
        goes_on = progress == NULL || progress(context, total - sqlite3_backup_remaining(copy), total);
    }
    sqlite3_backup_finish(copy);
    if (!goes_on)
        return lab_result(LAB_STORE_CONFLICT, "the backup was given up");
    return code == SQLITE_DONE ? LAB_STORE_OK : failed(to, path);
}

/* Writes the copy into the new file `temporary`, complete and on disk. A copy that fails is removed, so it needs no
 * journal. */
static enum lab_store_result write_copy(struct lab_db *from, const char *temporary, lab_copy_progress *progress,
                                        void *context)
{
    static const char settings[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL";
    int file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return lab_result(errno == ENOSPC || errno == EDQUOT ? LAB_STORE_FULL : LAB_STORE_FAILED,
                          "cannot create %s: %s", temporary, strerrordesc_np(errno));
    close(file);
    sqlite3 *to = NULL;
    bool opened = sqlite3_open_v2(temporary, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
                  sqlite3_exec(to, settings, NULL, NULL, NULL) == SQLITE_OK;
    enum lab_store_result result = opened ? copy_pages(from, to, temporary, progress, context) : failed(to, temporary);
    sqlite3_close(to);
    return result;
}

enum lab_store_result lab_copy_database(struct lab_db *from, const char *path, lab_copy_progress *progress,
                                        void *context)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s" LAB_INCOMPLETE, path) >= (int)sizeof temporary)
        return lab_result(LAB_STORE_FAILED, "the path of the copy, %s, is too long", path);
    unlink(temporary);
    enum lab_store_result result = write_copy(from, temporary, progress, context);
    if (result == LAB_STORE_OK && rename(temporary, path) != 0)
        result = lab_result(LAB_STORE_FAILED, "cannot rename %s to %s: %s", temporary, path, strerrordesc_np(errno));
    if (result != LAB_STORE_OK)
        unlink(temporary);
    else if (!lab_file_sync_folder(path))
        result =
            lab_result(LAB_STORE_FAILED, "cannot write the folder of %s to disk: %s", path, strerrordesc_np(errno));
    return result;
}

enum lab_store_result lab_store_backup(struct lab_store *store, const char *path, lab_copy_progress *progress,
                                       void *context)
{
    static const char touch[] = "SELECT count(*) FROM sqlite_schema";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t tables = 0;
    lab_select_integer(reader, &tables, touch, LAB_NO_VALUES); /* the read transaction begins with the first query */
    return lab_reader_release(store, reader, lab_copy_database(reader, path, progress, context));
}
