#include "call.h"

#include "build.h"

#include "descriptor/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a command line: those of the command of the machine or the path of what was built, then the arguments of
 * the request. */
static char **arguments_of(const struct program *program)
{
    static char path[] = "./" PROGRAM_EXECUTABLE;
    const json_t *words = json_object_get(program->command, "command");
    const json_t *given = json_object_get(program->run->program, "arguments");
    size_t count = 0, first = program->command != NULL ? json_array_size(words) : 1;
    char **arguments = calloc(first + json_array_size(given) + 1, sizeof *arguments);
    if (arguments == NULL)
        return NULL;
    for (; count < first; count++)
        arguments[count] = program->command != NULL ? (char *)json_string_value(json_array_get(words, count)) : path;
    for (size_t i = 0; i < json_array_size(given); i++)
        arguments[count++] = (char *)json_string_value(json_array_get(given, i));
    return arguments;
}

/* What a command of the machine reads besides the system: the folder of its program, and what its row lists. */
static const char **readable_of(const struct program *program, char folder[PATH_MAX])
{
    const json_t *listed = json_object_get(program->command, "readable");
    const char **readable = calloc(json_array_size(listed) + 2, sizeof *readable);
    const char *path = json_string_value(json_array_get(json_object_get(program->command, "command"), 0));
    if (readable == NULL || path == NULL)
        return readable;
    snprintf(folder, PATH_MAX, "%.*s", (int)(strrchr(path, '/') - path), path);
    readable[0] = folder;
    for (size_t i = 0; i < json_array_size(listed); i++)
        readable[i + 1] = json_string_value(json_array_get(listed, i));
    return readable;
}

static double limit_of(const struct program *program)
{
    double limit_s = json_number_value(json_object_get(program->command, "limit_s"));
    return limit_s > 0 ? limit_s : lab_parameter_number(program->run->parameters, "limit_s");
}

bool program_call_prepare(const struct program *program, struct program_call *call)
{
    struct lab_run *run = program->run;
    memset(call, 0, sizeof *call);
    call->arguments = arguments_of(program);
    call->readable = readable_of(program, call->folder);
    call->input = json_string_value(json_object_get(run->program, "stdin"));
    call->limit_s = limit_of(program);
    return (call->arguments != NULL && call->readable != NULL) ||
           lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
}

void program_call_release(struct program_call *call)
{
    free((void *)call->arguments);
    free((void *)call->readable);
}
