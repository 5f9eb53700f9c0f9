/* Evaluates the description of an own kernel at a point: its workload. */
#include "definition.h"

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
};

/* A limit of a device, or `fallback` where it is not known. */
static double limit_of(int64_t limit, double fallback)
{
    return limit != LAB_UNKNOWN && limit > 0 ? (double)limit : fallback;
}

/* Sets *value to that of an expression, which must be a whole number from `least` to `most`. */
static bool evaluate(const struct evaluation *e, const struct kernel_expression *expression, double least, double most,
                     uint64_t *value)
{
    double found = lab_expression_value(&expression->parsed, e->point->values);
    char label[128];
    *value = found >= least && found <= most ? (uint64_t)found : 0;
    if (found >= least && found <= most && found == floor(found))
        return true;
    lab_point_label(&e->definition->experiment, e->point, label, sizeof label);
    return lab_errors_add(e->errors, "out-of-bounds", expression->pointer,
                          "Is %.15g%s%s; it must be a whole number from %.15g to %.15g.", found,
                          label[0] != '\0' ? " for " : "", label, least, most);
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

static bool check_threads(const struct evaluation *e, const struct kernel_launch *launch, const uint32_t block[3])
{
    double threads = 1, most = limit_of(e->device->max_threads_per_block, UINT32_MAX);
    for (size_t i = 0; i < 3; i++)
        threads *= block[i] > 0 ? block[i] : 1;
    return threads <= most || lab_errors_add(e->errors, "out-of-bounds", launch->block[0].pointer,
                                             "A block has %.15g threads; the device allows %.15g.", threads, most);
}

static bool add_launch(const struct evaluation *e, const struct kernel_launch *launch, struct lab_workload *workload)
{
    uint64_t shared = 0;
    lab_workload_add_step(workload, launch->entry != NULL ? launch->entry : "");
    struct lab_launch *made = &workload->steps[0].launch;
    if (!evaluate_sizes(e, launch->grid, e->device->max_grid_dim, UINT32_MAX, made->grid) ||
        !evaluate_sizes(e, launch->block, e->device->max_block_dim, UINT32_MAX, made->block) ||
        !check_threads(e, launch, made->block) ||
        (launch->shared.given &&
         !evaluate(e, &launch->shared, 0, limit_of(e->device->shared_per_block_optin_bytes, 1 << 30), &shared)))
        return false;
    made->shared_bytes = (size_t)shared;
    return true;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/* The numbers that an integer type has. Those of 64 bits are limited to what a double represents. */
static void bounds_of(enum kernel_type type, double *least, double *most)
{
    double bits = fmin(8 * kernel_type_bytes(type), 53);
    bool is_signed = type <= KERNEL_I64;
    *least = is_signed ? -exp2(bits - 1) : 0;
    *most = exp2(is_signed ? bits - 1 : bits) - 1;
}

/* Sets *bits to those of a value of the type. */
static bool evaluate_value(const struct evaluation *e, const struct kernel_argument *argument, uint64_t *bits)
{
    double value = lab_expression_value(&argument->value.parsed, e->point->values), least, most;
    *bits = kernel_bits_of(argument->type, value);
    bounds_of(argument->type, &least, &most);
    if (kernel_type_is_float(argument->type) || (value == floor(value) && value >= least && value <= most))
        return true;
    return lab_errors_add(e->errors, "out-of-bounds", argument->value.pointer,
                          "Is %.15g; a whole number from %.15g to %.15g fits the type.", value, least, most);
}

static bool add_buffer(const struct evaluation *e, const struct kernel_argument *argument,
                       struct lab_workload *workload)
{
    uint64_t count, bits = 0;
    uint32_t bytes = kernel_type_bytes(argument->type);
    double most = limit_of(e->device->total_memory_bytes, (double)(UINT64_C(1) << 40)) / bytes;
    if (!evaluate(e, &argument->count, 1, floor(most), &count) ||
        (argument->content == KERNEL_VALUE && !evaluate_value(e, argument, &bits)))
        return false;
    lab_workload_add_buffer(workload, lab_workload_output(workload, (size_t)count * bytes));
    return true;
}

static bool add_scalar(const struct evaluation *e, const struct kernel_argument *argument,
                       struct lab_workload *workload)
{
    uint64_t bits;
    if (!evaluate_value(e, argument, &bits))
        return false;
    lab_workload_add(workload, (struct lab_argument){.bytes = kernel_type_bytes(argument->type), .u64 = bits});
    return true;
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

/* Sets a count to the value of an expression, which may be absent. */
static bool set_count(const struct evaluation *e, const struct kernel_expression *expression, double *count)
{
    double value = expression->given ? lab_expression_value(&expression->parsed, e->point->values) : 0;
    *count = value;
    return (isfinite(value) && value >= 0) ||
           lab_errors_add(e->errors, "out-of-bounds", expression->pointer, "Is %.15g; it must be at least 0.", value);
}

bool kernel_describe(const struct kernel_definition *definition, const struct lab_device_facts *device,
                     const struct lab_point *point, size_t side, struct lab_workload *workload,
                     struct lab_errors *errors)
{
    const struct evaluation e = {definition, device, point, errors};
    *workload = (struct lab_workload){0};
    if (!add_launch(&e, &definition->launches[side], workload))
        return false;
    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        if (!(argument->kind == KERNEL_BUFFER ? add_buffer : add_scalar)(&e, argument, workload))
            return false;
    }
    workload->counts[LAB_COUNT_BASELINE] = definition->has_reference;
    return set_count(&e, &definition->bytes, &workload->counts[LAB_COUNT_BYTES]) &&
           set_count(&e, &definition->operations, &workload->counts[LAB_COUNT_OPERATIONS]);
}

uint64_t kernel_count_of(const struct kernel_argument *argument, const struct lab_point *point)
{
    return (uint64_t)lab_expression_value(&argument->count.parsed, point->values);
}

struct kernel_fill kernel_fill_of(const struct lab_point *point, const struct kernel_argument *argument, size_t buffer,
                                  uint64_t seed)
{

    struct kernel_fill fill = {.type = argument->type, .content = argument->content, .seed = seed + buffer};
    if (argument->content == KERNEL_VALUE)
        fill.value = kernel_bits_of(argument->type, lab_expression_value(&argument->value.parsed, point->values));
    return fill;
}

double kernel_tolerance_of(const struct kernel_definition *definition, enum kernel_type type)
{
    static const double usual[] = {
        [KERNEL_FP16] = 1e-2, [KERNEL_BF16] = 5e-2, [KERNEL_FP32] = 1e-4, [KERNEL_FP64] = 1e-9};
    if (!kernel_type_is_float(type))
        return 0;
    return isfinite(definition->tolerance) ? definition->tolerance : usual[type];
}
