/* Finds included names, and resolves relative ones. */
#include "includes.h"

#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Reads "name" or <name>. Returns what follows it, or NULL if there is no such name in this line. */
static const char *read_name(const char *at, struct lab_include *include)
{
    if (*at != '"' && *at != '<')
        return NULL;
    const char *closing = *at == '"' ? "\"\n" : ">\n";
    size_t length = strcspn(at + 1, closing);
    if (length == 0 || length >= sizeof include->name || at[1 + length] != closing[0])
        return NULL;
    memcpy(include->name, at + 1, length);
    include->name[length] = '\0';
    include->quoted = *at == '"';
    return at + 1 + length + 1;
}

/* Where the name of the directive in this line begins: after "#include", or after a "__has_include(" of an #if. NULL if it
 * names no file. */
static const char *find_name(const char *line, const char *end)
{
    static const char query[] = "__has_include";
    const char *at = skip_blanks(line);
    if (*at != '#')
        return NULL;
    at = skip_blanks(at + 1);
    if (strncmp(at, "include", 7) == 0)
        return skip_blanks(at + strcspn(at, " \t\"<\n"));
    at = memmem(at, (size_t)(end - at), query, sizeof query - 1);
    return at != NULL ? skip_blanks(at + strcspn(at, "\"<\n")) : NULL;
}

bool lab_include_next(const char **at, struct lab_include *include)
{
    while (**at != '\0') {
        const char *end = *at + strcspn(*at, "\n");
        const char *name = find_name(*at, end);
        *at = end + (*end == '\n');
        if (name != NULL && read_name(name, include) != NULL)
            return true;
    }
    return false;
}

/* Removes the last component of a path of `length` bytes. Returns the new length. */
static size_t parent(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

bool lab_include_resolve(const char *from, const char *name, char path[LAB_INCLUDE_NAME_MAX])
{
    size_t length = parent(from, strlen(from));
    if (name[0] == '/' || length >= LAB_INCLUDE_NAME_MAX)
        return false;
    memcpy(path, from, length);
    while (*name != '\0') {
        size_t part = strcspn(name, "/");
        if (part == 2 && memcmp(name, "..", 2) == 0) {
            if (length == 0)
                return false;
            length = parent(path, length);
        } else if (part > 0 && !(part == 1 && name[0] == '.')) {
            if (length + (length > 0) + part >= LAB_INCLUDE_NAME_MAX)
                return false;
            if (length > 0)
                path[length++] = '/';
            memcpy(path + length, name, part);
            length += part;
        }
        name += part + (name[part] == '/');
    }
    path[length] = '\0';
    return length > 0;
}
