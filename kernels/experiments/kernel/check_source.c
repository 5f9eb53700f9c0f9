#include "check_source.h"

#include "descriptor/own_kernel.h"
#include "descriptor/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const types[] = {"float",   "float",   "float",   "double",   "int8_t",   "int16_t",
                                    "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"};

_Static_assert(sizeof types / sizeof *types == KERNEL_TYPES, "a type of C for each type of elements");

/* Elements of 16-bit floats are floats for the function, as fields of structures are. `given`: the elements with the
 * content data. */
static const char beginning[] =
    "#include \"experiments/kernel/elements.h\"\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "struct lab_elements { void *items; uint64_t count; };\n"
    "\n"
    "static char **lab_words;\n"
    "\n"
    "static uint64_t lab_number(void)\n"
    "{\n"
    "    return strtoull(*lab_words++, NULL, 16);\n"
    "}\n"
    "\n"
    "static void *lab_memory(uint64_t count, size_t bytes)\n"
    "{\n"
    "    void *memory = calloc(count, bytes);\n"
    "    if (memory == NULL) {\n"
    "        fputs(\"There is not enough memory for the arguments.\\n\", stderr);\n"
    "        exit(1);\n"
    "    }\n"
    "    return memory;\n"
    "}\n"
    "\n"
    "static bool lab_is_half(uint32_t type)\n"
    "{\n"
    "    return type == KERNEL_FP16 || type == KERNEL_BF16;\n"
    "}\n"
    "\n"
    "static struct lab_elements lab_filled(uint32_t type, const unsigned char *given)\n"
    "{\n"
    "    struct lab_elements e = {NULL, lab_number()};\n"
    "    struct kernel_fill fill = {type, (uint32_t)lab_number(), 0, 0};\n"
    "    fill.seed = lab_number();\n"
    "    fill.value = lab_number();\n"
    "    e.items = lab_memory(e.count, lab_is_half(type) ? sizeof(float) : kernel_type_bytes(type));\n"
    "    for (uint64_t i = 0; i < e.count; i++) {\n"
    "        uint64_t bits = given != NULL ? kernel_load(given, type, i) : kernel_content_bits(&fill, i);\n"
    "        struct kernel_fill one = {type, KERNEL_VALUE, 0, bits};\n"
    "        if (lab_is_half(type))\n"
    "            ((float *)e.items)[i] = (float)kernel_value_of(type, bits);\n"
    "        else\n"
    "            kernel_store(e.items, &one, i);\n"
    "    }\n"
    "    return e;\n"
    "}\n"
    "\n"
    "static void *lab_table(struct lab_elements e, uint32_t type)\n"
    "{\n"
    "    uint64_t buffers = lab_number(), bytes = e.count / buffers * (lab_is_half(type) ? 4 : kernel_type_bytes(type));\n"
    "    char **table = lab_memory(buffers, sizeof *table);\n"
    "    for (uint64_t i = 0; i < buffers; i++)\n"
    "        table[i] = (char *)e.items + i * bytes;\n"
    "    return table;\n"
    "}\n"
    "\n"
    "static void lab_write(FILE *out, struct lab_elements e, uint32_t type)\n"
    "{\n"
    "    for (uint64_t i = 0; i < e.count; i++) {\n"
    "        uint64_t bits = lab_is_half(type) ? kernel_bits_of(type, ((float *)e.items)[i]) : kernel_load(e.items, type, i);\n"
    "        fwrite(&bits, kernel_type_bytes(type), 1, out);\n"
    "    }\n"
    "}\n"
    "\n"
    "\n";

/* The names that CUDA has for vectors of a type, without their number of elements; those of 16-bit floats are vectors
 * of floats. */
static const char *const vectors[] = {"half", "__nv_bfloat16", "float", "double", "char", "short",
                                      "int",  "longlong",      "uchar", "ushort", "uint", "ulonglong"};

_Static_assert(sizeof vectors / sizeof *vectors == KERNEL_TYPES, "a vector for each type of elements");

static const char main_beginning[] =
    "int main(int argc, char **argv)\n"
    "{\n"
    "    (void)argc;\n"
    "    lab_words = argv + 1;\n";

/* Whether a structure has the fields of a vector: x, y and perhaps z and w, of one type. */
static bool is_vector(const struct kernel_argument *argument)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    bool good = argument->field_count >= 2 && argument->field_count <= 4;
    for (size_t i = 0; good && i < argument->field_count; i++)
        good = strcmp(argument->fields[i].name, names[i]) == 0 && argument->fields[i].type == argument->fields[0].type;
    return good;
}

/* Writes the type that a structure has for the function: float4, or struct NAME. */
static void write_struct_type(FILE *out, const struct kernel_argument *argument)
{
    if (is_vector(argument))
        fprintf(out, "%s%zu", vectors[argument->fields[0].type], argument->field_count);
    else
        fprintf(out, "struct %s", argument->name);
}

/* Whether an argument before this one is a vector of the same type. */
static bool is_declared(const struct kernel_definition *d, const struct kernel_argument *argument)
{
    for (const struct kernel_argument *one = d->arguments; one < argument; one++)
        if (one->kind == KERNEL_STRUCT && is_vector(one) && is_vector(argument) &&
            one->field_count == argument->field_count && one->fields[0].type == argument->fields[0].type)
            return true;
    return false;
}

