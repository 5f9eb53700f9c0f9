/* Finds the headers that a text includes. */
#include "headers.h"

#include "descriptor/source.h"
#include "includes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

struct lab_included_header {
    char name[LAB_INCLUDE_NAME_MAX]; /* as it was included */
    char path[LAB_INCLUDE_NAME_MAX]; /* in `folder`, or in kernels/ */
    const char *folder;              /* NULL: compiled into this program */
    char *content;                   /* owned; NULL when compiled in */
    const char *text;
    bool is_own; /* a file of the request */
};

/* --- where headers are -------------------------------------------------------------------------------------------- */

/* Looks for kernels/PATH among the files compiled in. */
static bool find_embedded(struct lab_included_header *header, const char *path)
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
static bool find_in_experiments(struct lab_included_header *header, const char *name)
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

/* Looks for a header of the C library. */
static bool find_in_c(struct lab_included_header *header, const char *name)
{
    char path[LAB_INCLUDE_NAME_MAX + 32];
    snprintf(path, sizeof path, "compiler/headers/%s", name);
    return find_embedded(header, path);
}

static bool read_file(struct lab_included_header *header, const char *folder, const char *path)
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

static bool find_in_folders(struct lab_included_header *header, const char *path, const char *const *folders)
{
    for (size_t i = 0; folders[i] != NULL; i++)
        if (read_file(header, folders[i], path))
            return true;
    return false;
}

/* Looks for the header of libcu++, the toolkit's library for devices, with this name, and writes its path. Some are not
 * public yet. */
static bool find_twin(const char *name, const char *const *folders, char path[LAB_INCLUDE_NAME_MAX])
{
    static const char *const patterns[] = {"cuda/std/%s", "cuda/std/__%s_"};
    bool found = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
        struct lab_included_header twin = {0};
        snprintf(path, LAB_INCLUDE_NAME_MAX, patterns[i], name);
        found = find_in_folders(&twin, path, folders);
        free(twin.content);
    }
    return found;
}

/* Makes a header of the C++ library, of those of the C library and of libcu++: <cmath> of <math.h> and
 * <cuda/std/cmath>, whose names std has then. */
static bool make_standard(struct lab_included_header *header, const char *name, const char *const *folders)
{
    struct lab_included_header c = {0};
    char c_name[LAB_INCLUDE_NAME_MAX + 2], twin[LAB_INCLUDE_NAME_MAX], c_line[LAB_INCLUDE_NAME_MAX + 32] = "";
    if (strpbrk(name, "./") != NULL)
        return false;
    snprintf(c_name, sizeof c_name, "%s.h", name + 1);
    if (name[0] == 'c' && find_in_c(&c, c_name))
        snprintf(c_line, sizeof c_line, "#include <%s>\n", c_name);
    int length = -1;
    if (find_twin(name, folders, twin))
        length = asprintf(&header->content,
                          "%snamespace cuda\n{\nnamespace std\n{\n}\n}\n#include <%s>\n"
                          "namespace std\n{\nusing namespace cuda::std;\n}\n",
                          c_line, twin);
    else if (c_line[0] != '\0')
        length = asprintf(&header->content, "%s", c_line);
    header->content = length >= 0 ? header->content : NULL;
    header->text = header->content;
    return header->text != NULL;
}

/* Looks for the file of the request with this path. */
static bool find_own(const struct lab_headers *headers, struct lab_included_header *header, const char *path)
{
    for (size_t i = 0; i < headers->count && headers->items[i].is_own; i++) /* they are the first ones */
        if (strcmp(headers->items[i].path, path) == 0) {
            header->text = headers->items[i].text;
            header->is_own = true;
            snprintf(header->path, sizeof header->path, "%s", path);
            return true;
        }
    return false;
}

