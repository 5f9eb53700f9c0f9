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
    return strcmp(text_of(argument, "kind"), "scalar") != 0;
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

/* The arguments by the names that expressions have for them. */
static void write_names(FILE *out, const json_t *arguments)
{
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        bool buffer = has_elements(argument);
        if (is_table(argument))
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
    fputs("#include \"experiments/kernel/expected.cuh\"\nextern \"C\" __global__ void lab_expected(", out);
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
