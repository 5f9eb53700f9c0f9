/* Evaluates the description of an own kernel at a point: its workload. */
#include "definition.h"

#include "core/number.h"
#include "core/protocol.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where expressions are evaluated, and their errors. */
struct evaluation {
    const struct kernel_definition *definition;
    const struct lab_device_facts *device;
    const struct lab_point *point;
    struct lab_errors *errors;
    bool is_plain; /* of the kernel that computes what is expected */
};

/* A limit of a device, or `fallback` where it is not known. */
static double limit_of(int64_t limit, double fallback)
{
    return limit != LAB_UNKNOWN && limit > 0 ? (double)limit : fallback;
}

enum { TEXT_SIZE = 256 };

/* Writes what is said of an expression, and at which point: "\"n / m\" divides by 0 for n 96, m 0". */
static const char *describe(const struct evaluation *e, const struct kernel_expression *expression, const char *what,
                            char text[TEXT_SIZE])
{
    char label[128], subject[96] = "The value";
    lab_point_label(&e->definition->experiment, e->point, label, sizeof label);
    if (expression->text != NULL)
        snprintf(subject, sizeof subject, "\"%.80s\"", expression->text);
    snprintf(text, TEXT_SIZE, "%s %s%s%s", subject, what, label[0] != '\0' ? " for " : "", label);
    return text;
}

/* Adds the error of a value that is not what it must be. */
static bool refuse(const struct evaluation *e, const struct kernel_expression *expression, double value,
                   const char *must)
{
    char what[40], text[TEXT_SIZE];
    snprintf(what, sizeof what, "is %.16g", value);
    return lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, expression->pointer, "%s; %s.",
                          describe(e, expression, what, text), must);
}

/* Adds the error of a value that is not a whole number within bounds. `subject`: what must be one. */
static bool refuse_size(const struct evaluation *e, const struct kernel_expression *expression, double value,
                        const char *subject, double least, double most)
{
    char must[128];
    bool divided = expression->text != NULL && strchr(expression->text, '/') != NULL && value != floor(value);
    snprintf(must, sizeof must, "%s must be a whole number from %.16g to %.16g%s", subject, least, most,
             divided && expression->arithmetic == LAB_ARITHMETIC_REAL ? ", and / does not round (expressions: 1)" : "");
    return refuse(e, expression, value, must);
}

/* Sets *value to that of an expression. Returns false with an error added if it has none. */
static bool compute(const struct evaluation *e, const struct kernel_expression *expression, double *value)
{
    const char *problem;
    char text[TEXT_SIZE];
    return lab_expression_value(&expression->parsed, expression->arithmetic, e->point->values, value, &problem) ||
           lab_errors_add(e->errors, LAB_ERROR_BAD_EXPRESSION, expression->pointer, "%s.",
                          describe(e, expression, problem, text));
}

/* Sets *value to that of an expression, which must be a whole number from `least` to `most`. */
static bool evaluate(const struct evaluation *e, const struct kernel_expression *expression, double least, double most,
                     uint64_t *value)
{
    double found;
    *value = 0;
    if (!compute(e, expression, &found))
        return false;
    if (!(found >= least && found <= most && found == floor(found)))
        return refuse_size(e, expression, found, "it", least, most);
    *value = (uint64_t)found;
    return true;
}

/* Sets *count to the elements of a texture or surface. */
static bool evaluate_extent(const struct evaluation *e, const struct kernel_argument *argument, double most,
                            uint64_t *count)
{
    enum { LINEAR_MAX = 1 << 28 };
    const struct lab_device_facts *d = e->device;
    const int64_t *of_layers = argument->extent[1].given ? d->max_texture_2d_layered : d->max_texture_1d_layered;
    const int64_t linear[] = {LINEAR_MAX}, one[] = {d->max_texture_1d};
    size_t dimensions = 0;
    while (dimensions < 3 && argument->extent[dimensions].given)
        dimensions++;
    const int64_t *limits = argument->shape.memory == LAB_TEXTURE_LINEAR ? linear
                            : argument->layers.given                     ? of_layers
                            : dimensions == 1                            ? one
                            : dimensions == 2                            ? d->max_texture_2d
                                                                         : d->max_texture_3d;
    uint64_t size;
    *count = argument->shape.channels;
    for (size_t i = 0; i < dimensions; i++) {
        double left = floor(most / (double)*count), limit = limit_of(limits[i], UINT32_MAX);
        if (!evaluate(e, &argument->extent[i], 1, left < limit ? left : limit, &size))
            return false;
        *count *= size;
    }
    if (!argument->layers.given)
        return true;
    double left = floor(most / (double)*count), limit = limit_of(of_layers[dimensions], UINT32_MAX);
    if (!evaluate(e, &argument->layers, 1, left < limit ? left : limit, &size))
        return false;
    *count *= size;
    return true;
}

