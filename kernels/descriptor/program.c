/* The rows of whole programs, and the checks of their files. */
#include "descriptor/program.h"

#include "descriptor/build_options.h"

const struct lab_schema lab_program_members[] = {
    {LAB_MEMBER(
         OBJECT, "files",
         "The texts of the files by their names: {\"main.cu\": TEXT}. Those that end in .cu, .cpp, .cc, .cxx and "
         ".c are compiled; others are headers and data, and stand in the folder in which the program runs."),
     .open = true},
    {LAB_MEMBER(STRING, "command", "Instead of files: the name of a command that the node has (its --programs)."),
     .minimum = 1, .maximum = 64},
    {LAB_MEMBER(
         STRING, "name",
         "By which the results of later runs are compared with these ones, for example \"saxpy\"; of a command its "
         "own name. Without a name they are in no series."),
     .minimum = 1, .maximum = 64},
    {LAB_MEMBER(STRING, "arguments", "Arguments of the program."), .count = LAB_LIST,
     .items_max = LAB_PROGRAM_ARGUMENTS_MAX, .maximum = LAB_PROGRAM_ARGUMENT_MAX},
    {LAB_MEMBER(STRING, "stdin", "What the program reads from its standard input; by default nothing."),
     .title = "Standard input", .maximum = LAB_PROGRAM_INPUT_MAX},
    {LAB_MEMBER(
         STRING, "format",
         "The format in which the program prints its results, such as \"google-benchmark\"; by default they are those of gpulab.h alone. That "
         "of a command is the node's."),
     .minimum = 1, .maximum = 64},
    {LAB_MEMBER(OBJECT, "options", "How the files are compiled."), .members = lab_build_option_members},
    {0},
};

static bool check_files(const json_t *files, bool used[LAB_LANGUAGES], struct lab_errors *errors)
{
    const char *name;
    json_t *text;
    size_t sources = 0;
    bool good = lab_source_files_check(files, "/program/files", errors);
    json_object_foreach((json_t *)files, name, text)
    {
        enum lab_language language = lab_language_of(name);
        sources += language != LAB_LANGUAGES;
        if (language != LAB_LANGUAGES)
            used[language] = true;
    }
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
