/* The database file: its folder, its identity, and the reserve of disk space beside it. */
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the folder --------------------------------------------------------------------------------------------------- */

/* Flushes a folder, because a new entry is on disk only when its parent folder is. */
static bool sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return false;
    int result = fsync(folder), error = errno;
    close(folder);
    errno = error;
    return result == 0 || error == EINVAL; /* not every file system can flush folders */
}

/* Creates the folder and its missing parents with mode 0700. */
static bool create_folder(const char *path)
{
    if (mkdir(path, 0700) == 0) {
        char above[PATH_MAX];
        snprintf(above, sizeof above, "%s", path);
        sync_folder(dirname(above));
        return true;
    }
    if (errno == EEXIST)
        return true; /* if it is not a folder, opening a file in it will fail */
    if (errno != ENOENT)
        return false;

    char above[PATH_MAX];
    snprintf(above, sizeof above, "%s", path);
    char *parent = dirname(above);
    /* Once the parent exists, the second mkdir succeeds or fails for another reason. */
    return strcmp(parent, path) != 0 && create_folder(parent) && mkdir(path, 0700) == 0;
}

/* Writes the path of the file itself, because the lock and SQLite's files are named after it: a path that is a symbolic
 * link stands for the file that the link leads to. */
static bool resolve(const char *path, char resolved[PATH_MAX])
{
    char folder[PATH_MAX], name[PATH_MAX];
    struct stat link;
    if (realpath(path, resolved) != NULL)
        return true;
    if (errno == ENOENT && lstat(path, &link) == 0) {
        lab_result(LAB_STORE_FAILED, "%s is a symbolic link to a file that does not exist", path);
        return false;
    }
    if (errno != ENOENT) {
        lab_result(LAB_STORE_FAILED, "cannot open %s: %s", path, strerrordesc_np(errno));
        return false;
    }
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(name, sizeof name, "%s", path);
    const char *parent = dirname(folder);
    if (!create_folder(parent) || realpath(parent, resolved) == NULL) {
        lab_result(LAB_STORE_FAILED, "cannot create the folder %s: %s", parent, strerrordesc_np(errno));
        return false;
    }
    size_t length = strlen(resolved);
    if (length == 1)
        length = 0; /* "/" */
    if (snprintf(resolved + length, PATH_MAX - length, "/%s", basename(name)) < (int)(PATH_MAX - length))
        return true;
    lab_result(LAB_STORE_FAILED, "the absolute path of %s is too long", path);
    return false;
}

/* Absolute, so that a later change of the working directory has no effect and no name has a special meaning for
 * SQLite. */
static char *absolute_path(const char *path)
{
    char resolved[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= PATH_MAX || path[length - 1] == '/') {
        lab_result(LAB_STORE_FAILED, "\"%s\" is not a file name", path);
        return NULL;
    }
    if (!resolve(path, resolved))
        return NULL;
    char *absolute = strdup(resolved);
    if (absolute == NULL)
        lab_store_no_memory();
    return absolute;
}

bool lab_file_sync_folder(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    return sync_folder(dirname(copy));
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

enum lab_store_result lab_file_locate(struct lab_file *file, const char *path)
{
    file->path = absolute_path(path);
    return file->path != NULL ? LAB_STORE_OK : LAB_STORE_FAILED;
}

/* Reads which file has the name now. Returns false when there is none. */
static bool identify(const char *name, struct lab_file_identity *identity, nlink_t *names)
{
    struct stat status;
    if (stat(name, &status) != 0)
        return false;
    *identity = (struct lab_file_identity){status.st_dev, status.st_ino};
    *names = status.st_nlink;
    return true;
}

static bool has_name(const struct lab_file_identity *identity, const char *name)
{
    struct lab_file_identity now;
    nlink_t names;
    return identify(name, &now, &names) && now.device == identity->device && now.inode == identity->inode;
}

enum lab_store_result lab_file_create(struct lab_file *file)
{
    nlink_t names;
    /* Mode 0600, because SQLite would use the umask; the WAL takes the mode of the file. */
    int descriptor = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool opened = descriptor >= 0 && identify(file->path, &file->database, &names);
    int error = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (!opened)
        return lab_result(error == ENOSPC || error == EDQUOT ? LAB_STORE_FULL : LAB_STORE_FAILED, "cannot open %s: %s",
                          file->path, strerrordesc_np(error));
    if (names > 1)
        return lab_result(
            LAB_STORE_FAILED,
            "the database file %s has %ju names (hard links), and each would get a lock and a write-ahead "
            "log of its own, so that two processes could destroy it; remove the other names, or copy it",
            file->path, (uintmax_t)names);
    return LAB_STORE_OK;
}

static void log_name(const struct lab_file *file, char name[PATH_MAX + 16])
{
    snprintf(name, PATH_MAX + 16, "%s-wal", file->path);
}

enum lab_store_result lab_file_note_log(struct lab_file *file)
{
    char name[PATH_MAX + 16];
    nlink_t names;
    log_name(file, name);
    if (identify(name, &file->log, &names))
        return LAB_STORE_OK;
    return lab_result(LAB_STORE_FAILED, "cannot find the write-ahead log %s: %s", name, strerrordesc_np(errno));
}

static bool database_present(const struct lab_file *file)
{
    return has_name(&file->database, file->path);
}

bool lab_file_lost_log(const struct lab_file *file)
{
    char name[PATH_MAX + 16];
    log_name(file, name);
    return database_present(file) && !has_name(&file->log, name);
}

bool lab_file_present(const struct lab_file *file)
{
    bool present = database_present(file);
    if (present && !lab_file_lost_log(file))
        return true;
    lab_result(LAB_STORE_FAILED, "the %s %s%s was removed or replaced; nothing can be stored until gpulab is restarted",
               present ? "write-ahead log" : "database file", file->path, present ? "-wal" : "");
    return false;
}

/* --- the reserve -------------------------------------------------------------------------------------------------- */

static void reserve_name(const struct lab_file *file, char name[PATH_MAX + 16])
{
    snprintf(name, PATH_MAX + 16, "%s.reserve", file->path);
}

bool lab_reserve_make(const struct lab_file *file)
{
    char name[PATH_MAX + 16];
    reserve_name(file, name);
    int descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return false;
    bool made = posix_fallocate(descriptor, 0, LAB_RESERVE_BYTES) == 0;
    close(descriptor);
    if (!made)
        unlink(name);
    return made;
}

bool lab_reserve_release(const struct lab_file *file)
{
    char name[PATH_MAX + 16];
    reserve_name(file, name);
    return unlink(name) == 0;
}