/* Sets *count to the elements of an argument, which fit into the device's memory. */
static bool evaluate_count(const struct evaluation *e, const struct kernel_argument *argument, uint64_t *count)
{
    double memory = limit_of(e->device->total_memory_bytes, (double)(UINT64_C(1) << 40));
    double most = floor(memory / kernel_type_bytes(argument->type));
    uint64_t buffers = 1;
    if (kernel_is_texture(argument))
        return evaluate_extent(e, argument, most, count);
    if (argument->kind == KERNEL_TABLE &&
        !evaluate(e, &argument->buffers, 1, floor(memory / sizeof(uint64_t)), &buffers))
        return false;
    if (!evaluate(e, &argument->count, 1, floor(most / (double)buffers), count))
        return false;
    *count *= buffers;
    return true;
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static bool evaluate_sizes(const struct evaluation *e, const struct kernel_expression sizes[3], const int64_t most[3],
                           double fallback, uint32_t values[3])
{
    for (size_t i = 0; i < 3; i++) {
        uint64_t value = 0;
        if (sizes[i].given && !evaluate(e, &sizes[i], 1, limit_of(most[i], fallback), &value))
            return false;
        values[i] = (uint32_t)value;
    }
    return true;
}

static double threads_of(const uint32_t block[3])
{
    double threads = 1;
    for (size_t i = 0; i < 3; i++)
        threads *= block[i] > 0 ? block[i] : 1;
    return threads;
}

static bool check_threads(const struct evaluation *e, const struct kernel_launch *launch, const uint32_t block[3])
{
    double threads = threads_of(block), most = limit_of(e->device->max_threads_per_block, UINT32_MAX);
    return threads <= most || lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, launch->block[0].pointer,
                                             "A block has %.16g threads; at most %.16g are possible.", threads, most);
}

/* Sets the grid that has a thread for each element of the first buffer. */
static bool set_default_grid(const struct evaluation *e, const struct kernel_launch *launch, const uint32_t block[3],
                             uint32_t grid[3])
{
    const struct kernel_argument *argument = e->definition->arguments;
    double most = limit_of(e->device->max_grid_dim[0], UINT32_MAX);
    uint64_t count;
    while (argument->kind != KERNEL_BUFFER) /* kernel_define has found one */
        argument++;
    if (!evaluate_count(e, argument, &count))
        return false;
    double blocks = ceil((double)count / threads_of(block));
    grid[0] = blocks <= most ? (uint32_t)blocks : 0;
    return grid[0] > 0 ||
           lab_errors_add(
               e->errors, LAB_ERROR_OUT_OF_BOUNDS, launch->grid[0].pointer,
               "A thread for each element of '%s', which is the default, needs %.16g blocks; at most %.16g are possible. Give "
               "'grid'.",
               argument->name, blocks, most);
}

/* Checks a cluster, which has at most 16 blocks, and divides the grid. */
static bool check_cluster(const struct evaluation *e, const struct kernel_launch *launch, const struct lab_launch *made)
{
    enum { BLOCKS_MAX = 16 };
    double blocks = threads_of(made->cluster);
    if (!launch->cluster[0].given)
        return true;
    if (e->device->cluster_launch == 0)
        return lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, launch->cluster[0].pointer,
                              "%s has no thread block clusters.", e->device->name);
    for (size_t i = 0; i < 3; i++)
        if (made->cluster[i] > 0 && (made->grid[i] > 0 ? made->grid[i] : 1) % made->cluster[i] != 0)
            return lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, launch->cluster[i].pointer,
                                  "The grid has %u blocks in %c, which clusters of %u do not divide.", made->grid[i],
                                  "xyz"[i], made -> cluster[i]);
    return blocks <= BLOCKS_MAX ||
           lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, launch->cluster[0].pointer,
                          "A cluster has %.0f blocks; at most %d are possible.", blocks, BLOCKS_MAX);
}

static bool check_cooperative(const struct evaluation *e, const struct kernel_launch *launch)
{
    return !launch->cooperative || e->device->cooperative_launch != 0 ||
           lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, launch->cooperative_pointer,
                          "%s has no cooperative launches.", e->device->name);
}

