#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An entry is three files: the program, what its compilers printed, and its key, which is written last. */
#define PROGRAM_END ".out"
#define LOG_END ".log"
#define KEY_END ".key"

enum { LOG_MAX = 256 * 1024 };

/* --- the folder --------------------------------------------------------------------------------------------------- */

/* Makes a folder and those above it. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool good = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!good)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Whether the folder is this user's, and nobody else can write in it. */
static bool is_private(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void find_folder(char *folder, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {
        {"CACHE_DIRECTORY", "programs"}, {"XDG_CACHE_HOME", "gpulab/programs"}, {"HOME", ".cache/gpulab/programs"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i].variable);
        if (value == NULL || value[0] != '/')
            continue;
        int length = snprintf(folder, size, "%.*s/%s", (int)strcspn(value, ":"), value, places[i].below);
        if (length < 0 || (size_t)length >= size || !make_folders(folder) || !is_private(folder))
            folder[0] = '\0';
        return;
    }
    folder[0] = '\0';
}

/* --- an entry ----------------------------------------------------------------------------------------------------- */

/* Names for owner and key, by FNV-1a; different ones may share a name, so the key, which has the owner, is compared
 * too. */
static const uint64_t basis = UINT64_C(0xcbf29ce484222325), other_basis = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t hash(const char *text, uint64_t value)
{
    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return value;
}

void program_cache_open(struct program_cache_entry *entry, const char *owner, const json_t *parts)
{
    const char *whose = owner != NULL ? owner : "";
    json_t *all = json_pack("{s:s, s:O}", "owner", whose, "parts", parts);
    find_folder(entry->folder, sizeof entry->folder);
    entry->key = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(all);
    if (entry->key != NULL)
        snprintf(entry->name, sizeof entry->name, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64, hash(whose, basis),
                 hash(entry->key, basis), hash(entry->key, other_basis));
}

void program_cache_release(struct program_cache_entry *entry)
{
    free(entry->key);
    entry->key = NULL;
}

static void path_of(const struct program_cache_entry *entry, const char *end, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s%s", entry->folder, entry->name, end);
}

/* Opens a file that a compiler has made, and that is no link, pipe or device instead. */
static int open_file(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size <= PROGRAM_CACHE_BYTES_MAX / 2)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* Copies a file; the new one must not exist. */
static bool copy(const char *from, const char *to, mode_t mode)
{
    char buffer[65536];
    ssize_t size = -1;
    int in = open_file(from);
    int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
    while (out >= 0 && (size = read(in, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, (size_t)size) != size) {
            size = -1;
            break;
        }
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0)
        size = -1;
    return size == 0;
}

/* Whether the key that is kept is that of the entry. */
static bool has_key(const struct program_cache_entry *entry)
{
    char path[PATH_MAX];
    size_t length = strlen(entry->key);
    char *kept = malloc(length + 1);
    path_of(entry, KEY_END, path);
    int file = kept != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    bool same = file >= 0 && read(file, kept, length + 1) == (ssize_t)length && memcmp(kept, entry->key, length) == 0;
    if (file >= 0)
        close(file);
    free(kept);
    return same;
}

static bool is_open(const struct program_cache_entry *entry)
{
    return entry->folder[0] != '\0' && entry->key != NULL;
}

/* Reads what the compilers printed; NULL if it cannot be read. The caller frees it. */
static char *read_log(const struct program_cache_entry *entry)
{
    char path[PATH_MAX], *log = calloc(LOG_MAX + 1, 1);
    path_of(entry, LOG_END, path);
    int file = log != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (file < 0 || read(file, log, LOG_MAX) < 0) {
        free(log);
        log = NULL;
    }
    if (file >= 0)
        close(file);
    return log;
}

