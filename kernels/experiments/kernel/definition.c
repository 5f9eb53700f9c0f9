/* Reads the description of an own kernel. */
#include "reading.h"

#include "benchmark/check.h"
#include "core/base64.h"
#include "core/json_members.h"
#include "core/number.h"
#include "descriptor/own_kernel.h"
#include "descriptor/parameters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)LAB_OWN_ARGUMENTS_MAX + (int)LAB_BUFFERS_MAX <= (int)LAB_ARGUMENTS_MAX,
               "all arguments of a request can be passed, and the counts of its outputs");

/* --- axes --------------------------------------------------------------------------------------------------------- */

static bool is_whole(const struct kernel_reading *r, const json_t *value)
{
    double number;
    return json_is_integer(value) ||
           (kernel_is_number(r, value, &number) && number == floor(number) && fabs(number) <= LAB_INTEGER_MAX);
}

static bool is_list_of_integers(const struct kernel_reading *r, const json_t *value)
{
    size_t index;
    json_t *item;
    bool integers = json_array_size(value) > 0;
    json_array_foreach(value, index, item)
    {
        integers = integers && is_whole(r, item);
    }
    return integers || is_whole(r, value);
}

/* Adds a parameter of these values, of the type of `row`, and an axis. */
static bool add_parameter(struct kernel_reading *r, const struct lab_schema *row, const json_t *values)
{
    struct kernel_definition *d = r->definition;
    size_t i = r->axis_count;
    d->fallbacks[i] = json_dumps(values, JSON_COMPACT | JSON_ENCODE_ANY);
    d->parameters[i] = *row;
    d->parameters[i].title = row->name;
    d->parameters[i].count = LAB_ONE_OR_LIST;
    d->parameters[i].fallback = d->fallbacks[i];
    d->axes[i] = (struct lab_axis){.name = row->name, .title = row->name};
    r->names[r->axis_count++] = row->name;
    return d->fallbacks[i] != NULL;
}

/* Refuses an axis with the name of the parameter that runs of all own kernels have. */
static bool check_axis_name(const struct kernel_reading *r, const char *name, const char *path, const char *member)
{
    return strcmp(name, lab_kernel.parameters->name) != 0 ||
           kernel_refuse(r, path, member, LAB_ERROR_OUT_OF_BOUNDS,
                         "The parameter of the run that turns hardware counters on has this name; choose another.");
}

/* Makes a parameter and an axis of a scalar argument. */
static bool add_axis(struct kernel_reading *r, const json_t *argument, const char *path)
{
    const json_t *value = json_object_get(argument, "value");
    const struct lab_schema row = {.name = json_string_value(json_object_get(argument, "name")),
                                   .text = "A scalar argument of the kernel.",
                                   .type = LAB_TYPE_SIZE,
                                   .minimum = -LAB_INTEGER_MAX,
                                   .maximum = LAB_INTEGER_MAX};
    if (!is_list_of_integers(r, value))
        return kernel_refuse(r, path, "value", LAB_ERROR_WRONG_TYPE,
                             "Must be a whole number from -(2^53 - 1) to 2^53 - 1, or a list of such numbers.");
    if (r->axis_count == LAB_AXES_MAX)
        return kernel_refuse(r, path, "value", LAB_ERROR_OUT_OF_BOUNDS,
                             "There are too many scalars and macros with values; 12 are allowed.");
    return check_axis_name(r, row.name, path, "name") && add_parameter(r, &row, value);
}

/* --- macros ------------------------------------------------------------------------------------------------------- */

/* Sets the texts of the macro's values, which end with NULL. False when out of memory. */
static bool set_choices(struct kernel_macro *macro)
{
    size_t count = json_array_size(macro->values);
    macro->choices = calloc(count + 1, sizeof *macro->choices);
    for (size_t i = 0; macro->choices != NULL && i < count; i++)
        macro->choices[i] = json_string_value(json_array_get(macro->values, i));
    return macro->choices != NULL;
}

/* Whether a list has an empty text, or a value twice. */
static bool has_bad_value(const json_t *values)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        bool bad = json_is_string(value) && json_string_length(value) == 0;
        for (size_t k = 0; k < i; k++)
            bad = bad || json_equal(json_array_get(values, k), value);
        if (bad)
            return true;
    }
    return false;
}