static bool add_launch(const struct evaluation *e, const struct kernel_launch *launch, struct lab_workload *workload)
{
    static const int64_t no_limits[] = {LAB_UNKNOWN, LAB_UNKNOWN, LAB_UNKNOWN};
    uint64_t shared = 0;
    lab_workload_add_step(workload, ""); /* run.c knows its name */
    struct lab_launch *made = &workload->steps[0].launch;
    if (!evaluate_sizes(e, launch->grid, e->device->max_grid_dim, UINT32_MAX, made->grid) ||
        !evaluate_sizes(e, launch->block, e->device->max_block_dim, UINT32_MAX, made->block) ||
        !check_threads(e, launch, made->block) ||
        (!launch->grid[0].given && !set_default_grid(e, launch, made->block, made->grid)) ||
        !evaluate_sizes(e, launch->cluster, no_limits, UINT32_MAX, made->cluster) || !check_cluster(e, launch, made) ||
        !check_cooperative(e, launch) ||
        (launch->shared.given &&
         !evaluate(e, &launch->shared, 0, limit_of(e->device->shared_per_block_optin_bytes, 1 << 30), &shared)))
        return false;
    made->shared_bytes = (size_t)shared;
    made->cooperative = launch->cooperative;
    return true;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/* The numbers that an argument of an integer type may have: those of the type, of 64 bits only what a double
 * represents. */
static void bounds_of(enum kernel_type type, double *least, double *most)
{
    uint32_t bits = 8 * kernel_type_bytes(type);
    bool is_signed = type <= KERNEL_I64;
    *most = bits == 64 ? LAB_INTEGER_MAX : exp2(is_signed ? bits - 1 : bits) - 1;
    *least = !is_signed ? 0 : bits == 64 ? -LAB_INTEGER_MAX : -exp2(bits - 1);
}

/* Sets *bits to those of a value of the type. */
static bool evaluate_value(const struct evaluation *e, enum kernel_type type,
                           const struct kernel_expression *expression, uint64_t *bits)
{
    double value, least, most;
    if (!compute(e, expression, &value))
        return false;
    bounds_of(type, &least, &most);
    if (!kernel_type_is_float(type) && !(value == floor(value) && value >= least && value <= most))
        return refuse_size(e, expression, value, "an argument of this type", least, most);
    *bits = kernel_bits_of(type, value);
    return true;
}

/* Whether elements that are given have the size of the argument at the point. `bytes`: theirs. */
static bool check_given(const struct evaluation *e, const struct kernel_argument *argument, const char *member,
                        size_t found, uint64_t count)
{
    uint32_t bytes = kernel_type_bytes(argument->type);
    char pointer[48], label[96];
    if (found == count * bytes)
        return true;
    snprintf(pointer, sizeof pointer, "/kernel/arguments/%zu/%s", (size_t)(argument - e->definition->arguments),
             member);
    lab_point_label(&e->definition->experiment, e->point, label, sizeof label);
    return lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                          "The given elements have %zu bytes, but '%s' has %" PRIu64 " elements of %" PRIu32
                          " bytes%s%s. Given elements have one size, which must not vary over an axis.",
                          found, argument->name, count, bytes, label[0] != '\0' ? " for " : "", label);
}

/* The argument of the launch that an argument with elements is. `pointers` is the buffer of a table's pointers. */
static struct lab_workload_argument launched(const struct evaluation *e, const struct kernel_argument *argument,
                                             size_t buffer, size_t pointers)
{
    if (kernel_is_texture(argument))
        return LAB_TEXTURE(buffer, kernel_shape_of(argument, e->point));
    return LAB_BUFFER(argument->kind == KERNEL_TABLE ? pointers : buffer);
}

/* The buffer with the pointers of a table: they follow those with elements. */
static size_t pointers_of(const struct kernel_definition *definition, const struct kernel_argument *table)
{
    size_t buffer = definition->buffer_count;
    for (const struct kernel_argument *argument = definition->arguments; argument < table; argument++)
        buffer += argument->kind == KERNEL_TABLE;
    return buffer;
}

/* Whether an output that is saved is small enough. */
static bool check_save(const struct evaluation *e, const struct kernel_argument *argument, uint64_t count)
{
    uint64_t bytes = count * kernel_type_bytes(argument->type);
    char pointer[48];
    if (!argument->save || bytes <= LAB_SAVED_OUTPUT_MAX)
        return true;
    snprintf(pointer, sizeof pointer, "/kernel/arguments/%zu/save", (size_t)(argument - e->definition->arguments));
    return lab_errors_add(e->errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                          "'%s' has %" PRIu64 " bytes; an output that is saved has at most %d.", argument->name, bytes,
                          LAB_SAVED_OUTPUT_MAX);
}