/* Looks for header->name, which `from` includes; NULL: the text itself. */
static bool find(const struct lab_headers *headers, struct lab_included_header *header,
                 const struct lab_included_header *from, bool quoted, const char *const *folders)
{
    char path[LAB_INCLUDE_NAME_MAX];
    if (from != NULL && from->is_own && quoted && lab_include_resolve(from->path, header->name, path) &&
        find_own(headers, header, path))
        return true;
    if (from != NULL && quoted && lab_include_resolve(from->path, header->name, path) &&
        (from->folder == NULL ? find_embedded(header, path) : read_file(header, from->folder, path)))
        return true;
    if (!lab_include_resolve("", header->name, path))
        return false;
    /* libcu++ includes <version> where it exists: not this one, which would put libcu++ into std without being
     * asked. */
    bool for_toolkit = from != NULL && from->folder != NULL;
    return find_embedded(header, path) || find_in_experiments(header, path) || find_in_c(header, path) ||
           (!(for_toolkit && strcmp(path, "version") == 0) && make_standard(header, path, folders)) ||
           find_in_folders(header, path, folders);
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static struct lab_included_header *find_known(const struct lab_headers *headers, const char *name)
{
    for (size_t i = 0; i < headers->count; i++)
        if (strcmp(headers->names[i], name) == 0)
            return &headers->items[i];
    return NULL;
}

/* Room for one more header; NULL when there are too many, or not enough memory. */
static struct lab_included_header *next_item(struct lab_headers *headers)
{
    if (headers->items == NULL) {
        headers->names = calloc(LAB_HEADERS_MAX, sizeof *headers->names);
        headers->texts = calloc(LAB_HEADERS_MAX, sizeof *headers->texts);
        headers->items = calloc(LAB_HEADERS_MAX, sizeof *headers->items);
    }
    bool good = headers->names != NULL && headers->texts != NULL && headers->items != NULL;
    return good && headers->count < LAB_HEADERS_MAX ? &headers->items[headers->count] : NULL;
}

/* Adds the next item, which has a name and a text, to the list. False when there are too many bytes. */
static bool append(struct lab_headers *headers, const struct lab_included_header *header)
{
    headers->bytes += strlen(header->text);
    headers->names[headers->count] = header->name;
    headers->texts[headers->count++] = header->text;
    return headers->bytes <= LAB_HEADERS_BYTES_MAX;
}

/* Writes the name of a header, in which a macro of Thrust stands for a folder: CUB includes these headers, and NVRTC,
 * which would ask for them, begins again with each that it lacks. */
static void write_name(const struct lab_include *include, char name[LAB_INCLUDE_NAME_MAX])
{
    static const struct {
        const char *macro, *folder;
    } roots[] = {{"__THRUST_DEVICE_SYSTEM_ROOT/", "thrust/system/cuda/"},
                 {"__THRUST_HOST_SYSTEM_ROOT/", "thrust/system/cpp/"}};
    snprintf(name, LAB_INCLUDE_NAME_MAX, "%s", include->name);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strncmp(include->name, roots[i].macro, strlen(roots[i].macro)) == 0)
            snprintf(name, LAB_INCLUDE_NAME_MAX, "%s%s", roots[i].folder, include->name + strlen(roots[i].macro));
}

/* Adds the header that `from` includes, unless it is known or not found. False when there are too many. */
static bool add(struct lab_headers *headers, const struct lab_include *include, const struct lab_included_header *from,
                const char *const *folders)
{
    char name[LAB_INCLUDE_NAME_MAX];
    write_name(include, name);
    if (find_known(headers, name) != NULL)
        return true;
    struct lab_included_header *header = next_item(headers);
    if (header == NULL)
        return false;
    memcpy(header->name, name, sizeof header->name);
    return !find(headers, header, from, include->quoted, folders) || append(headers, header);
}

/* Adds the headers that `text`, the text of `from`, includes. */
static bool add_included(struct lab_headers *headers, const char *text, const struct lab_included_header *from,
                         const char *const *folders)
{
    struct lab_include_search search = {text, false};
    struct lab_include include;
    while (lab_include_next(&search, &include))
        if (!add(headers, &include, from, folders))
            return false;
    return true;
}

/* Adds what the headers from this number on include. */
static bool add_all_included(struct lab_headers *headers, size_t first, const char *const *folders)
{
    for (size_t i = first; i < headers->count; i++)
        if (!add_included(headers, headers->texts[i], &headers->items[i], folders))
            return false;
    return true;
}

bool lab_headers_find(struct lab_headers *headers, const char *source, const char *const *folders)
{
    bool good = add_included(headers, source, NULL, folders) && add_all_included(headers, headers->searched, folders);
    headers->searched = headers->count;
    return good;
}

/* Adds the files beside a header in its folder, by their paths. */
static bool add_siblings(struct lab_headers *headers, const struct lab_included_header *header,
                         const char *const *folders)
{
    char path[PATH_SIZE];
    const char *slash = strrchr(header->path, '/');
    int length = slash != NULL ? (int)(slash - header->path) : 0;
    if (length == 0 || header->folder == NULL ||
        (size_t)snprintf(path, sizeof path, "%s/%.*s", header->folder, length, header->path) >= sizeof path)
        return true;
    DIR *folder = opendir(path);
    bool good = true;
    for (struct dirent *entry; folder != NULL && good && (entry = readdir(folder)) != NULL;) {
        struct lab_include include = {.quoted = false};
        if ((size_t)snprintf(include.name, sizeof include.name, "%.*s/%s", length, header->path, entry->d_name) <
            sizeof include.name)
            good = add(headers, &include, NULL, folders);
    }
    if (folder != NULL)
        closedir(folder);
    return good;
}

bool lab_headers_add(struct lab_headers *headers, const char *name, const char *from, const char *const *folders)
{
    struct lab_include include = {.quoted = true};
    size_t first = headers->count;
    snprintf(include.name, sizeof include.name, "%s", name);
    return add(headers, &include, find_known(headers, from), folders) &&
           (headers->count == first || add_siblings(headers, &headers->items[first], folders)) &&
           add_all_included(headers, first, folders);
}

bool lab_headers_append(struct lab_headers *headers, const char *name, char *text)
{
    struct lab_included_header *header = next_item(headers);
    if (header == NULL) {
        free(text);
        return false;
    }
    snprintf(header->name, sizeof header->name, "%s", name);
    header->text = header->content = text;
    return append(headers, header);
}

bool lab_headers_add_own(struct lab_headers *headers, const char *name, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL || !lab_headers_append(headers, name, copy))
        return false;
    struct lab_included_header *header = &headers->items[headers->count - 1];
    snprintf(header->path, sizeof header->path, "%s", name);
    header->is_own = true;
    return true;
}

void lab_headers_release(struct lab_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++)
        free(headers->items[i].content);
    free(headers->items);
    free(headers->names);
    free(headers->texts);
    *headers = (struct lab_headers){0};
}
