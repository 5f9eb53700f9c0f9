#include "build_request.h"

#include "core/text.h"
#include "descriptor/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes of a kernel's source. */
enum { SOURCE_MAX = 256 * 1024 };

/* --- options ------------------------------------------------------------------------------------------------------ */

/* A value is checked by the lab, so a number stays text here. */
void lab_build_options_table(struct lab_option *options, size_t count, size_t offset)
{
    for (size_t i = 0; i < count; i++) {
        const struct lab_schema *member = &lab_build_option_members[i];
        struct lab_option *option = &options[i];
        bool is_flag = member->type == LAB_TYPE_BOOLEAN, is_list = member->count == LAB_LIST;
        size_t value = offset + i * sizeof(struct lab_build_value);
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
    options[count] = (struct lab_option){0};
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

json_t *lab_build_options_read(const struct lab_build_value *values, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *value = value_of(&lab_build_option_members[i], &values[i]);
        if (value != NULL && !json_is_false(value))
            json_object_set(object, lab_build_option_members[i].name, value);
        json_decref(value);
    }
    return object;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

json_t *lab_text_read(const char *file, const char *what, size_t least, size_t most, struct lab_errors *errors)
{
    FILE *in = fopen(file, "r");
    char *text = malloc(most + 2);
    json_t *json = NULL;
    size_t length = in != NULL && text != NULL ? fread(text, 1, most + 1, in) : 0;
    if (in == NULL || ferror(in)) /* a folder can be opened */
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "cannot be read: %m");
    else if (text == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, file, "out of memory");
    else if (length < least || length > most)
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "%s must have %zu to %zu bytes", what, least, most);
    else if ((json = json_stringn(text, length)) == NULL)
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "the file is not UTF-8 text");
    if (in != NULL)
        fclose(in);
    free(text);
    return json;
}

json_t *lab_source_read(const char *file, struct lab_errors *errors)
{
    return lab_text_read(file, "a source", 1, SOURCE_MAX, errors);
}

/* The name under which a file is sent: its path below the folder of the command, or, where a part of that cannot be
 * part of a name, only its last part. */
static const char *name_of(const char *file)
{
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    const char *slash = strrchr(file, '/');
    bool is_name = file[0] != '/' && file[0] != '.' && strstr(file, "/.") == NULL;
    return is_name || slash == NULL ? file : slash + 1;
}

json_t *lab_files_read(const char *const *paths, size_t count, struct lab_errors *errors)
{
    json_t *files = json_object();
    for (size_t i = 0; i < count; i++) {
        const char *file = paths[i];
        json_t *text = lab_text_read(file, "a file", 0, LAB_SOURCE_BYTES_MAX, errors);
        if (json_object_get(files, name_of(file)) != NULL)
            lab_errors_add(errors, LAB_ERROR_REPEATED, file, "two files are called %s", name_of(file));
        if (text != NULL)
            json_object_set_new(files, name_of(file), text);
    }
    return files;
}
