#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { DEPTH_MAX = 64 };

/* What a walk does with a file or folder `name` in `parent`; false ends it. */
typedef bool visitor(void *context, int parent, const char *name, const struct stat *file);

/* Opens a folder without following a link, also one without permissions. */
static int open_folder(int parent, const char *name)
{
    enum { FLAGS = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int folder = openat(parent, name, O_RDONLY | FLAGS);
    if (folder >= 0 || errno != EACCES)
        return folder;
    char path[32];
    int place = openat(parent, name, O_PATH | FLAGS);
    if (place < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place); /* fchmod does not take such a descriptor */
    folder = chmod(path, 0700) == 0 ? openat(parent, name, O_RDONLY | FLAGS) : -1;
    close(place);
    return folder;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Visits all that is below `folder`, which it closes. What disappears meanwhile is skipped. False if a visit failed, or
 * it is too deep. */
static bool walk(int folder, unsigned depth, visitor *visit, void *context)
{
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    bool good = depth < DEPTH_MAX;
    if (!good)
        errno = ENAMETOOLONG;
    if (entries == NULL && folder >= 0)
        close(folder);
    for (struct dirent *entry; good && entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat file;
        if (is_dots(entry->d_name) || fstatat(folder, entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        good = visit(context, folder, entry->d_name, &file) &&
               (!S_ISDIR(file.st_mode) || walk(open_folder(folder, entry->d_name), depth + 1, visit, context));
    }
    if (entries != NULL)
        closedir(entries);
    return good;
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

struct size {
    const struct lab_sandbox_limits *limits;
    uint64_t bytes, files;
};

static bool size_visit(void *context, int parent, const char *name, const struct stat *file)
{
    struct size *size = context;
    (void)parent;
    (void)name;
    size->bytes += (uint64_t)file->st_blocks * 512;
    size->files++;
    return size->bytes <= size->limits->folder_bytes && size->files <= size->limits->folder_files;
}

/* Less than 1 GiB, or a sixteenth of a small file system. Files that were removed and are still open are in no folder,
 * but take space. */
static bool is_nearly_full(const char *path)
{
    struct statvfs system;
    if (statvfs(path, &system) != 0 || system.f_blocks == 0)
        return false;
    uint64_t all = (uint64_t)system.f_blocks * system.f_frsize, left = (uint64_t)system.f_bavail * system.f_frsize;
    return left < UINT64_C(1) << 30 && left < all / 16;
}

enum lab_sandbox_end lab_sandbox_folder_check(const char *path, const struct lab_sandbox_limits *limits)
{
    struct size size = {.limits = limits};
    if (!walk(open_folder(AT_FDCWD, path), 0, size_visit, &size))
        return LAB_SANDBOX_FOLDER_LIMIT;
    return is_nearly_full(path) ? LAB_SANDBOX_DISK_LIMIT : LAB_SANDBOX_ITSELF;
}

/* --- before and after --------------------------------------------------------------------------------------------- */

static bool give(void *context, int parent, const char *name, const struct stat *file)
{
    const struct lab_sandbox_user *user = context;
    return (file->st_uid == user->uid && file->st_gid == user->gid) ||
           fchownat(parent, name, user->uid, user->gid, AT_SYMLINK_NOFOLLOW) == 0;
}

bool lab_sandbox_folder_prepare(const char *path, const struct lab_sandbox_user *user)
{
    struct stat file;
    int folder = open_folder(AT_FDCWD, path);
    if (folder < 0)
        return false;
    bool good = (mkdirat(folder, LAB_SANDBOX_TEMPORARY, 0700) == 0 || errno == EEXIST) &&
                fstatat(folder, LAB_SANDBOX_TEMPORARY, &file, AT_SYMLINK_NOFOLLOW) == 0;
    if (good && !S_ISDIR(file.st_mode)) { /* the program of an earlier call may have put a link there */
        errno = ENOTDIR;
        good = false;
    }
    if (good && user != NULL)
        good = fchown(folder, user->uid, user->gid) == 0 &&
               walk(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0, give, (void *)(uintptr_t)user);
    int reason = errno;
    close(folder);
    errno = reason;
    return good;
}

/* Removes a file, or moves the folders of a folder up into `top` and removes the folder, so that any depth takes two
 * descriptors. */
static bool remove_one(int top, const char *name, unsigned long *moved)
{
    if (unlinkat(top, name, 0) == 0 || unlinkat(top, name, AT_REMOVEDIR) == 0)
        return true;
    int folder = open_folder(top, name);
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    if (entries == NULL && folder >= 0)
        close(folder);
    if (entries == NULL || fchmod(folder, 0700) != 0)
        return false;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(entries)) != NULL;) {
        char to[32];
        if (is_dots(entry->d_name) || unlinkat(folder, entry->d_name, 0) == 0 ||
            unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        int inner = open_folder(folder, entry->d_name); /* a folder that moves needs to be writable */
        good = inner >= 0 && fchmod(inner, 0700) == 0;
        close(inner);
        do
            snprintf(to, sizeof to, "%lu", (*moved)++);
        while (good && faccessat(top, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        good = good && renameat(folder, entry->d_name, top, to) == 0;
    }
    closedir(entries);
    return good && unlinkat(top, name, AT_REMOVEDIR) == 0;
}

bool lab_sandbox_folder_remove(const char *path)
{
    unsigned long moved = 0;
    int top = open_folder(AT_FDCWD, path);
    bool good = top >= 0 && fchmod(top, 0700) == 0, found = true;
    while (good && found) {
        int again = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *entries = again >= 0 ? fdopendir(again) : NULL;
        good = entries != NULL;
        found = false;
        for (struct dirent *entry; good && (entry = readdir(entries)) != NULL;)
            if (!is_dots(entry->d_name)) {
                found = true;
                good = remove_one(top, entry->d_name, &moved);
            }
        int reason = errno;
        if (entries != NULL)
            closedir(entries);
        errno = reason;
    }
    int reason = errno;
    if (top >= 0)
        close(top);
    errno = reason;
    return good && rmdir(path) == 0;
}
