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

bool lab_program_find_own(const char *name, char path[PATH_MAX])
{
    static const char *const folders[] = {"", LAB_PROGRAM_HELPERS};
    char folder[PATH_MAX], candidate[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    path[0] = '\0';
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int written = snprintf(candidate, sizeof candidate, "%s%s%s", folder, folders[i], name);
        if (written < 0 || written >= PATH_MAX)
            return false;
        bool exists = access(candidate, R_OK) == 0;
        if (exists || i == 0)
            memcpy(path, candidate, sizeof candidate);
        if (exists)
            return true;
    }
    return false;
}