static bool has_argument(const json_t *arguments, const char *name)
{
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        const char *other = json_string_value(json_object_get(argument, "name"));
        if (other != NULL && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

static bool is_known_axis(const struct kernel_reading *r, const char *name)
{
    for (size_t i = 0; i < r->axis_count; i++)
        if (strcmp(r->names[i], name) == 0)
            return true;
    return false;
}

/* Makes a parameter and an axis of a macro. */
static bool add_macro_axis(struct kernel_reading *r, struct kernel_macro *macro, const json_t *arguments,
                           const char *path)
{
    bool integers = json_is_integer(json_array_get(macro->values, 0));
    struct lab_schema row = {.name = macro->name,
                             .text = "A macro of the source, with each of whose values it is compiled.",
                             .type = integers ? LAB_TYPE_SIZE : LAB_TYPE_CHOICE};
    if (has_argument(arguments, macro->name) || is_known_axis(r, macro->name))
        return kernel_refuse(r, path, "", LAB_ERROR_DUPLICATE, "An argument or another macro has this name.");
    if (has_bad_value(macro->values))
        return kernel_refuse(r, path, "", LAB_ERROR_DUPLICATE,
                             "The values of a list must differ, and none may be empty.");
    if (r->axis_count == LAB_AXES_MAX)
        return kernel_refuse(r, path, "", LAB_ERROR_OUT_OF_BOUNDS,
                             "There are too many scalars and macros with values; 12 are allowed.");
    if (integers) {
        row.minimum = -LAB_INTEGER_MAX;
        row.maximum = LAB_INTEGER_MAX;
    } else if (!set_choices(macro)) {
        return false;
    }
    row.choices = macro->choices;
    return check_axis_name(r, macro->name, path, "") && add_parameter(r, &row, macro->values);
}

static bool read_macro(struct kernel_reading *r, const char *define, const json_t *arguments, const char *path)
{
    struct kernel_definition *d = r->definition;
    struct kernel_macro *macro = &d->macros[d->macro_count];
    if (d->macro_count < LAB_AXES_MAX && (macro->values = lab_macro_values(define, macro->name)) != NULL) {
        d->macro_count++;
        return add_macro_axis(r, macro, arguments, path);
    }
    return !lab_macro_is_list(define) ||
           kernel_refuse(
               r, path, "", LAB_ERROR_OUT_OF_BOUNDS,
               "A macro with several values is an axis; its name must have at most 32 letters, digits and '_', and not be that of "
               "a parameter such as seed.");
}

/* Makes axes of the macros that have an integer or several values. */
static bool read_macros(struct kernel_reading *r, const json_t *options, const json_t *arguments)
{
    size_t index;
    json_t *define;
    bool good = true;
    json_array_foreach(json_object_get(options, "defines"), index, define)
    {
        char path[40];
        snprintf(path, sizeof path, "/options/defines/%zu", index);
        good = read_macro(r, json_string_value(define), arguments, path) && good;
    }
    return good;
}

/* Whether no argument before the one at `index` has its name. */
static bool is_new_name(const json_t *arguments, size_t index)
{
    const json_t *name = json_object_get(json_array_get(arguments, index), "name");
    for (size_t i = 0; i < index; i++)
        if (json_equal(json_object_get(json_array_get(arguments, i), "name"), name))
            return false;
    return true;
}

/* Checks the names and collects the axes, which all expressions may use. */
static bool read_axes(struct kernel_reading *r, const json_t *arguments)
{
    bool good = true;
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const json_t *argument = json_array_get(arguments, i);
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        if (!lab_own_name_is_valid(json_string_value(json_object_get(argument, "name"))))
            good = kernel_refuse(
                r, path, "name", LAB_ERROR_OUT_OF_BOUNDS,
                "Must be a name of at most 32 letters, digits and '_', and not that of a parameter such as seed.");
        else if (!is_new_name(arguments, i))
            good = kernel_refuse(r, path, "name", LAB_ERROR_DUPLICATE, "An argument of this name is given twice.");
        else if (kernel_is_axis(r, argument))
            good = add_axis(r, argument, path) && good;
    }
    return good;
}

/* Whether the fields of a structure have names as C has them, each another. */
static bool has_field_names(const struct kernel_argument *argument)
{
    for (size_t i = 0; i < argument->field_count; i++) {
        const char *name = argument->fields[i].name;
        if (!lab_own_field_is_valid(name))
            return false;
        for (size_t k = 0; k < i; k++)
            if (strcmp(argument->fields[k].name, name) == 0)
                return false;
    }
    return true;
}

/* Checks that an expression or a check in C, which `path` and `name` are the place of, can have all arguments of the
 * kernel. */
static bool check_inputs(const struct kernel_reading *r, const char *path, const char *name)
{
    const struct kernel_definition *d = r->definition;
    for (size_t i = 0; i < d->argument_count; i++) {
        if (d->arguments[i].kind == KERNEL_VARIABLE)
            return kernel_refuse(r, path, name, LAB_ERROR_OUT_OF_BOUNDS,
                                 "It has no variables of the source, of which the kernel has one; use a reference.");
        if (!has_field_names(&d->arguments[i]))
            return kernel_refuse(
                r, path, name, LAB_ERROR_OUT_OF_BOUNDS,
                "It has the fields of structures by their names, which must be names as C has them, each "
                "another.");
    }
    return true;
}

/* Checks that the expression of an output, if there is one, can have all arguments. */
static bool check_expected_inputs(const struct kernel_reading *r)
{
    const struct kernel_definition *d = r->definition;
    size_t i = 0;
    char path[32];
    while (i < d->argument_count && d->arguments[i].expected == NULL)
        i++;
    snprintf(path, sizeof path, "/arguments/%zu", i);
    return i == d->argument_count || check_inputs(r, path, "expected");
}

static bool read_arguments(struct kernel_reading *r, const json_t *arguments)
{
    struct kernel_definition *d = r->definition;
    size_t tables = 0;
    bool good = read_axes(r, arguments) && read_macros(r, json_object_get(d->request, "options"), arguments);
    d->argument_count = json_array_size(arguments);
    for (size_t i = 0; good && i < d->argument_count; i++) {
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        good = kernel_read_argument(r, json_array_get(arguments, i), path, &d->arguments[i]);
        d->buffer_count += kernel_has_elements(&d->arguments[i]);
        tables += d->arguments[i].kind == KERNEL_TABLE;
    }
    good = good && check_expected_inputs(r);
    if (good && d->buffer_count + tables > LAB_BUFFERS_MAX)
        return kernel_refuse(
            r, "/arguments", "", LAB_ERROR_OUT_OF_BOUNDS,
            "There are too many buffers, textures and surfaces; 8 are allowed, and a table counts as two.");
    return good;
}

/* --- the kernel and the reference --------------------------------------------------------------------------------- */

static bool has_buffer(const struct kernel_definition *d)
{
    bool found = false;
    for (size_t i = 0; i < d->argument_count; i++)
        found = found || d->arguments[i].kind == KERNEL_BUFFER;
    return found;
}

static bool read_launch(const struct kernel_reading *r, const json_t *object, const char *path,
                        struct kernel_launch *launch)
{
    snprintf(launch->grid[0].pointer, sizeof launch->grid[0].pointer, "/kernel%s/grid", path);
    bool grid = json_object_get(object, "grid") != NULL
                    ? kernel_read_sizes(r, object, path, "grid", launch->grid)
                    : has_buffer(r->definition) ||
                          kernel_refuse(r, path, "grid", LAB_ERROR_MISSING,
                                        "Must be given: there is no buffer from whose elements it would follow.");
    bool block = kernel_read_sizes(r, object, path, "block", launch->block);
    bool cluster =
        json_object_get(object, "cluster") == NULL || kernel_read_sizes(r, object, path, "cluster", launch->cluster);
    snprintf(launch->cooperative_pointer, sizeof launch->cooperative_pointer, "/kernel%s/cooperative", path);
    launch->cooperative = json_is_true(json_object_get(object, "cooperative"));
    return kernel_read_expression(r, json_object_get(object, "shared"), path, "shared", true, &launch->shared) &&
           grid && block && cluster;
}

/* Checks what a function in C cannot be given, and that it has something to compute. */
static bool check_function(const struct kernel_reading *r)
{
    const struct kernel_definition *d = r->definition;
    bool outputs = false;
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        if (kernel_is_verified(argument))
            return kernel_refuse(
                r, "/check", "", LAB_ERROR_OUT_OF_BOUNDS,
                "Must not be given with 'expected' or 'expected_data' of an argument: one of them says what is "
                "right.");
        outputs = outputs || kernel_is_output(argument);
    }
    if (!outputs)
        return kernel_refuse(r, "/check", "", LAB_ERROR_OUT_OF_BOUNDS,
                             "A check needs an argument with the direction out or inout.");
    return check_inputs(r, "/check", "");
}

