/* An own kernel as a request describes it: arguments, launch and figures, as expressions of its axes. The axes are the
 * integer arguments whose values are given as numbers, and the macros with an integer or several values
 * (descriptor/macros.h).
 */
#ifndef LAB_KERNEL_DEFINITION_H
#define LAB_KERNEL_DEFINITION_H

#include "benchmark/benchmark.h"
#include "descriptor/expression.h"
#include "descriptor/macros.h"
#include "elements.h"

/* The most bytes of a structure: each field has at most 8, and may have a gap of 8 before it. */
enum { KERNEL_STRUCT_MAX = 16 * LAB_OWN_FIELDS_MAX };

/* The kernel itself and the reference. */
enum { KERNEL_OWN, KERNEL_REFERENCE, KERNEL_SIDES };

enum kernel_direction { KERNEL_IN, KERNEL_OUT, KERNEL_INOUT };

struct kernel_expression {
    bool given;
    char pointer[48]; /* into the request, for errors */
    const char *text; /* as it was given, for errors; NULL: a number */
    enum lab_arithmetic arithmetic;
    struct lab_expression parsed;
};

struct kernel_definition {
    struct lab_experiment experiment; /* what the rest of the program sees: lab_kernel with these parameters and axes */
    json_t *request;                  /* texts below are in it */
    struct lab_schema parameters[LAB_AXES_MAX + 2]; /* of the axes, then `counters` */
    struct lab_axis axes[LAB_AXES_MAX + 1];
    char *fallbacks[LAB_AXES_MAX];

    size_t macro_count; /* of those that are axes */
    struct kernel_macro {
        char name[LAB_OWN_NAME_MAX + 1];
        json_t *values;
        const char **choices; /* the texts of the values; NULL: they are integers */
    } macros[LAB_AXES_MAX];

    size_t argument_count;
    struct kernel_argument {
        const char *name;
        enum kernel_kind {
            KERNEL_BUFFER,
            KERNEL_SCALAR,
            KERNEL_STRUCT,
            KERNEL_VARIABLE,
            KERNEL_TEXTURE,
            KERNEL_SURFACE,
            KERNEL_TABLE
        } kind;
        enum kernel_type type;
        enum kernel_content content;
        enum kernel_direction direction;
        struct kernel_expression count;             /* of a buffer, a variable or each buffer of a table */
        struct kernel_expression buffers;           /* of a table */
        struct kernel_expression extent[3], layers; /* of a texture or surface */
        struct lab_texture_shape shape;             /* of a texture or surface, without its extent and layers */
        const json_t *values;                       /* of the elements of a variable, one for each; NULL: its content */
        bool is_literal;                            /* a scalar whose value no expression represents: `literal` */
        uint64_t literal;
        size_t field_count; /* of a structure */
        size_t bytes;       /* of a structure, with its gaps */
        struct kernel_field {
            const char *name;
            enum kernel_type type;
            size_t offset;
            struct kernel_expression value;
        } * fields;
        struct kernel_expression value; /* of a scalar; of the elements of a buffer with KERNEL_VALUE */
        unsigned char *data;            /* with KERNEL_DATA: the elements, little-endian */
        size_t data_bytes;
        const char *expected; /* of an output: an expression of C++ for its elements; NULL: none */
        unsigned char *saved; /* of an output: the expected elements, little-endian; NULL: not saved */
        size_t saved_bytes;
        double tolerance; /* of floats that are expected; NAN: by type */
        bool save;        /* of an output: it is kept with the run */
    } arguments[LAB_ARGUMENTS_MAX];

    size_t buffer_count; /* of those with elements; the pointers of tables are in further buffers */

