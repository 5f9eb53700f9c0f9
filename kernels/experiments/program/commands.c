#include "commands.h"

#include "core/json_text.h"
#include "descriptor/program.h"
#include "descriptor/results.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 256 * 1024, WORDS_MAX = 64, PATHS_MAX = 64, PATTERN_MAX = 256 };

#define WORDS .type = LAB_TYPE_STRING, .count = LAB_LIST, .maximum = LAB_PROGRAM_ARGUMENT_MAX

static const struct lab_schema command_members[] = {
    {.name = "command",
     WORDS,
     .required = true,
     .items_min = 1,
     .items_max = WORDS_MAX,
     .text = "The absolute path of the program, and its first arguments."},
    {LAB_MEMBER(STRING, "text", "What the command does."), .maximum = 1024},
    {.name = "arguments",
     WORDS,
     .items_max = PATHS_MAX,
     .text = "Patterns, extended regular expressions: each argument of a request must match one as a whole. Without "
             "patterns there are no arguments."},
    {.name = "readable",
     WORDS,
     .items_max = PATHS_MAX,
     .text = "Absolute paths of further files and folders that the program reads."},
    {LAB_MEMBER(STRING, "format", "The format of its results (kernels/formats), as it prints them."), .minimum = 1,
     .maximum = 64},
    {LAB_MEMBER(STRING, "results", "The file in the folder of the run that has the results, if they are not printed."),
     .minimum = 1, .maximum = LAB_SOURCE_FILE_NAME_MAX},
    {LAB_MEMBER(NUMBER, "limit_s", "An execution that takes longer is ended; by default the run's limit_s."),
     .above = true, .maximum = 86400},
    {0},
};

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Whether nobody else can have written the file. */
static bool is_trusted(int file, const char *path, struct lab_error *error)
{
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s is not a file.", path);
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return lab_error_set(
            error, LAB_ERROR_PROGRAM_NOT_FOUND, "",
            "%s must belong to root or to the user of the lab, and nobody else may be able to write it.", path);
    return true;
}

static json_t *parse(int file, const char *path, struct lab_error *error)
{
    struct lab_json_fault fault;
    char *text = malloc(FILE_MAX + 1);
    ssize_t size = text != NULL ? read(file, text, FILE_MAX + 1) : -1;
    json_t *commands = size >= 0 && size <= FILE_MAX ? lab_json_parse(text, (size_t)size, &fault) : NULL;
    free(text);
    if (size > FILE_MAX)
        lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s has more than %d bytes.", path, FILE_MAX);
    else if (size < 0)
        lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s cannot be read: %s.", path, strerror(errno));
    else if (commands == NULL)
        lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s is not JSON: line %d, column %d: %s.", path,
                      fault.line, fault.column, fault.text);
    return commands;
}

static json_t *read_file(const char *path, struct lab_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    json_t *commands = NULL;
    if (file < 0)
        lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "This machine offers no commands: %s cannot be read: %s.",
                      path, strerror(errno));
    else if (is_trusted(file, path, error))
        commands = parse(file, path, error);
    if (file >= 0)
        close(file);
    return commands;
}

/* --- a command ---------------------------------------------------------------------------------------------------- */

static bool refuse_unknown(const char *path, const char *name, const json_t *commands, struct lab_error *error)
{
    char names[LAB_DETAIL_MAX / 2] = "";
    const char *known;
    json_t *command;
    size_t used = 0;
    json_object_foreach((json_t *)commands, known, command)
    {
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", known);
    }
    return lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "/program/command",
                         "%s has no command \"%.64s\"; it has: %s.", path, name, used > 0 ? names : "none");
}

/* Compiles a pattern that matches the whole of a text; false if it is none. */
static bool compile_pattern(const char *pattern, regex_t *compiled)
{
    char whole[PATTERN_MAX + 8];
    int length = snprintf(whole, sizeof whole, "^(%s)$", pattern);
    return length > 0 && (size_t)length < sizeof whole && regcomp(compiled, whole, REG_EXTENDED | REG_NOSUB) == 0;
}

