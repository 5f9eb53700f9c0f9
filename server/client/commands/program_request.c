#include "program_request.h"

#include "core/text.h"
#include "descriptor/program.h"

#define FIELD(field) .offset = offsetof(struct lab_program_options, field)

const struct lab_option lab_program_options_table[] = {
    {.name = "--command",
     .value = "NAME",
     .help = "Execute a command that the machine with the devices has, instead of files.",
     FIELD(command)},
    {.name = "--commands",
     .help = "List the commands that the machines have, or those of --node, and execute nothing.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     FIELD(lists_commands)},
    {.name = "--name",
     .value = "NAME",
     .help = "By which results of later runs are compared with these ones. Default: none, or that of the command.",
     FIELD(name)},
    {.name = "--format",
     .value = "NAME",
     .help =
         "The format in which the program prints its results, such as nvbench or google-benchmark. Results by gpulab.h need none.",
     FIELD(format)},
    {.name = "--runs",
     .value = "N",
     .help = "How often the program is executed: short for --set runs=N. Each execution is a sample of every result.",
     FIELD(runs)},
    {.name = "--stdin", .value = "FILE", .help = "What the program reads from its standard input.", FIELD(input)},
    {0},
};

static void set_unless_empty(json_t *object, const char *name, json_t *value)
{
    if (json_object_size(value) + json_array_size(value) > 0)
        json_object_set(object, name, value);
    json_decref(value);
}

json_t *lab_program_request(const struct lab_program_options *options, const struct lab_arguments *arguments,
                            struct lab_errors *errors)
{
    size_t count_before = errors->count;
    json_t *program = json_object(), *passed = json_array();
    for (size_t i = arguments->passed; i < arguments->words.count; i++)
        if (json_array_append_new(passed, json_string(arguments->words.items[i])) != 0)
            lab_errors_add(errors, LAB_ERROR_USAGE, "--", "argument %zu is not UTF-8 text", i - arguments->passed + 1);
    set_unless_empty(program, "files", lab_files_read(arguments->words.items, arguments->passed, errors));
    set_unless_empty(program, "arguments", passed);
    set_unless_empty(program, "options", lab_build_options_read(options->build, LAB_BUILD_OPTIONS));
    if (options->command != NULL)
        json_object_set_new(program, "command", json_string(options->command));
    if (options->name != NULL)
        json_object_set_new(program, "name", json_string(options->name));
    if (options->format != NULL)
        json_object_set_new(program, "format", json_string(options->format));
    if (options->input != NULL)
        json_object_set_new(program, "stdin",
                            lab_text_read(options->input, "the standard input", 0, LAB_PROGRAM_INPUT_MAX, errors));
    if (errors->count == count_before && lab_program_check(program, errors))
        return program;
    json_decref(program);
    return NULL;
}

json_t *lab_program_base(json_t *program, const struct lab_texts *files, struct lab_errors *errors)
{
    size_t count_before = errors->count;
    json_t *other = json_copy(program);
    json_object_set_new(other, "files", lab_files_read(files->items, files->count, errors));
    json_t *base = json_pack("{s:o}", "program", other);
    if (errors->count == count_before && lab_program_check(other, errors))
        return base;
    json_decref(base);
    return NULL;
}
