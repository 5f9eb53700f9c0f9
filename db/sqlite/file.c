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

/* --- the folder ----------------------------------------------------------------------------------------------------- */

/* Flushes a folder, because a new entry is on disk only when its parent folder is. */
static void sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
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

/* Absolute, so that a later change of the working directory has no effect and no name has a special meaning for SQLite. */
static char *absolute_path(const char *path)
{
    char folder[PATH_MAX], name[PATH_MAX], resolved[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof folder || path[length - 1] == '/') {
        lab_result(LAB_STORE_FAILED, "\"%s\" is not a file name", path);
        return NULL;
    }
    memcpy(folder, path, length + 1);
    memcpy(name, path, length + 1);
    const char *parent = dirname(folder);
    if (!create_folder(parent) || realpath(parent, resolved) == NULL) {
        lab_result(LAB_STORE_FAILED, "cannot create the folder %s: %s", parent, strerrordesc_np(errno));
        return NULL;
    }
    char *absolute = NULL;
    if (asprintf(&absolute, "%s/%s", resolved, basename(name)) < 0) {
        lab_result(LAB_STORE_FAILED, "out of memory");
        return NULL;
    }
    return absolute;
}

void lab_file_sync_folder(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    sync_folder(dirname(copy));
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

enum lab_store_result lab_file_locate(struct lab_file *file, const char *path)
{
    file->path = absolute_path(path);
    return file->path != NULL ? LAB_STORE_OK : LAB_STORE_FAILED;
}

enum lab_store_result lab_file_create(struct lab_file *file)
{
    struct stat status;
    /* Mode 0600, because SQLite would use the umask; the WAL takes the mode of the file. */
    int descriptor = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return lab_result(errno == ENOSPC || errno == EDQUOT ? LAB_STORE_FULL : LAB_STORE_FAILED, "cannot open %s: %s",
                          file->path, strerrordesc_np(errno));
    fstat(descriptor, &status);
    close(descriptor);
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return LAB_STORE_OK;
}

bool lab_file_present(const struct lab_file *file)
{
    struct stat status;
    if (stat(file->path, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode)
        return true;
    lab_result(LAB_STORE_FAILED,
               "the database file %s was removed or replaced; nothing can be stored until gpulab is restarted",
               file->path);
    return false;
}

/* --- the reserve ---------------------------------------------------------------------------------------------------- */

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
