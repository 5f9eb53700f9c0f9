#include "program_request.h"

#include "core/text.h"
#include "descriptor/program.h"
#include "kernel_request.h"

#include <stdio.h>
#include <string.h>

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
    {.name = "--stdin", .value = "FILE", .help = "What the program reads from its standard input.", FIELD(input)},
    {0},
};

/* A value is checked by the lab, so a number stays text here. */
void lab_build_options_table(struct lab_option options[LAB_BUILD_OPTIONS + 1])
{
    for (size_t i = 0; i < LAB_BUILD_OPTIONS; i++) {
        const struct lab_schema *member = &lab_build_option_members[i];
        struct lab_option *option = &options[i];
        bool is_flag = member->type == LAB_TYPE_BOOLEAN, is_list = member->count == LAB_LIST;
        size_t value = offsetof(struct lab_program_options, build) + i * sizeof(struct lab_build_value);
        *option = (struct lab_option){
            .name = lab_build_flags[i].name,
            .value = lab_build_flags[i].value,
            .help = member->text,
            .accepts = {.type = member->type, .count = member->count, .choices = member->choices},
            .as_text = is_flag,
            .offset =
                value + (is_list ? offsetof(struct lab_build_value, texts) : offsetof(struct lab_build_value, text)),
        };
        if (member->type == LAB_TYPE_INTEGER)
            option->accepts.type = LAB_TYPE_STRING;
    }
    options[LAB_BUILD_OPTIONS] = (struct lab_option){0};
}

/* The name under which a file is sent: its path below the folder of the command, or, where a part of that cannot be part of a name, only
 * its last part. */
static const char *name_of(const char *file)
{
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    const char *slash = strrchr(file, '/');
    bool is_name = file[0] != '/' && file[0] != '.' && strstr(file, "/.") == NULL;
    return is_name || slash == NULL ? file : slash + 1;
}

static json_t *read_files(const char *const *paths, size_t count, struct lab_errors *errors)
{
    json_t *files = json_object();
    for (size_t i = 0; i < count; i++) {
        const char *file = paths[i];
        json_t *text = lab_source_read(file, errors);
        if (json_object_get(files, name_of(file)) != NULL)
            lab_errors_add(errors, LAB_ERROR_REPEATED, file, "two files are called %s", name_of(file));
        if (text != NULL)
            json_object_set_new(files, name_of(file), text);
    }
    return files;
}

/* The value of an option, a new reference; NULL: not given. */
static json_t *value_of(const struct lab_schema *member, const struct lab_build_value *value)
{
    if (member->count == LAB_LIST) {
        json_t *list = value->texts.count > 0 ? json_array() : NULL;
        for (size_t i = 0; i < value->texts.count; i++)
            json_array_append_new(list, json_string(value->texts.items[i]));
        return list;
    }
    if (value->text == NULL || member->type == LAB_TYPE_STRING || member->type == LAB_TYPE_CHOICE)
        return value->text != NULL ? json_string(value->text) : NULL;
    json_t *parsed = json_loads(value->text, JSON_DECODE_ANY, NULL);
    return parsed != NULL ? parsed : json_string(value->text);
}

static json_t *options_of(const struct lab_program_options *options)
{
    json_t *object = json_object();
    for (size_t i = 0; i < LAB_BUILD_OPTIONS; i++) {
        json_t *value = value_of(&lab_build_option_members[i], &options->build[i]);
        if (value != NULL && !json_is_false(value))
            json_object_set(object, lab_build_option_members[i].name, value);
        json_decref(value);
    }
    return object;
}

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
    set_unless_empty(program, "files", read_files(arguments->words.items, arguments->passed, errors));
    set_unless_empty(program, "arguments", passed);
    set_unless_empty(program, "options", options_of(options));
    if (options->command != NULL)
        json_object_set_new(program, "command", json_string(options->command));
    if (options->name != NULL)
        json_object_set_new(program, "name", json_string(options->name));
    if (options->format != NULL)
        json_object_set_new(program, "format", json_string(options->format));
    if (options->input != NULL)
        json_object_set_new(program, "stdin", lab_source_read(options->input, errors));
    if (errors->count == count_before && lab_program_check(program, errors))
        return program;
    json_decref(program);
    return NULL;
}

json_t *lab_program_base(json_t *program, const struct lab_texts *files, struct lab_errors *errors)
{
    size_t count_before = errors->count;
    json_t *other = json_copy(program);
    json_object_set_new(other, "files", read_files(files->items, files->count, errors));
    json_t *base = json_pack("{s:o}", "program", other);
    if (errors->count == count_before && lab_program_check(other, errors))
        return base;
    json_decref(base);
    return NULL;
}
