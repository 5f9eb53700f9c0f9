/* Finds included names, and resolves relative ones. */
#include "includes.h"

#include <string.h>

/* Reads "name" or <name>, in which there are no blanks. Returns what follows it, or NULL if there is no such name. */
static const char *read_name(const char *at, struct lab_include *include)
{
    const char *closing = *at == '"' ? "\"" : ">";
    size_t length = strcspn(at + 1, *at == '"' ? "\" \t\n" : "> \t\n");
    if (length == 0 || length >= sizeof include->name || at[1 + length] != *closing)
        return NULL;
    memcpy(include->name, at + 1, length);
    include->name[length] = '\0';
    include->quoted = *at == '"';
    return at + 1 + length + 1;
}

/* Moves to the next directive, behind its '#'. False at the end of the text. */
static bool find_directive(struct lab_include_search *search)
{
    while (*search->at != '\0' && !search->in_directive) {
        search->at += strspn(search->at, " \t");
        search->in_directive = *search->at == '#';
        search->at += search->in_directive ? 1 : strcspn(search->at, "\n");
        search->at += !search->in_directive && *search->at == '\n';
    }
    return search->in_directive;
}

bool lab_include_next(struct lab_include_search *search, struct lab_include *include)
{
    while (find_directive(search)) {
        const char *at = search->at + strcspn(search->at, "\"<\\\n");
        const char *behind = *at == '"' || *at == '<' ? read_name(at, include) : NULL;
        if (*at == '\\') /* before the end of a line, which the directive goes on behind */
            at += at[1] == '\r' && at[2] == '\n' ? 2 : at[1] == '\n';
        else if (*at == '\n' || *at == '\0')
            search->in_directive = false;
        search->at = behind != NULL ? behind : at + (*at != '\0');
        if (behind != NULL)
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