/* The kernel that computes what is expected has the elements of all arguments as plain buffers. */
static bool add_buffer(const struct evaluation *e, const struct kernel_argument *argument,
                       struct lab_workload *workload)
{
    uint64_t count, bits = 0;
    if (!evaluate_count(e, argument, &count) || !check_save(e, argument, count) ||
        (argument->saved != NULL && !check_given(e, argument, "expected_data", argument->saved_bytes, count)) ||
        (argument->data != NULL && !check_given(e, argument, "data", argument->data_bytes, count)) ||
        (argument->content == KERNEL_VALUE && !evaluate_value(e, argument->type, &argument->value, &bits)))
        return false;
    size_t buffer = lab_workload_output(workload, (size_t)count * kernel_type_bytes(argument->type));
    if (workload->step_count > 0)
        LAB_ARGUMENTS(workload, e->is_plain ? LAB_BUFFER(buffer)
                                            : launched(e, argument, buffer, pointers_of(e->definition, argument)));
    return true;
}

static bool add_scalar(const struct evaluation *e, const struct kernel_argument *argument,
                       struct lab_workload *workload)
{
    uint64_t bits = argument->literal;
    if (!argument->is_literal && !evaluate_value(e, argument->type, &argument->value, &bits))
        return false;
    LAB_ARGUMENTS(workload, LAB_VALUE((struct lab_argument){.bytes = kernel_type_bytes(argument->type), .u64 = bits}));
    return true;
}

/* Adds the buffers for the pointers of tables. */
static void add_pointers(const struct kernel_definition *definition, const struct lab_point *point,
                         struct lab_workload *workload)
{
    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        if (argument->kind == KERNEL_TABLE)
            lab_workload_output(workload, (size_t)kernel_buffers_of(argument, point) * sizeof(uint64_t));
    }
}

/* Adds what the kernel of lab_expected_source needs more: the number of elements of each output, and of each buffer of
 * a table. */
static void add_counts(const struct kernel_definition *definition, const struct lab_point *point,
                       struct lab_workload *workload)
{
    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        if (argument->expected != NULL)
            LAB_ARGUMENTS(workload, LAB_U64(kernel_count_of(argument, point)));
    }
    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        if (argument->kind == KERNEL_TABLE)
            LAB_ARGUMENTS(workload, LAB_U64(kernel_count_of(argument, point) / kernel_buffers_of(argument, point)));
    }
}

/* The bytes of a structure are written by whoever launches the kernel (job.c), who has memory for them. */
static bool add_struct(const struct evaluation *e, const struct kernel_argument *argument,
                       struct lab_workload *workload)
{
    uint64_t bits;
    for (size_t i = 0; i < argument->field_count; i++)
        if (!evaluate_value(e, argument->fields[i].type, &argument->fields[i].value, &bits))
            return false;
    LAB_ARGUMENTS(workload, LAB_VALUE((struct lab_argument){.bytes = argument->bytes}));
    return true;
}

/* A variable is in the image, and no argument of the launch. */
static bool check_variable(const struct evaluation *e, const struct kernel_argument *argument,
                           struct lab_workload *workload)
{
    uint64_t count, bits;
    (void)workload;
    return evaluate_count(e, argument, &count) && (argument->values != NULL || argument->content != KERNEL_VALUE ||
                                                   evaluate_value(e, argument->type, &argument->value, &bits));
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

/* Sets a count to the value of an expression, which may be absent. */
static bool set_count(const struct evaluation *e, const struct kernel_expression *expression, double *count)
{
    *count = 0;
    if (!expression->given)
        return true;
    return compute(e, expression, count) && (*count >= 0 || refuse(e, expression, *count, "it must be at least 0"));
}

bool kernel_describe(const struct kernel_definition *definition, const struct lab_device_facts *device,
                     const struct lab_point *point, size_t side, struct lab_workload *workload,
                     struct lab_errors *errors)
{
    const struct evaluation e = {definition, device, point, errors,
                                 side == KERNEL_REFERENCE && !definition->is_measured};
    bool is_launched = side == KERNEL_OWN || !definition->is_saved;
    *workload = (struct lab_workload){0};
    if (is_launched && !add_launch(&e, &definition->launches[side], workload))
        return false;
    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        if (!is_launched && !kernel_has_elements(argument))
            continue;
        if (!(kernel_has_elements(argument)     ? add_buffer
              : argument->kind == KERNEL_SCALAR ? add_scalar
              : argument->kind == KERNEL_STRUCT ? add_struct
                                                : check_variable)(&e, argument, workload))
            return false;
    }
    if (!e.is_plain)
        add_pointers(definition, point, workload);
    else if (is_launched)
        add_counts(definition, point, workload);
    workload->counts[LAB_COUNT_BASELINE] = definition->has_reference && definition->is_measured;
    if (!set_count(&e, &definition->bytes, &workload->counts[LAB_COUNT_BYTES]) ||
        !set_count(&e, &definition->operations, &workload->counts[LAB_COUNT_OPERATIONS]))
        return false;
    lab_workload_add_intensity(workload);
    return true;
}

