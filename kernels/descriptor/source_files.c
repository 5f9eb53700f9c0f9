/* Checks the names and sizes of files. */
#include "descriptor/source_files.h"

#include "core/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Whether a name has one to four parts of letters, digits and _.+- that begin with a letter, a digit or _, separated by
 * '/'. */
static bool is_file_name(const char *name)
{
    enum { PARTS_MAX = 4 };
    size_t parts = 0;
    if (strlen(name) > LAB_SOURCE_FILE_NAME_MAX)
        return false;
    do {
        size_t length = strcspn(name, "/");
        if (++parts > PARTS_MAX || (!isalnum((unsigned char)name[0]) && name[0] != '_'))
            return false;
        for (size_t i = 0; i < length; i++)
            if (!isalnum((unsigned char)name[i]) && strchr("_.+-", name[i]) == NULL)
                return false;
        name += length;
    } while (*name++ == '/');
    return true;
}

/* Whether a file has the name that a folder of another file has. */
static bool is_folder_of_another(const json_t *files, const char *name)
{
    const char *other;
    json_t *text;
    size_t length = strlen(name);
    json_object_foreach((json_t *)files, other, text)
    {
        if (strncmp(other, name, length) == 0 && other[length] == '/')
            return true;
    }
    return false;
}

static bool check_file(const json_t *files, const char *name, const json_t *text, const char *place,
                       struct lab_errors *errors)
{
    char pointer[LAB_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "%s", place);
    lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
    if (!is_file_name(name))
        return lab_errors_add(
            errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
            "The name of a file has letters, digits and _.+-, in at most 4 parts separated by '/', of "
            "which none begins with '.', and at most %d characters; \"%.60s\" is none.",
            LAB_SOURCE_FILE_NAME_MAX, name);
    if (is_folder_of_another(files, name))
        return lab_errors_add(errors, LAB_ERROR_DUPLICATE, pointer, "%s is a file, and a folder of other files.", name);
    return json_is_string(text) ||
           lab_errors_add(errors, LAB_ERROR_WRONG_TYPE, pointer, "The content of %s must be a text.", name);
}

bool lab_source_files_check(const json_t *files, const char *pointer, struct lab_errors *errors)
{
    const char *name;
    json_t *text;
    size_t bytes = 0;
    bool good = true;
    json_object_foreach((json_t *)files, name, text)
    {
        good = check_file(files, name, text, pointer, errors) && good;
        bytes += json_string_length(text);
    }
    if (json_object_size(files) > LAB_SOURCE_FILES_MAX || bytes > LAB_SOURCE_BYTES_MAX)
        good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                              "There are at most %d files with %d bytes together; these are %zu with %zu.",
                              LAB_SOURCE_FILES_MAX, LAB_SOURCE_BYTES_MAX, json_object_size(files), bytes);
    return good;
}
