#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *doctor_path(const struct doctor *doctor, const char *name, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s%s", doctor->options->root, name);
    if (length < 0 || length >= PATH_MAX)
        path[0] = '\0';
    return path;
}

bool doctor_exists(const struct doctor *doctor, const char *name)
{
    char path[PATH_MAX];
    return access(doctor_path(doctor, name, path), F_OK) == 0;
}

bool doctor_find_line(const struct doctor *doctor, const char *name, const char *beginning, char *rest, size_t size)
{
    char path[PATH_MAX], line[1024];
    bool found = false;
    rest[0] = '\0';
    FILE *file = fopen(doctor_path(doctor, name, path), "re");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, beginning, strlen(beginning)) == 0;
    fclose(file);
    if (!found)
        return false;
    const char *value = line + strlen(beginning);
    value += strspn(value, " \t");
    snprintf(rest, size, "%.*s", (int)strcspn(value, "\n"), value);
    return true;
}

bool doctor_read_line(const struct doctor *doctor, const char *name, char *line, size_t size)
{
    return doctor_find_line(doctor, name, "", line, size);
}

bool doctor_read_number(const struct doctor *doctor, const char *name, double *number)
{
    char line[128], *end;
    if (!doctor_read_line(doctor, name, line, sizeof line))
        return false;
    *number = strtod(line, &end);
    return end != line;
}

bool doctor_has_capability(const struct doctor *doctor, unsigned capability)
{
    char mask[64];
    return doctor_find_line(doctor, "/proc/self/status", "CapEff:", mask, sizeof mask) &&
           (strtoull(mask, NULL, 16) >> capability & 1) != 0;
}

void doctor_each_numbered(const struct doctor *doctor, const char *folder, const char *prefix,
                          void (*visit)(void *context, const char *name), void *context)
{
    char path[PATH_MAX];
    size_t length = strlen(prefix);
    DIR *entries = opendir(doctor_path(doctor, folder, path));
    if (entries == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strncmp(entry->d_name, prefix, length) == 0 && isdigit((unsigned char)entry->d_name[length]))
            visit(context, entry->d_name);
    closedir(entries);
}