static bool check_patterns(const char *path, const char *name, const json_t *patterns, struct lab_error *error)
{
    size_t index;
    json_t *pattern;
    json_array_foreach(patterns, index, pattern)
    {
        regex_t compiled;
        if (!compile_pattern(json_string_value(pattern), &compiled))
            return lab_error_set(
                error, LAB_ERROR_PROGRAM_NOT_FOUND, "",
                "%s: %s/arguments/%zu must be an extended regular expression of at most %d bytes, not \"%.64s\".", path,
                name, index, PATTERN_MAX, json_string_value(pattern));
        regfree(&compiled);
    }
    return true;
}

/* Checks the members of a command. */
static bool check(const char *path, const char *name, const json_t *command, struct lab_error *error)
{
    struct lab_errors errors = {0};
    const char *program = json_string_value(json_array_get(json_object_get(command, "command"), 0));
    if (!json_is_object(command))
        return lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s: %s must be an object.", path, name);
    if (!lab_schema_check_members(command_members, command, "", &errors))
        return lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s: %s%s: %s", path, name,
                             errors.items[0].pointer, errors.items[0].detail);
    if (program[0] != '/')
        return lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "",
                             "%s: the program of %s must be an absolute path, not \"%.64s\".", path, name, program);
    return check_patterns(path, name, json_object_get(command, "arguments"), error);
}

static bool matches(const char *pattern, const char *argument)
{
    regex_t compiled;
    if (strchr(argument, '\n') != NULL || !compile_pattern(pattern, &compiled))
        return false;
    bool good = regexec(&compiled, argument, 0, NULL, 0) == 0;
    regfree(&compiled);
    return good;
}

static bool refuse_argument(const char *name, const json_t *patterns, const char *argument, struct lab_error *error)
{
    char known[LAB_DETAIL_MAX / 2] = "";
    size_t index, used = 0;
    json_t *pattern;
    json_array_foreach(patterns, index, pattern)
    {
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? " or " : "",
                                     json_string_value(pattern));
    }
    if (used == 0)
        return lab_error_set(error, LAB_ERROR_PROGRAM_FAILED, "/program/arguments", "%s takes no arguments.", name);
    return lab_error_set(error, LAB_ERROR_PROGRAM_FAILED, "/program/arguments",
                         "%s does not take the argument \"%.100s\"; it takes those that match %s.", name, argument,
                         known);
}

static bool check_arguments(const char *name, const json_t *command, const json_t *arguments, struct lab_error *error)
{
    const json_t *patterns = json_object_get(command, "arguments");
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        bool found = false;
        for (size_t i = 0; i < json_array_size(patterns) && !found; i++)
            found = matches(json_string_value(json_array_get(patterns, i)), json_string_value(argument));
        if (!found)
            return refuse_argument(name, patterns, json_string_value(argument), error);
    }
    return true;
}

/* Reads all commands, a new reference; NULL with *error set if the file has none. */
static json_t *read_commands(const char *path, struct lab_error *error)
{
    json_t *commands = read_file(path, error);
    if (commands == NULL || json_is_object(commands))
        return commands;
    json_decref(commands);
    lab_error_set(error, LAB_ERROR_PROGRAM_NOT_FOUND, "", "%s must be an object of commands by name.", path);
    return NULL;
}

json_t *program_command_read(const char *file, const char *name, const json_t *arguments, struct lab_error *error)
{
    json_t *commands = read_commands(file, error), *command = json_object_get(commands, name);
    bool good = commands != NULL && (command != NULL || refuse_unknown(file, name, commands, error)) &&
                check(file, name, command, error) && check_arguments(name, command, arguments, error);
    command = good ? json_incref(command) : NULL;
    json_decref(commands);
    return command;
}

/* A member of a command, a new reference; null where it is absent. */
static json_t *member(const json_t *command, const char *name)
{
    json_t *value = json_object_get(command, name);
    return value != NULL ? json_incref(value) : json_null();
}

json_t *program_commands_list(const char *file)
{
    struct lab_error error = {0};
    json_t *commands = read_commands(file, &error), *list = json_array(), *command;
    const char *name;
    json_object_foreach(commands, name, command)
    {
        json_t *arguments = json_object_get(command, "arguments");
        if (check(file, name, command, &error))
            json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", name, "text",
                                                  member(command, "text"), "arguments",
                                                  arguments != NULL ? json_incref(arguments) : json_array(), "format",
                                                  member(command, "format"), "limit_s", member(command, "limit_s")));
    }
    json_decref(commands);
    return json_pack("{s:o, s:o}", "commands", list, "reason",
                     error.detail[0] != '\0' ? json_string(error.detail) : json_null());
}
