#include "wrong.h"

#include "descriptor/own_kernel.h"
#include "descriptor/parameters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void write_element(enum kernel_type type, uint64_t bits, char *text, size_t size)
{
    unsigned unused = 64 - 8 * kernel_type_bytes(type);
    if (kernel_type_is_float(type))
        snprintf(text, size, "%.9g", kernel_value_of(type, bits));
    else if (type <= KERNEL_I64)
        snprintf(text, size, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else
        snprintf(text, size, "%" PRIu64, bits << unused >> unused);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a name at `at` in an expression is a member of something else: "x" of "p.x" and "p->x". */
static bool is_member(const char *expression, const char *at)
{
    while (at > expression && isspace((unsigned char)at[-1]))
        at--;
    return at > expression && (at[-1] == '.' || (at[-1] == '>' && at - expression > 1 && at[-2] == '-'));
}

/* Whether an expression has a name, followed by `suffix`. A saved output, which has no expression, may depend on
 * all. */
static bool mentions(const char *expression, const char *name, const char *suffix)
{
    size_t length = strlen(name);
    if (expression == NULL)
        return true;
    for (const char *at = strstr(expression, name); at != NULL; at = strstr(at + 1, name))
        if ((at == expression || !is_of_name(at[-1])) && !is_member(expression, at) &&
            strncmp(at + length, suffix, strlen(suffix)) == 0 && !is_of_name(at[length + strlen(suffix)]))
            return true;
    return false;
}

/* Adds to the length of a text what snprintf has written of it. */
static size_t grown(size_t used, int written, size_t size)
{
    return written > 0 && used + (size_t)written < size ? used + (size_t)written : used;
}

/* Appends the fields of a structure that are in the expression: "p.alpha = 2, p.n = 3". Returns how much of the text is
 * used. */
static size_t append_fields(const struct kernel_argument *argument, const struct lab_point *point,
                            const char *expression, const char **between, char *text, size_t used, size_t size)
{
    unsigned char bytes[KERNEL_STRUCT_MAX];
    kernel_write_struct(argument, point, bytes);
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct kernel_field *field = &argument->fields[i];
        char member[LAB_OWN_NAME_MAX + 2], value[32];
        uint64_t bits = 0;
        snprintf(member, sizeof member, ".%s", field->name);
        if (!mentions(expression, argument->name, member))
            continue;
        memcpy(&bits, bytes + field->offset, kernel_type_bytes(field->type));
        write_element(field->type, bits, value, sizeof value);
        used = grown(used, snprintf(text + used, size - used, "%s%s%s = %s", *between, argument->name, member, value),
                     size);
        *between = ", ";
    }
    return used;
}

/* Appends ", where x[5] = 0.25, a = 2": the inputs in the expression, or those that a saved output may have had. */
static void append_inputs(const struct kernel_definition *d, const struct lab_point *point, uint64_t seed,
                          const struct kernel_wrong *wrong, char *text, size_t size)
{
    const char *expression = wrong->argument->expected, *between = ", where ";
    size_t used = strlen(text), buffer = 0;
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        char value[32];
        int written = 0;
        if (argument->kind == KERNEL_STRUCT) {
            used = append_fields(argument, point, expression, &between, text, used, size);
        } else if (argument->kind == KERNEL_SCALAR && mentions(expression, argument->name, "")) {
            written = snprintf(text + used, size - used, "%s%s = %.9g", between, argument->name,
                               kernel_scalar_of(argument, point));
        } else if (kernel_has_elements(argument) && argument->direction != KERNEL_OUT &&
                   wrong->index < kernel_count_of(argument, point) && mentions(expression, argument->name, "[i]")) {
            struct kernel_fill fill = kernel_fill_of(point, argument, buffer, seed);
            write_element(argument->type, kernel_initial_bits(argument, &fill, wrong->index), value, sizeof value);
            written = snprintf(text + used, size - used, "%s%s[%" PRIu64 "] %s %s", between, argument->name,
                               wrong->index, argument->direction == KERNEL_INOUT ? "was" : "=", value);
        }
        buffer += kernel_has_elements(argument);
        between = written > 0 ? ", " : between;
        used = grown(used, written, size);
        text[used] = '\0';
    }
}

/* Writes where element `index` of an argument is: "5 of y", "5 of c[3]" in a table, "1029 of image (x 5, y 1)" in a
 * texture. */
static void write_place(const struct kernel_argument *argument, const struct lab_point *point, uint64_t index,
                        char *text, size_t size)
{
    static const char *const names[] = {"x", "y", "z"};
    int used = snprintf(text, size, "%" PRIu64 " of %s", index, argument->name);
    if (argument->kind == KERNEL_TABLE) {
        uint64_t count = kernel_count_of(argument, point) / kernel_buffers_of(argument, point);
        snprintf(text, size, "%" PRIu64 " of %s[%" PRIu64 "]", index % count, argument->name, index / count);
    }
    if (!kernel_is_texture(argument))
        return;
    struct lab_texture_shape shape = kernel_shape_of(argument, point);
    uint64_t left = index / shape.channels;
    for (size_t i = 0; i < 3 && shape.extent[i] > 0; left /= shape.extent[i++])
        used += snprintf(text + used, size - (size_t)used, "%s%s %" PRIu64, i > 0 ? ", " : " (", names[i],
                         left % shape.extent[i]);
    if (shape.layers > 0)
        used += snprintf(text + used, size - (size_t)used, ", layer %" PRIu64, left);
    if (shape.channels > 1)
        used += snprintf(text + used, size - (size_t)used, ", channel %" PRIu64, index % shape.channels);
    snprintf(text + used, size - (size_t)used, ")");
}

void kernel_wrong_text(const struct kernel_definition *definition, const struct lab_point *point, uint64_t seed,
                       const struct kernel_wrong *wrong, char *text, size_t size)
{
    char label[96], place[192], found[32], expected[32];
    lab_point_label(&definition->experiment, point, label, sizeof label);
    write_element(wrong->argument->type, wrong->found, found, sizeof found);
    write_element(wrong->argument->type, wrong->expected, expected, sizeof expected);
    write_place(wrong->argument, point, wrong->index, place, sizeof place);
    snprintf(text, size, "%s%selement %s is the first that differs from %s: %s instead of %s", label,
             label[0] != '\0' ? ": " : "", place,
             definition->is_measured          ? "the reference"
             : definition->check != NULL      ? "what the check computes"
             : wrong->argument->saved != NULL ? "the saved output"
                                              : "what is expected",
             found, expected);
    if (!definition->is_measured)
        append_inputs(definition, point, seed, wrong, text, size);
}
