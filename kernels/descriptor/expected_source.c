#include "descriptor/expected_source.h"

#include "descriptor/own_kernel.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of an argument's type: of own_kernel.c and of enum kernel_type. */
static size_t type_of(const json_t *argument)
{
    return lab_schema_choice(lab_own_argument_members, argument, "type");
}

static const char *text_of(const json_t *argument, const char *member)
{
    const char *text = json_string_value(json_object_get(argument, member));
    return text != NULL ? text : "";
}

/* Whether an argument has elements, which the kernel gets as a buffer, also those of textures and tables. */
static bool has_elements(const json_t *argument)
{
    const char *kind = text_of(argument, "kind");
    return strcmp(kind, "scalar") != 0 && strcmp(kind, "struct") != 0;
}

static bool is_struct(const json_t *argument)
{
    return strcmp(text_of(argument, "kind"), "struct") == 0;
}

static bool is_table(const json_t *argument)
{
    return strcmp(text_of(argument, "kind"), "table") == 0;
}

static bool is_expected(const json_t *argument)
{
    return json_is_string(json_object_get(argument, "expected"));
}

static bool expects(const json_t *arguments)
{
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        if (is_expected(argument))
            return true;
    }
    return false;
}

/* The parameters: lab_INDEX of each argument, lab_count_INDEX of each output, lab_each_INDEX of each table. */
static void write_parameters(FILE *out, const json_t *arguments)
{
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        const char *separator = index > 0 ? ", " : "";
        if (has_elements(argument))
            fprintf(out, "%svoid *lab_%zu", separator, index);
        else if (is_struct(argument))
            fprintf(out, "%slab_struct_%zu lab_%zu", separator, index, index);
        else
            fprintf(out, "%skernel_bits<%zu> lab_%zu", separator, type_of(argument), index);
    }
    json_array_foreach(arguments, index, argument)
    {
        if (is_expected(argument))
            fprintf(out, ", uint64_t lab_count_%zu", index);
    }
    json_array_foreach(arguments, index, argument)
    {
        if (is_table(argument))
            fprintf(out, ", uint64_t lab_each_%zu", index);
    }
}

static size_t field_type_of(const json_t *field)
{
    return lab_schema_choice(lab_schema_find(lab_own_argument_members, "fields")->members, field, "type");
}

/* The structures as the kernel gets them: fields of as many bits, where C puts them. */
static void write_structs(FILE *out, const json_t *arguments)
{
    size_t index, at;
    json_t *argument, *field;
    json_array_foreach(arguments, index, argument)
    {
        json_int_t align = json_integer_value(json_object_get(argument, "align"));
        if (!is_struct(argument))
            continue;
        fprintf(out, "struct lab_struct_%zu {\n", index);
        json_array_foreach(json_object_get(argument, "fields"), at, field)
        {
            fputs("    ", out);
            if (at == 0 && align > 0)
                fprintf(out, "alignas(kernel_bits<%zu>) alignas(%d) ", field_type_of(field), (int)align);
            fprintf(out, "kernel_bits<%zu> %s;\n", field_type_of(field), text_of(field, "name"));
        }
        fputs("};\n", out);
    }
}

/* A structure whose fields are the numbers with which expressions compute. */
static void write_struct_names(FILE *out, const json_t *argument, size_t index)
{
    size_t at;
    json_t *field;
    fputs("    const struct {", out);
    json_array_foreach(json_object_get(argument, "fields"), at, field)
    {
        fprintf(out, " kernel_number<%zu>::number %s;", field_type_of(field), text_of(field, "name"));
    }
    fprintf(out, " } %s = {", text_of(argument, "name"));
    json_array_foreach(json_object_get(argument, "fields"), at, field)
    {
        fprintf(out, "%skernel_elements<%zu>{&lab_%zu.%s}[0]", at > 0 ? ", " : "", field_type_of(field), index,
                text_of(field, "name"));
    }
    fputs("};\n", out);
}

/* The arguments by the names that expressions have for them. */
static void write_names(FILE *out, const json_t *arguments)
{
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        bool buffer = has_elements(argument);
        if (is_struct(argument))
            write_struct_names(out, argument, index);
        else if (is_table(argument))
            fprintf(out, "    const auto %s = kernel_table<%zu>{lab_%zu, lab_each_%zu};\n", text_of(argument, "name"),
                    type_of(argument), index, index);
        else
            fprintf(out, "    const auto %s = kernel_elements<%zu>{%slab_%zu}%s;\n", text_of(argument, "name"),
                    type_of(argument), buffer ? "" : "&", index, buffer ? "" : "[0]");
    }
}

static void write_output(FILE *out, const json_t *argument, size_t index)
{
    fprintf(out,
            "    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (int64_t)lab_count_%zu;\n"
            "         i += (int64_t)gridDim.x * blockDim.x)\n"
            "        kernel_put<%zu>(lab_%zu, i,\n"
            "#line 1 \"expected of %s\"\n"
            "%s\n"
            "        );\n",
            index, type_of(argument), index, text_of(argument, "name"), text_of(argument, "expected"));
}

json_t *lab_expected_source(const json_t *kernel)
{
    const json_t *arguments = json_object_get(kernel, "arguments");
    char *text = NULL;
    size_t size, index;
    json_t *argument, *source;
    FILE *out = expects(arguments) ? open_memstream(&text, &size) : NULL;
    if (out == NULL)
        return NULL;
    fputs("#include \"experiments/kernel/expected.cuh\"\n", out);
    write_structs(out, arguments);
    fputs("extern \"C\" __global__ void lab_expected(", out);
    write_parameters(out, arguments);
    fputs(")\n{\n", out);
    write_names(out, arguments);
    json_array_foreach(arguments, index, argument)
    {
        if (is_expected(argument))
            write_output(out, argument, index);
    }
    fputs("}\n", out);
    source = fclose(out) == 0 ? json_string(text) : NULL;
    free(text);
    return source;
}