/* The value of an expression that kernel_describe has accepted at the point. */
static double value_of(const struct kernel_expression *expression, const struct lab_point *point)
{
    double value;
    const char *problem;
    lab_expression_value(&expression->parsed, expression->arithmetic, point->values, &value, &problem);
    return value;
}

double kernel_scalar_of(const struct kernel_argument *argument, const struct lab_point *point)
{
    if (argument->is_literal)
        return argument->type == KERNEL_I64 ? (double)(int64_t)argument->literal : (double)argument->literal;
    return value_of(&argument->value, point);
}

uint64_t kernel_scalar_bits_of(const struct kernel_argument *argument, const struct lab_point *point)
{
    return argument->is_literal ? argument->literal : kernel_bits_of(argument->type, value_of(&argument->value, point));
}

void kernel_write_struct(const struct kernel_argument *argument, const struct lab_point *point, unsigned char *bytes)
{
    memset(bytes, 0, argument->bytes);
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct kernel_field *field = &argument->fields[i];
        uint64_t bits = kernel_bits_of(field->type, value_of(&field->value, point));
        memcpy(bytes + field->offset, &bits, kernel_type_bytes(field->type)); /* little-endian, as the devices are */
    }
}

struct lab_texture_shape kernel_shape_of(const struct kernel_argument *argument, const struct lab_point *point)
{
    struct lab_texture_shape shape = argument->shape;
    for (size_t i = 0; i < 3 && argument->extent[i].given; i++)
        shape.extent[i] = (uint32_t)value_of(&argument->extent[i], point);
    if (argument->layers.given)
        shape.layers = (uint32_t)value_of(&argument->layers, point);
    return shape;
}

uint64_t kernel_buffers_of(const struct kernel_argument *argument, const struct lab_point *point)
{
    return (uint64_t)value_of(&argument->buffers, point);
}

uint64_t kernel_count_of(const struct kernel_argument *argument, const struct lab_point *point)
{
    if (kernel_is_texture(argument)) {
        struct lab_texture_shape shape = kernel_shape_of(argument, point);
        uint64_t count = shape.channels * (uint64_t)(shape.layers > 0 ? shape.layers : 1);
        for (size_t i = 0; i < 3; i++)
            count *= shape.extent[i] > 0 ? shape.extent[i] : 1;
        return count;
    }
    uint64_t buffers = argument->kind == KERNEL_TABLE ? kernel_buffers_of(argument, point) : 1;
    return buffers * (uint64_t)value_of(&argument->count, point);
}

struct kernel_fill kernel_fill_of(const struct lab_point *point, const struct kernel_argument *argument, size_t buffer,
                                  uint64_t seed)
{
    struct kernel_fill fill = {.type = argument->type, .content = argument->content, .seed = seed + buffer};
    if (argument->content == KERNEL_VALUE)
        fill.value = kernel_bits_of(argument->type, value_of(&argument->value, point));
    return fill;
}

uint64_t kernel_initial_bits(const struct kernel_argument *argument, const struct kernel_fill *fill, uint64_t index)
{
    return argument->data != NULL ? kernel_load(argument->data, argument->type, index)
                                  : kernel_content_bits(fill, index);
}

double kernel_tolerance_of(const struct kernel_definition *definition, const struct kernel_argument *argument)
{
    static const double usual[] = {
        [KERNEL_FP16] = 1e-2, [KERNEL_BF16] = 5e-2, [KERNEL_FP32] = 1e-4, [KERNEL_FP64] = 1e-9};
    double given = definition->is_measured ? definition->tolerance : argument->tolerance;
    if (!kernel_type_is_float(argument->type))
        return 0;
    return isfinite(given) ? given : usual[argument->type];
}
