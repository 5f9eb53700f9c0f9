#include "core/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether `folder`, of `length` characters, contains the program; sets `path` then. */
static bool is_in(const char *folder, size_t length, const char *name, char path[PATH_MAX])
{
    char candidate[PATH_MAX];
    struct stat file;
    int written = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, folder, name);
    return folder[0] == '/' && written > 0 && written < PATH_MAX && stat(candidate, &file) == 0 &&
           S_ISREG(file.st_mode) && access(candidate, X_OK) == 0 && realpath(candidate, path) != NULL;
}

bool lab_program_find(const char *name, const char *folder, char path[PATH_MAX])
{
    static const char toolkit[] = "/usr/local/cuda/bin";
    for (const char *next = getenv("PATH"); next != NULL && *next != '\0';) {
        size_t length = strcspn(next, ":");
        if (is_in(next, length, name, path))
            return true;
        next += length + (next[length] == ':');
    }
    return (folder != NULL && is_in(folder, strlen(folder), name, path)) || is_in(toolkit, strlen(toolkit), name, path);
}
