/* Finds the headers that a text includes. */
#include "headers.h"

#include "experiment/source.h"
#include "includes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

struct lab_header {
    char name[LAB_INCLUDE_NAME_MAX]; /* as it was included */
    char path[LAB_INCLUDE_NAME_MAX]; /* in `folder`, or in kernels/ */
    const char *folder;              /* NULL: compiled into this program */
    char *content;                   /* owned; NULL when compiled in */
    const char *text;
};

/* --- where headers are -------------------------------------------------------------------------------------------- */

/* Looks for kernels/PATH among the files compiled in. */
static bool find_embedded(struct lab_header *header, const char *path)
{
    for (const struct lab_shown_file *file = lab_shown_files; file->path != NULL; file++) {
        if (strncmp(file->path, "kernels/", 8) == 0 && strcmp(file->path + 8, path) == 0) {
            snprintf(header->path, sizeof header->path, "%.*s", LAB_INCLUDE_NAME_MAX - 1, path);
            header->text = file->text;
            return true;
        }
    }
    return false;
}

/* Looks for a header of an experiment, whose sources name it without its folder. */
static bool find_in_experiments(struct lab_header *header, const char *name)
{
    char pattern[LAB_INCLUDE_NAME_MAX + 32];
    size_t length = (size_t)snprintf(pattern, sizeof pattern, "/%s", name);
    for (const struct lab_shown_file *file = lab_shown_files; file->path != NULL; file++) {
        size_t path_length = strlen(file->path);
        if (strncmp(file->path, "kernels/experiments/", 20) == 0 && path_length > length &&
            strcmp(file->path + path_length - length, pattern) == 0)
            return find_embedded(header, file->path + 8);
    }
    return false;
}

/* Looks for a header of the C library, also by its name in C++: <cstdint> is stdint.h. */
static bool find_standard(struct lab_header *header, const char *name)
{
    char path[LAB_INCLUDE_NAME_MAX + 32];
    snprintf(path, sizeof path, "compiler/headers/%s", name);
    if (find_embedded(header, path))
        return true;
    snprintf(path, sizeof path, "compiler/headers/%s.h", name + 1);
    return name[0] == 'c' && find_embedded(header, path);
}

static bool read_file(struct lab_header *header, const char *folder, const char *path)
{
    char full[PATH_SIZE];
    if ((size_t)snprintf(full, sizeof full, "%s/%s", folder, path) >= sizeof full)
        return false;
    int file = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_size <= LAB_HEADERS_BYTES_MAX &&
                (header->content = malloc((size_t)status.st_size + 1)) != NULL;
    if (good) {
        ssize_t got = read(file, header->content, (size_t)status.st_size);
        header->content[got > 0 ? got : 0] = '\0';
        header->text = header->content;
        header->folder = folder;
        snprintf(header->path, sizeof header->path, "%s", path);
    }
    if (file >= 0)
        close(file);
    return good;
}

/* Looks for header->name, which `from` includes; NULL: the text itself. */
static bool find(struct lab_header *header, const struct lab_header *from, bool quoted, const char *const *folders)
{
    char path[LAB_INCLUDE_NAME_MAX];
    if (from != NULL && quoted && lab_include_resolve(from->path, header->name, path) &&
        (from->folder == NULL ? find_embedded(header, path) : read_file(header, from->folder, path)))
        return true;
    if (!lab_include_resolve("", header->name, path))
        return false;
    if (find_embedded(header, path) || find_in_experiments(header, path) || find_standard(header, path))
        return true;
    for (size_t i = 0; folders[i] != NULL; i++)
        if (read_file(header, folders[i], path))
            return true;
    return false;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool is_known(const struct lab_headers *headers, const char *name)
{
    for (size_t i = 0; i < headers->count; i++)
        if (strcmp(headers->names[i], name) == 0)
            return true;
    return false;
}

/* Appends the headers that `text`, the text of `from`, includes. */
static bool add_included(struct lab_headers *headers, const char *text, const struct lab_header *from,
                         const char *const *folders)
{
    struct lab_include include;
    while (lab_include_next(&text, &include)) {
        if (is_known(headers, include.name))
            continue;
        if (headers->count == LAB_HEADERS_MAX)
            return false;
        struct lab_header *header = &headers->items[headers->count];
        memcpy(header->name, include.name, sizeof header->name);
        if (!find(header, from, include.quoted, folders))
            continue;
        headers->bytes += strlen(header->text);
        headers->names[headers->count] = header->name;
        headers->texts[headers->count++] = header->text;
        if (headers->bytes > LAB_HEADERS_BYTES_MAX)
            return false;
    }
    return true;
}

static bool allocate(struct lab_headers *headers)
{
    if (headers->items != NULL)
        return true;
    headers->names = calloc(LAB_HEADERS_MAX, sizeof *headers->names);
    headers->texts = calloc(LAB_HEADERS_MAX, sizeof *headers->texts);
    headers->items = calloc(LAB_HEADERS_MAX, sizeof *headers->items);
    return headers->names != NULL && headers->texts != NULL && headers->items != NULL;
}

bool lab_headers_find(struct lab_headers *headers, const char *source, const char *const *folders)
{
    bool good = allocate(headers) && add_included(headers, source, NULL, folders);
    for (size_t i = 0; good && i < headers->count; i++)
        good = add_included(headers, headers->texts[i], &headers->items[i], folders);
    return good;
}

void lab_headers_free(struct lab_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++)
        free(headers->items[i].content);
    free(headers->items);
    free(headers->names);
    free(headers->texts);
    *headers = (struct lab_headers){0};
}
