/* The rows of own kernels. */
#include "descriptor/own_kernel.h"

#include "descriptor/parameters.h"

#include <ctype.h>
#include <string.h>

static const char *const kinds[] = {"buffer", "scalar", "struct", "variable", "texture", "surface", "table", NULL};
static const char *const memories[] = {"array", "linear", NULL};
static const char *const filters[] = {"point", "linear", NULL};
static const char *const addresses[] = {"clamp", "border", "wrap", "mirror", NULL};
static const char *const coordinates[] = {"elements", "normalized", NULL};
static const char *const readings[] = {"element", "normalized-float", NULL};
static const char *const types[] = {"fp16", "bf16", "fp32", "fp64", "i8",  "i16", "i32",
                                    "i64",  "u8",   "u16",  "u32",  "u64", NULL};
static const char *const contents[] = {"zero", "ramp", "random", "value", "data", NULL};
static const char *const directions[] = {"in", "out", "inout", NULL};

static const struct lab_schema field_members[] = {
    {LAB_GIVEN(STRING, "name"), .minimum = 1, .maximum = LAB_OWN_NAME_MAX},
    {LAB_GIVEN(CHOICE, "type"), .choices = types},
    {LAB_GIVEN(EXPRESSION, "value")},
    {0},
};

const struct lab_schema lab_own_argument_members[] = {
    {LAB_MEMBER(STRING, "name", "By which expressions name it: a name as C has it."), .required = true, .minimum = 1,
     .maximum = LAB_OWN_NAME_MAX},
    {LAB_MEMBER(
         CHOICE, "kind",
         "A buffer, a scalar, a structure by value, a __constant__ or __device__ variable, which is no parameter, a texture "
         "(cudaTextureObject_t), a surface (cudaSurfaceObject_t), or a table of buffers (float **)."),
     .required = true, .choices = kinds},
    {LAB_MEMBER(CHOICE, "type", "The type of the elements or of the scalar. Required for both."), .choices = types},
    {LAB_MEMBER(OBJECT, "fields", "The fields of a structure, in their order."), .count = LAB_LIST, .items_min = 1,
     .items_max = LAB_OWN_FIELDS_MAX, .members = field_members},
    {LAB_MEMBER(INTEGER, "align",
                "The alignment of a structure in bytes, such as 16 of float4; by default the largest of its fields."),
     .minimum = 1, .maximum = 16},
    {LAB_MEMBER(EXPRESSION, "count", "Elements of a buffer, or of each buffer of a table, for which it is required.")},
    {LAB_MEMBER(EXPRESSION, "buffers", "Buffers of a table, for which it is required; they lie one after the other.")},
    {LAB_MEMBER(
        ANY, "extent",
        "Elements of a texture or surface in one to three dimensions, x first: sizes or expressions. Required for both.")},
    {LAB_MEMBER(EXPRESSION, "layers", "Layers of a texture or surface; by default it has none.")},
    {LAB_MEMBER(INTEGER, "channels",
                "Channels of an element of a texture or surface, 1, 2 or 4: those of float4 are 4 of fp32."),
     .minimum = 1, .maximum = 4, .fallback = "1"},
    {LAB_MEMBER(CHOICE, "memory",
                "Whether a texture is in an array (tex1D, tex2D, tex3D) or in linear memory (tex1Dfetch)."),
     .choices = memories, .fallback = "array"},
    {LAB_MEMBER(CHOICE, "filter", "Whether reads of a texture give an element or interpolate between elements."),
     .choices = filters, .fallback = "point"},
    {LAB_MEMBER(
         CHOICE, "address",
         "What is read outside of a texture: one for all dimensions, or a list with one for each. wrap and mirror need "
         "normalized coordinates."),
     .count = LAB_ONE_OR_LIST, .items_max = 3, .choices = addresses, .fallback = "clamp"},
    {LAB_MEMBER(CHOICE, "coordinates", "Whether the coordinates of a texture count elements or go from 0 to 1."),
     .choices = coordinates, .fallback = "elements"},
    {LAB_MEMBER(CHOICE, "read",
                "Whether a texture of integers of 8 or 16 bits is read as such or as floats from 0 or -1 to 1."),
     .choices = readings, .fallback = "element"},
    {LAB_MEMBER(CHOICE, "content", "What a buffer holds before a launch."), .choices = contents, .fallback = "random"},
    {LAB_MEMBER(CHOICE, "direction", "Whether the kernel reads a buffer, writes it, or both."), .choices = directions,
     .fallback = "in"},
    {LAB_MEMBER(
         EXPRESSION, "value",
         "The value of a scalar, for which it is required; a list is an axis. With the content value, the value of all elements of "
         "a buffer or variable."),
     .count = LAB_ONE_OR_LIST},
    {LAB_MEMBER(NUMBER, "values", "The values of a variable, one for each element, instead of 'count' and 'content'."),
     .count = LAB_LIST, .items_min = 1, .items_max = LAB_ITEMS_MAX},
    {LAB_MEMBER(STRING, "data", "With the content data: the elements, little-endian and in Base64, at most 512 KiB."),
     .minimum = 4, .maximum = LAB_SAVED_BASE64_MAX},
    {LAB_MEMBER(
         STRING, "expected",
         "What element i of an output must be: an expression of C++ over the arguments, such as 2 * x[i] + y[i]."),
     .minimum = 1, .maximum = 4096},
    {LAB_MEMBER(
         STRING, "expected_data",
         "What an output must be, instead of 'expected': its elements, little-endian and in Base64, at most 512 KiB."),
     .minimum = 4, .maximum = LAB_SAVED_BASE64_MAX},
    {LAB_MEMBER(
        BOOLEAN, "save",
        "Whether an output is kept with the run, as a field, unless it is wrong: at most 512 KiB, of a run with one point.")},
    {LAB_MEMBER(
         NUMBER, "tolerance",
         "Of an output of floats that has one of both: they may differ by this, times the larger one of 1 and what is "
         "expected."),
     .minimum = 0, .maximum = 1e300},
    {0},
};