/* Makes what the arguments expect the reference, where they expect anything: the kernel that computes it, or what is
 * saved. */
static bool set_expected(const struct kernel_reading *r)
{
    struct kernel_definition *d = r->definition;
    struct kernel_launch *launch = &d->launches[KERNEL_REFERENCE];
    size_t expected = 0, saved = 0;
    for (size_t i = 0; i < d->argument_count; i++) {
        expected += d->arguments[i].expected != NULL;
        saved += d->arguments[i].saved != NULL;
    }
    if (d->check != NULL) {
        d->has_reference = d->is_saved = true;
        return check_function(r);
    }
    if (expected + saved == 0)
        return true;
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        if (kernel_is_output(argument) && !kernel_is_verified(argument))
            return kernel_refuse(r, path, "expected", LAB_ERROR_MISSING,
                                 "This or 'expected_data' must be given for each output, because another one has it.");
    }
    d->has_reference = true;
    d->is_saved = expected == 0;
    launch->grid[0] = (struct kernel_expression){.given = true, .parsed = lab_expression_of(LAB_CHECK_BLOCKS)};
    launch->block[0] = (struct kernel_expression){.given = true, .parsed = lab_expression_of(LAB_CHECK_THREADS)};
    return true;
}

static bool read_reference(const struct kernel_reading *r, const json_t *reference)
{
    struct kernel_definition *d = r->definition;
    if (!set_expected(r))
        return false;
    if (!json_is_object(reference))
        return true;
    if (d->has_reference)
        return kernel_refuse(
            r, "/reference", "", LAB_ERROR_OUT_OF_BOUNDS,
            "Must not be given with 'check', or with 'expected' or 'expected_data' of an argument: one of them says what is "
            "right.");
    d->has_reference = d->is_measured = true;
    bool outputs = false;
    for (size_t i = 0; i < d->argument_count; i++)
        outputs = outputs || kernel_is_output(&d->arguments[i]);
    if (!outputs)
        return kernel_refuse(r, "/reference", "", LAB_ERROR_OUT_OF_BOUNDS,
                             "A reference needs a buffer with the direction out or inout.");
    d->tolerance = lab_number_of(reference, "tolerance");
    return read_launch(r, reference, "/reference", &d->launches[KERNEL_REFERENCE]);
}