    bool is_secret;     /* another process judges: random contents are secret ones */
    bool has_reference; /* a kernel whose results are right, or saved outputs */
    bool is_measured;   /* the reference is a person's, and not made of what the arguments expect */
    bool is_saved;      /* all outputs are saved, or computed by `check`: no kernel computes them */
    const char *check;  /* the C source of a function that computes the outputs; NULL: none */
    double tolerance;   /* of floats, where the reference is measured; NAN: by type */
    struct kernel_launch {
        struct kernel_expression grid[3]; /* grid[0] is not given: a thread for each element of the first buffer */
        struct kernel_expression block[3], shared;
        struct kernel_expression cluster[3]; /* cluster[0] is not given: none */
        bool cooperative;
        char cooperative_pointer[48]; /* into the request, for errors */
    } launches[KERNEL_SIDES];
    struct kernel_expression bytes, operations;
};

/* define and undefine of the experiment (experiment.h). */
const struct lab_experiment *kernel_define(const json_t *kernel, struct lab_errors *errors);
void kernel_undefine(const struct lab_experiment *experiment);

static inline const struct kernel_definition *kernel_definition_of(const struct lab_experiment *experiment)
{
    return (const struct kernel_definition *)experiment;
}

/* Whether an argument has a buffer of elements: a buffer, a table, a texture or a surface. */
static inline bool kernel_has_elements(const struct kernel_argument *argument)
{
    return argument->kind == KERNEL_BUFFER || argument->kind >= KERNEL_TEXTURE;
}

static inline bool kernel_is_texture(const struct kernel_argument *argument)
{
    return argument->kind == KERNEL_TEXTURE || argument->kind == KERNEL_SURFACE;
}

/* Whether the kernel writes to an argument with elements. */
static inline bool kernel_is_output(const struct kernel_argument *argument)
{
    return kernel_has_elements(argument) && argument->direction != KERNEL_IN;
}

/* Whether it is given what an output must be. */
static inline bool kernel_is_verified(const struct kernel_argument *argument)
{
    return argument->expected != NULL || argument->saved != NULL;
}

/* Describes the workload of a side at a point: the buffers of elements in the order of the arguments, then those with
 * the pointers of tables, the launch, and the counts. The kernel that computes what is expected gets the elements of
 * textures and tables as buffers. Every buffer is an output, because this experiment fills them itself. The reference
 * has no launch where all outputs are saved. Returns false with errors added for values that the device or a type does
 * not allow, and for saved outputs of another size. */
bool kernel_describe(const struct kernel_definition *definition, const struct lab_device_facts *device,
                     const struct lab_point *point, size_t side, struct lab_workload *workload,
                     struct lab_errors *errors);

/* What fills the buffer of an argument. `buffer` is its index. */
struct kernel_fill kernel_fill_of(const struct lab_point *point, const struct kernel_argument *argument, size_t buffer,
                                  uint64_t seed);

/* The bits of an element at the start of a launch, by what fills the argument. */
uint64_t kernel_initial_bits(const struct kernel_argument *argument, const struct kernel_fill *fill, uint64_t index);

/* Writes the structure of an argument at a point that kernel_describe has accepted: argument->bytes. */
void kernel_write_struct(const struct kernel_argument *argument, const struct lab_point *point, unsigned char *bytes);

/* At a point that kernel_describe has accepted: the elements of a variable or of all that an argument has, where each
 * channel is an element; the buffers of a table; the shape of a texture or surface. */
uint64_t kernel_count_of(const struct kernel_argument *argument, const struct lab_point *point);
uint64_t kernel_buffers_of(const struct kernel_argument *argument, const struct lab_point *point);
struct lab_texture_shape kernel_shape_of(const struct kernel_argument *argument, const struct lab_point *point);

/* The value of a scalar at a point that kernel_describe has accepted, and its bits. */
double kernel_scalar_of(const struct kernel_argument *argument, const struct lab_point *point);
uint64_t kernel_scalar_bits_of(const struct kernel_argument *argument, const struct lab_point *point);

/* The tolerance for elements of an output. */
double kernel_tolerance_of(const struct kernel_definition *definition, const struct kernel_argument *argument);

#endif