#define SOURCE LAB_MEMBER(STRING, "source", "CUDA C++."), .minimum = 1, .maximum = 262144
#define ENTRY                                                                                                          \
    .minimum = 1, .maximum = 1024,                                                                                     \
    LAB_MEMBER(STRING, "entry", "The kernel's name; by default the only kernel of the source.")
#define GRID LAB_MEMBER(ANY, "grid", "Blocks, in one to three dimensions: sizes or expressions.")
#define BLOCK LAB_MEMBER(ANY, "block", "Threads per block, in one to three dimensions.")
#define SHARED LAB_MEMBER(EXPRESSION, "shared", "Bytes of dynamic shared memory of a block.")

#define COOPERATIVE                                                                                                    \
    LAB_MEMBER(BOOLEAN, "cooperative",                                                                                 \
               "Whether all blocks run at the same time, so that the grid can synchronise (grid.sync()).")
#define CLUSTER                                                                                                        \
    LAB_MEMBER(ANY, "cluster",                                                                                         \
               "Blocks of a thread block cluster, in one to three dimensions, into which the grid is divided.")

static const struct lab_schema reference_members[] = {
    {SOURCE},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {CLUSTER},
    {COOPERATIVE},
    {LAB_MEMBER(NUMBER, "tolerance", "Floats may differ by this, times the larger one of 1 and the reference."),
     .minimum = 0, .maximum = 1e300},
    {0},
};

const struct lab_schema lab_own_kernel_members[] = {
    {LAB_MEMBER(STRING, "edits",
                "EXPERIMENT/STEP: the source of the experiment that was edited. Not for the experiment kernel."),
     .minimum = 3, .maximum = 128},
    {SOURCE, .required = true},
    {LAB_MEMBER(OBJECT, "files", "Texts that the source can include, by their names: {\"tile.cuh\": TEXT}."),
     .open = true},
    {LAB_MEMBER(OBJECT, "options", "How the source is compiled, and that of the reference."),
     .members = lab_kernel_option_members},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {CLUSTER},
    {COOPERATIVE},
    {LAB_MEMBER(OBJECT, "arguments",
                "The kernel's arguments: buffers and scalars. Scalars that are given as lists are axes."),
     .count = LAB_LIST, .items_max = LAB_OWN_ARGUMENTS_MAX, .members = lab_own_argument_members},
    {LAB_MEMBER(EXPRESSION, "bytes", "Bytes that a launch reads and writes.")},
    {LAB_MEMBER(EXPRESSION, "operations", "Arithmetic operations of a launch.")},
    {LAB_MEMBER(
         INTEGER, "expressions",
         "The version of the rules for expressions; by default the newest. In version 1 all arithmetic is real."),
     .minimum = LAB_EXPRESSIONS_REAL, .maximum = LAB_EXPRESSIONS_NEWEST},
    {LAB_MEMBER(OBJECT, "reference",
                "A kernel with the same arguments, with whose outputs those of the kernel are compared."),
     .nullable = true, .members = reference_members},
    {LAB_MEMBER(
         STRING, "check",
         "Instead of a reference: the source of a function in C, check(), with the arguments of the kernel, that computes what its "
         "outputs must be."),
     .minimum = 1, .maximum = LAB_CHECK_SOURCE_MAX},
    {LAB_MEMBER(BOOLEAN, "sanitize",
                "Whether the worker runs under compute-sanitizer, whose report becomes the run's output.")},
    {0},
};

const struct lab_schema lab_own_submission_members[] = {
    {SOURCE, .required = true},
    {LAB_MEMBER(OBJECT, "options", "How the source is compiled."), .members = lab_submission_option_members},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {CLUSTER},
    {COOPERATIVE},
    {0},
};

const char *lab_own_type_name(size_t type)
{
    return types[type];
}

bool lab_own_field_is_valid(const char *text)
{
    if (text == NULL || strlen(text) > LAB_OWN_NAME_MAX || isdigit((unsigned char)text[0]) || text[0] == '\0')
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

bool lab_own_name_is_valid(const char *text)
{
    if (!lab_own_field_is_valid(text))
        return false;
    for (const struct lab_schema *p = lab_measure_parameters; p->name != NULL; p++)
        if (strcmp(p->name, text) == 0)
            return false;
    return true;
}