/* Checks the members that are read here. */
static bool check_members(const struct kernel_reading *r, const json_t *kernel)
{
    static const char *const names[] = {"arguments", "bytes",       "operations",  "shared",    "options",
                                        "files",     "cooperative", "expressions", "reference", "check"};
    bool good = json_object_get(kernel, "arguments") != NULL ||
                kernel_refuse(r, "", "arguments", LAB_ERROR_MISSING, "Must be the list of the kernel's arguments.");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *value = json_object_get(kernel, names[i]);
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/kernel/%s", names[i]);
        if (value != NULL)
            good =
                lab_schema_check_value(lab_schema_find(lab_own_kernel_members, names[i]), value, pointer, r->errors) &&
                good;
    }
    return good && lab_kernel_options_check(json_object_get(kernel, "options"), "/kernel/options", r->errors) &&
           lab_source_files_check(json_object_get(kernel, "files"), "/kernel/files", r->errors);
}

static bool read_definition(struct kernel_reading *r, const json_t *kernel)
{
    struct kernel_definition *d = r->definition;
    if (!check_members(r, kernel))
        return false;
    r->version = lab_integer_of(kernel, "expressions", LAB_EXPRESSIONS_REAL);
    d->check = json_string_value(json_object_get(kernel, "check"));
    d->is_secret = json_is_true(json_object_get(kernel, "secret"));
    if (!read_arguments(r, json_object_get(kernel, "arguments")))
        return false;
    for (size_t i = 0; d->is_secret && i < d->argument_count; i++)
        if (d->arguments[i].content == KERNEL_RANDOM)
            d->arguments[i].content = KERNEL_SECRET;
    bool launch = read_launch(r, kernel, "", &d->launches[KERNEL_OWN]);
    bool bytes = kernel_read_expression(r, json_object_get(kernel, "bytes"), "", "bytes", false, &d->bytes);
    bool operations =
        kernel_read_expression(r, json_object_get(kernel, "operations"), "", "operations", false, &d->operations);
    return read_reference(r, json_object_get(kernel, "reference")) && launch && bytes && operations;
}

const struct lab_experiment *kernel_define(const json_t *kernel, struct lab_errors *errors)
{
    struct kernel_definition *d = calloc(1, sizeof *d);
    if (d == NULL) {
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "/kernel", "out of memory for the description of a kernel");
        return NULL;
    }
    struct kernel_reading reading = {.definition = d, .errors = errors};
    d->request = json_incref((json_t *)kernel);
    d->experiment = lab_kernel;
    d->experiment.parameters = d->parameters;
    d->experiment.axes = d->axes;
    if (read_definition(&reading, kernel)) {
        d->parameters[reading.axis_count] = *lab_kernel.parameters;
        return &d->experiment;
    }
    kernel_undefine(&d->experiment);
    return NULL;
}

void kernel_undefine(const struct lab_experiment *experiment)
{
    struct kernel_definition *d = (struct kernel_definition *)(uintptr_t)experiment;
    for (size_t i = 0; i < LAB_AXES_MAX; i++)
        free(d->fallbacks[i]);
    for (size_t i = 0; i < LAB_ARGUMENTS_MAX; i++) {
        free(d->arguments[i].fields);
        free(d->arguments[i].saved);
        free(d->arguments[i].data);
    }
    for (size_t i = 0; i < d->macro_count; i++) {
        json_decref(d->macros[i].values);
        free(d->macros[i].choices);
    }
    json_decref(d->request);
    free(d);
}