bool program_cache_take(const struct program_cache_entry *entry, const char *path, char **log)
{
    char kept[PATH_MAX];
    if (!is_open(entry) || !has_key(entry) || (*log = read_log(entry)) == NULL)
        return false;
    path_of(entry, PROGRAM_END, kept);
    if (!copy(kept, path, 0700)) {
        unlink(path);
        free(*log);
        *log = NULL;
        return false;
    }
    utimensat(AT_FDCWD, kept, NULL, 0); /* the entries that were not used for longest are removed first */
    return true;
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

struct kept {
    char name[256];
    struct timespec used;
    uint64_t bytes;
};

static int oldest_first(const void *left, const void *right)
{
    const struct timespec *a = &((const struct kept *)left)->used, *b = &((const struct kept *)right)->used;
    return a->tv_sec != b->tv_sec ? (a->tv_sec > b->tv_sec) - (a->tv_sec < b->tv_sec)
                                  : (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Lists the programs in the folder whose names begin with `prefix`, at most `most`. */
static size_t list(DIR *folder, const char *prefix, struct kept *kept, size_t most)
{
    size_t count = 0;
    for (struct dirent *file; count < most && (file = readdir(folder)) != NULL;) {
        struct stat status;
        const char *end = strrchr(file->d_name, '.');
        if (strncmp(file->d_name, prefix, strlen(prefix)) != 0 || end == NULL || strcmp(end, PROGRAM_END) != 0 ||
            strlen(file->d_name) >= sizeof kept->name ||
            fstatat(dirfd(folder), file->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        kept[count] = (struct kept){.used = status.st_mtim, .bytes = (uint64_t)status.st_size};
        snprintf(kept[count++].name, sizeof kept->name, "%s", file->d_name);
    }
    return count;
}

static void remove_entry(int folder, const char *program)
{
    static const char *const ends[] = {KEY_END, LOG_END, PROGRAM_END};
    char file[264];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(file, sizeof file, "%.*s%s", (int)(strrchr(program, '.') - program), program, ends[i]);
        unlinkat(folder, file, 0);
    }
}

/* Removes the oldest programs whose names begin with `prefix`, until at most `most` of them, with at most `most_bytes`,
 * are left. */
static void remove_oldest(const char *path, const char *prefix, size_t most, uint64_t most_bytes)
{
    enum { LISTED_MAX = 2 * PROGRAM_CACHE_ALL_ENTRIES_MAX };
    static struct kept kept[LISTED_MAX]; /* one run is executed at a time */
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    size_t count = list(folder, prefix, kept, LISTED_MAX);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += kept[i].bytes;
    qsort(kept, count, sizeof *kept, oldest_first);
    for (size_t i = 0; i < count && (count - i > most || bytes > most_bytes); i++) {
        remove_entry(dirfd(folder), kept[i].name);
        bytes -= kept[i].bytes;
    }
    closedir(folder);
}

static bool write_text(const char *path, const char *text, size_t length)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = file >= 0 && write(file, text, length) == (ssize_t)length;
    return (file < 0 || close(file) == 0) && good;
}

/* Gives a file that is whole its own name. */
static bool put(const struct program_cache_entry *entry, const char *end, const char *temporary, bool good)
{
    char path[PATH_MAX];
    path_of(entry, end, path);
    if (good && rename(temporary, path) == 0)
        return true;
    unlink(temporary);
    return false;
}

void program_cache_keep(const struct program_cache_entry *entry, const char *path, const char *log)
{
    char key[PATH_MAX], temporary[PATH_MAX], owner[PROGRAM_CACHE_OWNER_DIGITS + 1] = "";
    if (!is_open(entry))
        return;
    path_of(entry, KEY_END, key);
    /* What a worker leaves that is ended here is removed as a program that was not used for long. */
    snprintf(temporary, sizeof temporary, "%s/%s.%ld" PROGRAM_END, entry->folder, entry->name, (long)getpid());
    unlink(temporary);
    unlink(key); /* of an entry of the same name, whose program is replaced first */
    const char *printed = log != NULL ? log : "";
    if (put(entry, PROGRAM_END, temporary, copy(path, temporary, 0600)) &&
        put(entry, LOG_END, temporary, write_text(temporary, printed, strnlen(printed, LOG_MAX))))
        put(entry, KEY_END, temporary, write_text(temporary, entry->key, strlen(entry->key)));
    memcpy(owner, entry->name, PROGRAM_CACHE_OWNER_DIGITS);
    remove_oldest(entry->folder, owner, PROGRAM_CACHE_ENTRIES_MAX, PROGRAM_CACHE_BYTES_MAX);
    remove_oldest(entry->folder, "", PROGRAM_CACHE_ALL_ENTRIES_MAX, PROGRAM_CACHE_ALL_BYTES_MAX);
}
