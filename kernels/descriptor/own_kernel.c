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
    {.name = "name",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 1,
     .maximum = LAB_OWN_NAME_MAX,
     .text = "By which expressions name it: a name as C has it."},
    {.name = "kind",
     .type = LAB_TYPE_CHOICE,
     .required = true,
     .choices = kinds,
     .text =
         "A buffer, a scalar, a structure by value, a __constant__ or __device__ variable, which is no parameter, a texture "
         "(cudaTextureObject_t), a surface (cudaSurfaceObject_t), or a table of buffers (float **)."},
    {.name = "type",
     .type = LAB_TYPE_CHOICE,
     .choices = types,
     .text = "Of the elements or the scalar, for which it is required."},
    {.name = "fields",
     .type = LAB_TYPE_OBJECT,
     .count = LAB_LIST,
     .items_min = 1,
     .items_max = LAB_OWN_FIELDS_MAX,
     .members = field_members,
     .text = "Of a structure, in their order."},
    {.name = "align",
     .type = LAB_TYPE_INTEGER,
     .minimum = 1,
     .maximum = 16,
     .text = "Of a structure: its alignment in bytes, such as 16 of float4; by default that of its fields."},
    {.name = "count",
     .type = LAB_TYPE_EXPRESSION,
     .text = "Elements of a buffer, or of each buffer of a table, for which it is required."},
    {.name = "buffers",
     .type = LAB_TYPE_EXPRESSION,
     .text = "Buffers of a table, for which it is required; they lie one after the other."},
    {.name = "extent",
     .type = LAB_TYPE_ANY,
     .text =
         "Elements of a texture or surface in one to three dimensions, x first: sizes or expressions. Required for both."},
    {.name = "layers", .type = LAB_TYPE_EXPRESSION, .text = "Layers of a texture or surface; by default it has none."},
    {.name = "channels",
     .type = LAB_TYPE_INTEGER,
     .minimum = 1,
     .maximum = 4,
     .fallback = "1",
     .text = "Channels of an element of a texture or surface, 1, 2 or 4: those of float4 are 4 of fp32."},
    {.name = "memory",
     .type = LAB_TYPE_CHOICE,
     .choices = memories,
     .fallback = "array",
     .text = "Whether a texture is in an array (tex1D, tex2D, tex3D) or in linear memory (tex1Dfetch)."},
    {.name = "filter",
     .type = LAB_TYPE_CHOICE,
     .choices = filters,
     .fallback = "point",
     .text = "Whether reads of a texture give an element or interpolate between elements."},
    {.name = "address",
     .type = LAB_TYPE_CHOICE,
     .choices = addresses,
     .fallback = "clamp",
     .text = "What is read outside of a texture; wrap and mirror need normalized coordinates."},
    {.name = "coordinates",
     .type = LAB_TYPE_CHOICE,
     .choices = coordinates,
     .fallback = "elements",
     .text = "Whether the coordinates of a texture count elements or go from 0 to 1."},
    {.name = "read",
     .type = LAB_TYPE_CHOICE,
     .choices = readings,
     .fallback = "element",
     .text = "Whether a texture of integers of 8 or 16 bits is read as such or as floats from 0 or -1 to 1."},
    {.name = "content",
     .type = LAB_TYPE_CHOICE,
     .choices = contents,
     .fallback = "random",
     .text = "What a buffer holds before a launch."},
    {.name = "direction",
     .type = LAB_TYPE_CHOICE,
     .choices = directions,
     .fallback = "in",
     .text = "Whether the kernel reads a buffer, writes it, or both."},
    {.name = "value",
     .type = LAB_TYPE_EXPRESSION,
     .count = LAB_ONE_OR_LIST,
     .text =
         "Of a scalar, for which it is required; a list is an axis. Of the elements of a buffer or variable with the content "
         "value."},
    {.name = "values",
     .type = LAB_TYPE_NUMBER,
     .count = LAB_LIST,
     .items_min = 1,
     .items_max = LAB_ITEMS_MAX,
     .text = "Of the elements of a variable, one for each, instead of 'count' and 'content'."},
    {.name = "data",
     .type = LAB_TYPE_STRING,
     .minimum = 4,
     .maximum = LAB_SAVED_BASE64_MAX,
     .text = "With the content data: the elements, little-endian and in Base64, at most 512 KiB."},
    {.name = "expected",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 4096,
     .text = "What element i of an output must be: an expression of C++ over the arguments, such as 2 * x[i] + y[i]."},
    {.name = "expected_data",
     .type = LAB_TYPE_STRING,
     .minimum = 4,
     .maximum = LAB_SAVED_BASE64_MAX,
     .text =
         "What an output must be, instead of 'expected': its elements, little-endian and in Base64, at most 512 KiB."},
    {.name = "tolerance",
     .type = LAB_TYPE_NUMBER,
     .minimum = 0,
     .maximum = 1e300,
     .text =
         "Of an output of floats that has one of both: they may differ by this, times the larger one of 1 and what is "
         "expected."},
    {0},
};