/* Declares the types of the structures. */
static void write_structs(FILE *out, const struct kernel_definition *d)
{
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        if (argument->kind != KERNEL_STRUCT || is_declared(d, argument))
            continue;
        fprintf(out, "%sstruct %s {", is_vector(argument) ? "typedef " : "", argument->name);
        for (size_t k = 0; k < argument->field_count; k++)
            fprintf(out, " %s %s;", types[argument->fields[k].type], argument->fields[k].name);
        fputs(" }", out);
        if (is_vector(argument)) {
            fputc(' ', out);
            write_struct_type(out, argument);
        }
        fputs(";\n", out);
    }
}

static bool is_given(const struct kernel_argument *argument)
{
    return argument->data != NULL && argument->direction != KERNEL_OUT;
}

static void write_elements(FILE *out, size_t index, unsigned type, bool given)
{
    fprintf(out, "    struct lab_elements lab_%zu = lab_filled(%u, ", index, type);
    if (given)
        fprintf(out, "(const unsigned char *)lab_given_%zu);\n", index);
    else
        fputs("NULL);\n", out);
}

/* The given elements as arrays of 64-bit words, which are aligned for all types. */
static void write_given(FILE *out, const struct kernel_definition *d)
{
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        if (!is_given(argument))
            continue;
        fprintf(out, "static const uint64_t lab_given_%zu[] = {", i);
        for (size_t at = 0; at < argument->data_bytes; at += sizeof(uint64_t)) {
            uint64_t word = 0;
            size_t left = argument->data_bytes - at;
            memcpy(&word, argument->data + at, left < sizeof word ? left : sizeof word);
            fprintf(out, "0x%" PRIx64 ",", word);
        }
        fputs("};\n", out);
    }
}

/* Reads a scalar, or a field of a structure, into what `name` names. */
static void write_number(FILE *out, const char *name, unsigned type)
{
    if (kernel_type_is_float(type))
        fprintf(out, "    %s = (%s)kernel_value_of(%u, lab_number());\n", name, types[type], type);
    else
        fprintf(out, "    %s = (%s)lab_number();\n", name, types[type]);
}

static void write_struct(FILE *out, const struct kernel_argument *argument, size_t index)
{
    char name[LAB_OWN_NAME_MAX + 32];
    fputs("    ", out);
    write_struct_type(out, argument);
    fprintf(out, " lab_%zu;\n", index);
    for (size_t i = 0; i < argument->field_count; i++) {
        snprintf(name, sizeof name, "lab_%zu.%s", index, argument->fields[i].name);
        write_number(out, name, argument->fields[i].type);
    }
}

static void write_arguments(FILE *out, const struct kernel_definition *d)
{
    char name[32];
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        unsigned type = argument->type;
        if (kernel_has_elements(argument)) {
            write_elements(out, i, type, is_given(argument));
        } else if (argument->kind == KERNEL_STRUCT) {
            write_struct(out, argument, i);
        } else {
            snprintf(name, sizeof name, "%s lab_%zu", types[type], i);
            write_number(out, name, type);
        }
        if (argument->kind == KERNEL_TABLE)
            fprintf(out, "    void *lab_table_%zu = lab_table(lab_%zu, %u);\n", i, i, type);
    }
}

static void write_call(FILE *out, const struct kernel_definition *d)
{
    fputs("    check(", out);
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        bool table = argument->kind == KERNEL_TABLE;
        fprintf(out, "%slab_%s%zu%s", i > 0 ? ", " : "", table ? "table_" : "", i,
                kernel_has_elements(argument) && !table ? ".items" : "");
    }
    fputs(");\n", out);
}

static char *main_text(const struct kernel_definition *d)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fputs(beginning, out);
    write_structs(out, d);
    fprintf(out, "#line 1 \"check.c\"\n%s\n#line 1 \"arguments of the check\"\n", d->check);
    write_given(out, d);
    fputs(main_beginning, out);
    write_arguments(out, d);
    write_call(out, d);
    fputs("    FILE *out = fopen(\"" KERNEL_CHECK_OUTPUT
          "\", \"wb\");\n"
          "    if (out == NULL)\n"
          "        return 1;\n",
          out);
    for (size_t i = 0; i < d->argument_count; i++)
        if (kernel_is_output(&d->arguments[i]))
            fprintf(out, "    lab_write(out, lab_%zu, %u);\n", i, (unsigned)d->arguments[i].type);
    fputs("    return fclose(out) != 0;\n}\n", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Adds a header of this program that main() includes. */
static void add_header(json_t *files, const char *path)
{
    for (const struct lab_shown_file *file = lab_shown_files; file->path != NULL; file++)
        if (strncmp(file->path, "kernels/", 8) == 0 && strcmp(file->path + 8, path) == 0)
            json_object_set_new(files, path, json_string(file->text));
}

json_t *kernel_check_files(const struct kernel_definition *definition)
{
    char *text = main_text(definition);
    json_t *files = text != NULL ? json_pack("{s:s}", "check.c", text) : NULL;
    free(text);
    if (files == NULL)
        return NULL;
    add_header(files, "experiments/kernel/elements.h");
    add_header(files, "runtime/pattern.h");
    return files;
}
