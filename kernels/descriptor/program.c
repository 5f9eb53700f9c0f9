/* The rows of whole programs, and the checks of their files. */
#include "descriptor/program.h"

#include "core/text.h"
#include "descriptor/build_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct lab_schema lab_program_members[] = {
    {.name = "files",
     .type = LAB_TYPE_OBJECT,
     .open = true,
     .text = "The texts of the files by their names: {\"main.cu\": TEXT}. Those that end in .cu, .cpp, .cc, .cxx and "
             ".c are compiled; others are headers and data, and stand in the folder in which the program runs."},
    {.name = "command",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "Instead of files: the name of a command that the node has (its --programs)."},
    {.name = "name",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "By which the results of later runs are compared with these ones, for example \"saxpy\"; of a command its "
             "own name. Without a name they are in no series."},
    {.name = "arguments",
     .type = LAB_TYPE_STRING,
     .count = LAB_LIST,
     .items_max = LAB_PROGRAM_ARGUMENTS_MAX,
     .maximum = LAB_PROGRAM_ARGUMENT_MAX,
     .text = "Arguments of the program."},
    {.name = "stdin",
     .title = "Standard input",
     .type = LAB_TYPE_STRING,
     .maximum = LAB_PROGRAM_INPUT_MAX,
     .text = "What the program reads from its standard input; by default nothing."},
    {.name = "format",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text =
         "The format in which the program prints its results, such as \"google-benchmark\"; by default they are those of gpulab.h alone. That "
         "of a command is the node's."},
    {.name = "options",
     .type = LAB_TYPE_OBJECT,
     .members = lab_build_option_members,
     .text = "How the files are compiled."},
    {0},
};

/* Whether a name has one to four parts of letters, digits and _.+- that begin with a letter, a digit or _, separated by '/'. */
static bool is_file_name(const char *name)
{
    enum { PARTS_MAX = 4 };
    size_t parts = 0;
    if (strlen(name) > LAB_PROGRAM_FILE_NAME_MAX)
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

/* Checks a file; its pointer is "/program/files/NAME". */
static bool check_file(const json_t *files, const char *name, const json_t *text, struct lab_errors *errors)
{
    char pointer[LAB_POINTER_MAX] = "/program/files";
    lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
    if (!is_file_name(name))
        return lab_errors_add(
            errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
            "The name of a file has letters, digits and _.+-, in at most 4 parts separated by '/', of "
            "which none begins with '.', and at most %d characters; \"%.60s\" is none.",
            LAB_PROGRAM_FILE_NAME_MAX, name);
    if (is_folder_of_another(files, name))
        return lab_errors_add(errors, LAB_ERROR_DUPLICATE, pointer, "%s is a file, and a folder of other files.", name);
    return json_is_string(text) ||
           lab_errors_add(errors, LAB_ERROR_WRONG_TYPE, pointer, "The content of %s must be a text.", name);
}

static bool check_files(const json_t *files, bool used[LAB_LANGUAGES], struct lab_errors *errors)
{
    const char *name;
    json_t *text;
    size_t bytes = 0, sources = 0;
    bool good = true;
    json_object_foreach((json_t *)files, name, text)
    {
        enum lab_language language = lab_language_of(name);
        good = check_file(files, name, text, errors) && good;
        bytes += json_string_length(text);
        sources += language != LAB_LANGUAGES;
        if (language != LAB_LANGUAGES)
            used[language] = true;
    }
    if (json_object_size(files) > LAB_PROGRAM_FILES_MAX || bytes > LAB_PROGRAM_BYTES_MAX)
        good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/program/files",
                              "A program has at most %d files with %d bytes together; these are %zu with %zu.",
                              LAB_PROGRAM_FILES_MAX, LAB_PROGRAM_BYTES_MAX, json_object_size(files), bytes);
    if (sources == 0)
        good = lab_errors_add(errors, LAB_ERROR_MISSING, "/program/files",
                              "No file is compiled: the name of one must end in .cu, .cpp, .cc, .cxx or .c.");
    return good;
}

bool lab_program_check(const json_t *program, struct lab_errors *errors)
{
    const json_t *files = json_object_get(program, "files"), *command = json_object_get(program, "command");
    const json_t *options = json_object_get(program, "options");
    bool used[LAB_LANGUAGES] = {false};
    if ((files != NULL) == (command != NULL))
        return lab_errors_add(errors, LAB_ERROR_MISSING, "/program",
                              "A program has either 'files' or 'command'; this one has %s.",
                              files != NULL ? "both" : "neither");
    if (command != NULL)
        return options == NULL || lab_errors_add(errors, LAB_ERROR_UNKNOWN_FIELD, "/program/options",
                                                 "A command is not compiled; leave 'options' out.");
    bool good = check_files(files, used, errors);
    return lab_build_options_check(options, used, "/program/options", errors) && good;
}