#define SOURCE .name = "source", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 262144, .text = "CUDA C++."
#define ENTRY                                                                                                          \
    .name = "entry", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 1024,                                           \
    .text = "The kernel's name; by default the only kernel of the source."
#define GRID .name = "grid", .type = LAB_TYPE_ANY, .text = "Blocks, in one to three dimensions: sizes or expressions."
#define BLOCK .name = "block", .type = LAB_TYPE_ANY, .text = "Threads per block, in one to three dimensions."
#define SHARED .name = "shared", .type = LAB_TYPE_EXPRESSION, .text = "Bytes of dynamic shared memory of a block."

#define COOPERATIVE                                                                                                    \
    .name = "cooperative", .type = LAB_TYPE_BOOLEAN,                                                                   \
    .text = "Whether all blocks run at the same time, so that the grid can synchronise (grid.sync())."
#define CLUSTER                                                                                                        \
    .name = "cluster", .type = LAB_TYPE_ANY,                                                                           \
    .text = "Blocks of a thread block cluster, in one to three dimensions, into which the grid is divided."

static const struct lab_schema reference_members[] = {
    {SOURCE},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {CLUSTER},
    {COOPERATIVE},
    {.name = "tolerance",
     .type = LAB_TYPE_NUMBER,
     .minimum = 0,
     .maximum = 1e300,
     .text = "Floats may differ by this, times the larger one of 1 and the reference."},
    {0},
};

const struct lab_schema lab_own_kernel_members[] = {
    {.name = "edits",
     .type = LAB_TYPE_STRING,
     .minimum = 3,
     .maximum = 128,
     .text = "EXPERIMENT/STEP: the source of the experiment that was edited. Not for the experiment kernel."},
    {SOURCE, .required = true},
    {.name = "files",
     .type = LAB_TYPE_OBJECT,
     .open = true,
     .text = "Texts that the source can include, by their names: {\"tile.cuh\": TEXT}."},
    {.name = "options",
     .type = LAB_TYPE_OBJECT,
     .members = lab_kernel_option_members,
     .text = "How the source is compiled, and that of the reference."},
    {ENTRY},
    {GRID},
    {BLOCK},
    {SHARED},
    {CLUSTER},
    {COOPERATIVE},
    {.name = "arguments",
     .type = LAB_TYPE_OBJECT,
     .count = LAB_LIST,
     .items_max = LAB_OWN_ARGUMENTS_MAX,
     .members = lab_own_argument_members,
     .text = "The kernel's arguments: buffers and scalars. Scalars that are given as lists are axes."},
    {.name = "bytes", .type = LAB_TYPE_EXPRESSION, .text = "Bytes that a launch reads and writes."},
    {.name = "operations", .type = LAB_TYPE_EXPRESSION, .text = "Arithmetic operations of a launch."},
    {.name = "expressions",
     .type = LAB_TYPE_INTEGER,
     .minimum = LAB_EXPRESSIONS_REAL,
     .maximum = LAB_EXPRESSIONS_NEWEST,
     .text = "The version of the rules for expressions; by default the newest. In version 1 all arithmetic is real."},
    {.name = "reference",
     .type = LAB_TYPE_OBJECT,
     .nullable = true,
     .members = reference_members,
     .text = "A kernel with the same arguments, with whose outputs those of the kernel are compared."},
    {.name = "check",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = LAB_CHECK_SOURCE_MAX,
     .text =
         "Instead of a reference: the source of a function in C, check(), with the arguments of the kernel, that computes what its "
         "outputs must be."},
    {.name = "sanitize",
     .type = LAB_TYPE_BOOLEAN,
     .text = "Whether the worker runs under compute-sanitizer, whose report becomes the run's output."},
    {0},
};

bool lab_own_name_is_valid(const char *text)
{
    if (text == NULL || strlen(text) > LAB_OWN_NAME_MAX || isdigit((unsigned char)text[0]) || text[0] == '\0')
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    for (const struct lab_schema *p = lab_measure_parameters; p->name != NULL; p++)
        if (strcmp(p->name, text) == 0)
            return false;
    return true;
}
