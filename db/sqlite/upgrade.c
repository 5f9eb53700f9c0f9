/* Migrates the database of an older gpulab. It is copied before to PATH.schema-N, where N is the schema that it has: so
 * an older gpulab can be used again, and nothing is lost if a migration has a fault.
 */
#include "store_internal.h"

#include "core/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool copy_name(char name[PATH_MAX], const char *path, size_t version, const char *ending)
{
    return snprintf(name, PATH_MAX, "%s.schema-%zu%s", path, version, ending) < PATH_MAX;
}

/* Removes the copies of all schemas but that of `kept`. */
static void remove_copies(const char *path, size_t kept, const char *ending)
{
    char name[PATH_MAX];
    for (size_t version = 1; version < lab_migration_count; version++)
        if (version != kept && copy_name(name, path, version, ending))
            unlink(name);
}

/* Compares the size of the database with the free space of its folder. */
static enum lab_store_result check_space(struct lab_db *connection, const char *path)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    int64_t pages = 0, page_bytes = 0;
    snprintf(folder, sizeof folder, "%s", path);
    lab_db_clear(connection);
    lab_select_integer(connection, &pages, "PRAGMA page_count", LAB_NO_VALUES);
    lab_select_integer(connection, &page_bytes, "PRAGMA page_size", LAB_NO_VALUES);
    enum lab_store_result result = lab_db_result(connection);
    if (result != LAB_STORE_OK)
        return result;
    if (statvfs(dirname(folder), &disk) != 0)
        return lab_result(LAB_STORE_FAILED, "the free space of %s is not known: %s", folder, strerrordesc_np(errno));
    uint64_t needed = (uint64_t)(pages * page_bytes), available = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (available < needed)
        return lab_result(LAB_STORE_FAILED, "it needs %" PRIu64 " bytes, but %" PRIu64 " are free; free disk space",
                          needed, available);
    return LAB_STORE_OK;
}

static enum lab_store_result copy(struct lab_db *connection, const char *path, const char *name, size_t version)
{
    char reason[LAB_MESSAGE_SIZE];
    enum lab_store_result result = check_space(connection, path);
    if (result == LAB_STORE_OK)
        result = lab_copy_database(connection, name, NULL, NULL);
    if (result != LAB_STORE_OK) {
        snprintf(reason, sizeof reason, "%s", lab_message());
        return lab_result(LAB_STORE_FAILED,
                          "the database has schema %zu and cannot be copied before it is migrated: %s", version,
                          reason);
    }
    lab_journal(LAB_SEVERITY_NOTICE, "the database has schema %zu and is migrated; a copy of it as it was is %s",
                version, name);
    return LAB_STORE_OK;
}

enum lab_store_result lab_schema_upgrade(struct lab_db *connection, const char *path)
{
    char name[PATH_MAX];
    size_t version = 0;
    /* A file that is refused must not change: closing the connection must not even write back a WAL that it has. */
    sqlite3_db_config(connection->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    enum lab_store_result result = lab_schema_version(connection, lab_migration_count, &version);
    if (result != LAB_STORE_OK)
        return result;
    remove_copies(path, 0, LAB_INCOMPLETE); /* of a process that was killed */
    bool older = version > 0 && version < lab_migration_count;
    if (older && !copy_name(name, path, version, ""))
        return lab_result(LAB_STORE_FAILED, "the path of the copy before the migration is too long");
    if (older)
        result = copy(connection, path, name, version);
    if (result != LAB_STORE_OK)
        return result;

    sqlite3_db_config(connection->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    result = lab_schema_migrate(connection, lab_migrations, version, lab_migration_count);
    if (older && result == LAB_STORE_OK)
        remove_copies(path, version, "");
    else if (older && result == LAB_STORE_FULL)
        unlink(name); /* the database is as it was, and needs the space */
    return result;
}
