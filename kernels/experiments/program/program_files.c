#include "program_files.h"

#include "descriptor/program.h"
#include "descriptor/sample_programs.h"
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the folder --------------------------------------------------------------------------------------------------- */

#define NAME "gpulab-program."

static const char *temporary(void)
{
    const char *parent = getenv("TMPDIR");
    return parent != NULL && parent[0] == '/' ? parent : "/tmp";
}

/* Opens a folder and takes its lock, which the kernel gives back when the process ends, however it ends. Where the file
 * system has no locks the folder is not locked, and not cleaned up either. -1 if there is none or another has the
 * lock. */
static int open_locked(const char *path)
{
    struct stat status;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return -1;
    bool taken = flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && fstat(folder, &status) == 0 && status.st_nlink > 0) /* 0: it was removed before it was locked */
        return folder;
    close(folder);
    return -1;
}

bool program_folder_make(struct program_folder *folder, struct lab_error *error)
{
    enum { ATTEMPTS = 100 }; /* another process may clean up a folder that is not locked yet */
    for (int i = 0; i < ATTEMPTS; i++) {
        snprintf(folder->path, sizeof folder->path, "%s/" NAME "XXXXXX", temporary());
        if (mkdtemp(folder->path) == NULL)
            break;
        if ((folder->lock = open_locked(folder->path)) >= 0)
            return true;
    }
    lab_error_set(error, LAB_ERROR_INTERNAL_ERROR, "", "The folder %s of the program could not be made: %s.",
                  folder->path, strerror(errno));
    folder->path[0] = '\0';
    return false;
}

bool program_folder_remove(struct program_folder *folder)
{
    if (folder->path[0] == '\0')
        return true;
    bool removed = lab_sandbox_folder_remove(folder->path);
    close(folder->lock);
    folder->path[0] = '\0';
    return removed;
}

/* Removes a folder that nobody uses. */
static void clean(const char *path, uid_t user)
{
    struct stat status;
    int folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode) ? open_locked(path) : -1;
    if (folder < 0)
        return;
    bool has_locks = flock(folder, LOCK_EX | LOCK_NB) == 0; /* again, which changes nothing */
    if (has_locks && fstat(folder, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == user))
        lab_sandbox_folder_remove(path);
    close(folder);
}

void program_folders_clean(uid_t user)
{
    DIR *parent = opendir(temporary());
    for (struct dirent *entry; parent != NULL && (entry = readdir(parent)) != NULL;) {
        char path[PROGRAM_FOLDER_MAX];
        int length = snprintf(path, sizeof path, "%s/%s", temporary(), entry->d_name);
        if (strncmp(entry->d_name, NAME, strlen(NAME)) == 0 && length > 0 && (size_t)length < sizeof path)
            clean(path, user);
    }
    if (parent != NULL)
        closedir(parent);
}

/* --- its files ---------------------------------------------------------------------------------------------------- */

/* Makes the folders of a name such as "src/kernels/a.cu" below an open one. */
static bool make_folders(int folder, const char *name)
{
    char path[LAB_SOURCE_FILE_NAME_MAX + sizeof PROGRAM_HEADERS + 1];
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", (int)(slash - name), name);
        if (mkdirat(folder, path, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

static bool write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* The folder is new, so nothing in it can be a link. */
static bool write_file(int folder, const char *name, const char *text, size_t size, struct lab_error *error)
{
    int file = make_folders(folder, name) ? openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool good = file >= 0 && write_all(file, text, size);
    if (file >= 0 && close(file) != 0)
        good = false;
    return good || lab_error_set(error, LAB_ERROR_INTERNAL_ERROR, "",
                                 "The file %s of the program could not be written: %s.", name, strerror(errno));
}

static bool write_headers(int folder, struct lab_error *error)
{
    bool good = true;
    for (const struct lab_shown_file *header = lab_program_headers; good && header->path != NULL; header++) {
        char name[LAB_SOURCE_FILE_NAME_MAX];
        snprintf(name, sizeof name, PROGRAM_HEADERS "/%s", header->path);
        good = write_file(folder, name, header->text, strlen(header->text), error);
    }
    return good;
}

bool program_files_write(const char *folder, const json_t *files, struct lab_error *error)
{
    int opened = open(folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    const char *name;
    json_t *text;
    bool good = opened >= 0 ||
                lab_error_set(error, LAB_ERROR_INTERNAL_ERROR, "", "%s cannot be opened: %s.", folder, strerror(errno));
    json_object_foreach((json_t *)files, name, text)
    {
        good = good && write_file(opened, name, json_string_value(text), json_string_length(text), error);
    }
    good = good && write_headers(opened, error);
    if (opened >= 0)
        close(opened);
    return good;
}

/* Opens a file below a folder; -1 if a part of its name is a symbolic link, or leads out of the folder. */
static int open_below(const char *folder, const char *name)
{
    char part[LAB_SOURCE_FILE_NAME_MAX + 1];
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (const char *rest = name; at >= 0 && rest != NULL;) {
        const char *slash = strchr(rest, '/');
        int length = snprintf(part, sizeof part, "%.*s", slash != NULL ? (int)(slash - rest) : (int)strlen(rest), rest);
        bool is_part = length > 0 && (size_t)length < sizeof part && strcmp(part, "..") != 0;
        int flags = slash != NULL ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK;
        int next = is_part ? openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC) : -1;
        close(at);
        at = next;
        rest = slash != NULL ? slash + 1 : NULL;
    }
    return at;
}

char *program_file_read(const char *folder, const char *name, size_t most, size_t *size, struct lab_error *error)
{
    char *text = NULL;
    struct stat status;
    int file = open_below(folder, name);
    bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size <= most;
    *size = 0;
    if (good && (text = malloc((size_t)status.st_size + 1)) != NULL) {
        for (ssize_t more;
             *size < (size_t)status.st_size && (more = read(file, text + *size, (size_t)status.st_size - *size)) > 0;)
            *size += (size_t)more;
        text[*size] = '\0';
    } else {
        lab_error_set(error, LAB_ERROR_PROGRAM_FAILED, "",
                      "The program has left no file %s in its folder, of at most %zu bytes.", name, most);
    }
    if (file >= 0)
        close(file);
    return text;
}
