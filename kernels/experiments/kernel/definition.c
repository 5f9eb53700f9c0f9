/* Reads the description of an own kernel. */
#include "definition.h"

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

/* The definition while it is read. */
struct reading {
    struct kernel_definition *definition;
    struct lab_errors *errors;
    const char *names[LAB_AXES_MAX + 1]; /* of the axes */
    size_t axis_count;
    json_int_t version; /* of the rules for expressions */
};

/* --- members ------------------------------------------------------------------------------------------------------ */

/* Adds an error of a member; its pointer is "/kernel" + `path` + "/" + `name`. */
static bool refuse(const struct reading *r, const char *path, const char *name, enum lab_error_code code,
                   const char *detail)
{
    char pointer[LAB_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/kernel%s%s%s", path, name[0] != '\0' ? "/" : "", name);
    return lab_errors_add(r->errors, code, pointer, "%s", detail);
}

/* Reads an expression: a number, or a text. Absent: not given. `whole`: its value must be a whole number. */
static bool read_expression(const struct reading *r, const json_t *value, const char *path, const char *name,
                            bool whole, struct kernel_expression *expression)
{
    struct lab_error error;
    snprintf(expression->pointer, sizeof expression->pointer, "/kernel%s/%s", path, name);
    if (value == NULL)
        return true;
    expression->given = true;
    expression->arithmetic = whole && r->version > LAB_EXPRESSIONS_REAL ? LAB_ARITHMETIC_INTEGER : LAB_ARITHMETIC_REAL;
    if (json_is_number(value)) {
        expression->parsed = lab_expression_of(json_number_value(value));
        return true;
    }
    if (!json_is_string(value)) /* a list, or one of several sizes */
        return refuse(r, path, name, LAB_ERROR_WRONG_TYPE, "Must be a number or an expression.");
    expression->text = json_string_value(value);
    return lab_expression_parse(&expression->parsed, expression->text, r->names, &error) ||
           refuse(r, path, name, LAB_ERROR_BAD_EXPRESSION, error.detail);
}

/* Reads one to three sizes, given as a list or as one. */
static bool read_sizes(const struct reading *r, const json_t *object, const char *path, const char *name,
                       struct kernel_expression sizes[3])
{
    const json_t *value = json_object_get(object, name);
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    if (value == NULL || count < 1 || count > 3)
        return refuse(r, path, name, value == NULL ? LAB_ERROR_MISSING : LAB_ERROR_OUT_OF_BOUNDS,
                      "Must be a size, or a list of one to three: numbers or expressions of the axes.");
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        char item[16];
        snprintf(item, sizeof item, json_is_array(value) ? "%s/%zu" : "%s", name, i);
        good =
            read_expression(r, json_is_array(value) ? json_array_get(value, i) : value, path, item, true, &sizes[i]) &&
            good;
    }
    return good;
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Whether a value is a number: an integer or, since version 2, also a real number or the text of a number. */
static bool is_number(const struct reading *r, const json_t *value, double *number)
{
    *number = json_number_value(value);
    return json_is_integer(value) ||
           (r->version > LAB_EXPRESSIONS_REAL &&
            (json_is_real(value) || (json_is_string(value) && lab_size_parse(json_string_value(value), number))));
}

static bool is_whole(const struct reading *r, const json_t *value)
{
    double number;
    return json_is_integer(value) ||
           (is_number(r, value, &number) && number == floor(number) && fabs(number) <= LAB_INTEGER_MAX);
}

/* Reads an integer that no expression represents, because it has more than 53 bits: a JSON integer, or digits. */
static bool is_literal(const json_t *argument, uint64_t *bits)
{
    const json_t *value = json_object_get(argument, "value");
    const char *type = json_string_value(json_object_get(argument, "type")), *text = json_string_value(value);
    bool is_signed = type != NULL && strcmp(type, "i64") == 0;
    char *end = NULL;
    if (type == NULL || (!is_signed && strcmp(type, "u64") != 0))
        return false;
    if (json_is_integer(value)) {
        *bits = (uint64_t)json_integer_value(value);
        return fabs((double)json_integer_value(value)) > LAB_INTEGER_MAX &&
               (is_signed || json_integer_value(value) > 0);
    }
    if (text == NULL || strspn(text + (is_signed && text[0] == '-'), "0123456789") < 16)
        return false;
    errno = 0;
    *bits = is_signed ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* Whether an argument is an axis: a scalar with a list of values or with an integer, also one that is refused (1.5 of i32).
 * Floats with a text are none ("2.0"). */
static bool is_axis(const struct reading *r, const json_t *argument)
{
    double number;
    const json_t *value = json_object_get(argument, "value");
    const char *kind = json_string_value(json_object_get(argument, "kind"));
    const char *type = json_string_value(json_object_get(argument, "type"));
    uint64_t literal;
    if (kind == NULL || strcmp(kind, "scalar") != 0 || is_literal(argument, &literal))
        return false;
    bool is_integer = type != NULL && (type[0] == 'i' || type[0] == 'u');
    return json_is_array(value) || json_is_integer(value) || (is_integer && is_number(r, value, &number));
}

static bool is_list_of_integers(const struct reading *r, const json_t *value)
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
static bool add_parameter(struct reading *r, const struct lab_schema *row, const json_t *values)
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

/* Makes a parameter and an axis of a scalar argument. */
static bool add_axis(struct reading *r, const json_t *argument, const char *path)
{
    const json_t *value = json_object_get(argument, "value");
    const struct lab_schema row = {.name = json_string_value(json_object_get(argument, "name")),
                                   .text = "A scalar argument of the kernel.",
                                   .type = LAB_TYPE_SIZE,
                                   .minimum = -LAB_INTEGER_MAX,
                                   .maximum = LAB_INTEGER_MAX};
    if (!is_list_of_integers(r, value))
        return refuse(r, path, "value", LAB_ERROR_WRONG_TYPE,
                      "Must be a whole number from -(2^53 - 1) to 2^53 - 1, or a list of such numbers.");
    if (r->axis_count == LAB_AXES_MAX)
        return refuse(r, path, "value", LAB_ERROR_OUT_OF_BOUNDS,
                      "There are too many scalars and macros with values; 12 are allowed.");
    return add_parameter(r, &row, value);
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

static bool is_known_axis(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->axis_count; i++)
        if (strcmp(r->names[i], name) == 0)
            return true;
    return false;
}

/* Makes a parameter and an axis of a macro. */
static bool add_macro_axis(struct reading *r, struct kernel_macro *macro, const json_t *arguments, const char *path)
{
    bool integers = json_is_integer(json_array_get(macro->values, 0));
    struct lab_schema row = {.name = macro->name,
                             .text = "A macro of the source, with each of whose values it is compiled.",
                             .type = integers ? LAB_TYPE_SIZE : LAB_TYPE_CHOICE};
    if (has_argument(arguments, macro->name) || is_known_axis(r, macro->name))
        return refuse(r, path, "", LAB_ERROR_DUPLICATE, "An argument or another macro has this name.");
    if (has_bad_value(macro->values))
        return refuse(r, path, "", LAB_ERROR_DUPLICATE, "The values of a list must differ, and none may be empty.");
    if (r->axis_count == LAB_AXES_MAX)
        return refuse(r, path, "", LAB_ERROR_OUT_OF_BOUNDS,
                      "There are too many scalars and macros with values; 12 are allowed.");
    if (integers) {
        row.minimum = -LAB_INTEGER_MAX;
        row.maximum = LAB_INTEGER_MAX;
    } else if (!set_choices(macro)) {
        return false;
    }
    row.choices = macro->choices;
    return add_parameter(r, &row, macro->values);
}

static bool read_macro(struct reading *r, const char *define, const json_t *arguments, const char *path)
{
    struct kernel_definition *d = r->definition;
    struct kernel_macro *macro = &d->macros[d->macro_count];
    if (d->macro_count < LAB_AXES_MAX && (macro->values = lab_macro_values(define, macro->name)) != NULL) {
        d->macro_count++;
        return add_macro_axis(r, macro, arguments, path);
    }
    return !lab_macro_is_list(define) ||
           refuse(
               r, path, "", LAB_ERROR_OUT_OF_BOUNDS,
               "A macro with several values is an axis; its name must have at most 32 letters, digits and '_', and not be that of "
               "a parameter such as seed.");
}

/* Makes axes of the macros that have an integer or several values. */
static bool read_macros(struct reading *r, const json_t *options, const json_t *arguments)
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

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static size_t choice_of(const json_t *object, const char *name)
{
    return lab_schema_choice(lab_own_argument_members, object, name);
}

static bool is_output(const struct kernel_argument *argument)
{
    return argument->kind == KERNEL_BUFFER && argument->direction != KERNEL_IN;
}

static bool is_verified(const struct kernel_argument *argument)
{
    return argument->expected != NULL || argument->saved != NULL;
}

/* Reads the saved elements of an output, whose number workload.c checks. */
static bool read_saved(const struct reading *r, const json_t *text, const char *path, struct kernel_argument *argument)
{
    if (argument->direction == KERNEL_IN)
        return refuse(r, path, "expected_data", LAB_ERROR_OUT_OF_BOUNDS, "Only a buffer that is out or inout has it.");
    if (argument->expected != NULL)
        return refuse(r, path, "expected_data", LAB_ERROR_OUT_OF_BOUNDS, "Must not be given with 'expected'.");
    return lab_base64_decode(json_string_value(text), json_string_length(text), &argument->saved,
                             &argument->saved_bytes) ||
           refuse(r, path, "expected_data", LAB_ERROR_OUT_OF_BOUNDS, "Must be Base64 with its padding (RFC 4648).");
}

/* Reads what the elements of a buffer are expected to be. */
static bool read_expected(const struct reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    const json_t *saved = json_object_get(object, "expected_data");
    argument->expected = json_string_value(json_object_get(object, "expected"));
    argument->tolerance = lab_number_of(object, "tolerance");
    if (argument->expected != NULL && argument->direction == KERNEL_IN)
        return refuse(r, path, "expected", LAB_ERROR_OUT_OF_BOUNDS, "Only a buffer that is out or inout has it.");
    if (saved != NULL && !read_saved(r, saved, path, argument))
        return false;
    if (isfinite(argument->tolerance) && !(is_verified(argument) && kernel_type_is_float(argument->type)))
        return refuse(r, path, "tolerance", LAB_ERROR_OUT_OF_BOUNDS,
                      "Only floats with 'expected' or 'expected_data' have it.");
    return true;
}

static bool read_buffer(const struct reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    const json_t *value = json_object_get(object, "value");
    bool whole = !kernel_type_is_float(argument->type);
    bool good = read_expression(r, json_object_get(object, "count"), path, "count", true, &argument->count);
    good = read_expression(r, value, path, "value", whole, &argument->value) && good;
    argument->content = (enum kernel_content)choice_of(object, "content");
    argument->direction = (enum kernel_direction)choice_of(object, "direction");
    if (!argument->count.given)
        return refuse(r, path, "count", LAB_ERROR_MISSING, "Must be the number of elements.");
    if (argument->value.given != (argument->content == KERNEL_VALUE) && good)
        return refuse(r, path, "value", LAB_ERROR_OUT_OF_BOUNDS, "Must be given if 'content' is value, and only then.");
    return read_expected(r, object, path, argument) && good;
}

/* Refuses the members of `names`, which end with NULL, that an argument has. */
static bool refuse_members(const struct reading *r, const json_t *object, const char *path, const char *const *names,
                           const char *detail)
{
    bool good = true;
    for (; *names != NULL; names++)
        if (json_object_get(object, *names) != NULL)
            good = refuse(r, path, *names, LAB_ERROR_UNKNOWN_FIELD, detail);
    return good;
}

static bool read_scalar(const struct reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    static const char *const of_buffers[] = {"count",         "content",   "direction", "expected",
                                             "expected_data", "tolerance", NULL};
    const json_t *value = json_object_get(object, "value");
    bool good = refuse_members(r, object, path, of_buffers, "Only buffers and variables have this field.");
    if (value == NULL)
        return refuse(r, path, "value", LAB_ERROR_MISSING,
                      "Must be an integer, a list of integers, a number or an expression.");
    argument->is_literal = is_literal(object, &argument->literal);
    if (argument->is_literal)
        return good;
    if (!is_axis(r, object))
        return read_expression(r, value, path, "value", !kernel_type_is_float(argument->type), &argument->value) &&
               good;
    good = read_expression(r, json_object_get(object, "name"), path, "value", false, &argument->value) && good;
    argument->value.text = NULL; /* it was not given */
    return good;
}

/* Reads a field, and places it behind the others. Raises *align to its alignment. */
static bool read_field(const struct reading *r, const json_t *object, const char *path, struct kernel_field *field,
                       size_t *end, size_t *align)
{
    field->type = (enum kernel_type)lab_schema_choice(lab_schema_find(lab_own_argument_members, "fields")->members,
                                                      object, "type");
    size_t bytes = kernel_type_bytes(field->type);
    field->offset = (*end + bytes - 1) / bytes * bytes;
    *end = field->offset + bytes;
    *align = bytes > *align ? bytes : *align;
    return read_expression(r, json_object_get(object, "value"), path, "value", !kernel_type_is_float(field->type),
                           &field->value);
}

/* Reads a structure, whose fields are where C puts them. */
static bool read_struct(const struct reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    static const char *const others[] = {"type",   "count",    "content",       "direction", "value",
                                         "values", "expected", "expected_data", "tolerance", NULL};
    const json_t *fields = json_object_get(object, "fields");
    size_t end = 0, align = 1, wanted = (size_t)lab_integer_of(object, "align", 1);
    if (fields == NULL)
        return refuse(r, path, "fields", LAB_ERROR_MISSING, "Must be the list of the structure's fields.");
    bool good = refuse_members(r, object, path, others, "A structure has 'fields' instead.");
    argument->field_count = json_array_size(fields);
    argument->fields = calloc(argument->field_count, sizeof *argument->fields);
    for (size_t i = 0; i < argument->field_count && argument->fields != NULL; i++) {
        char place[64];
        snprintf(place, sizeof place, "%s/fields/%zu", path, i);
        good = read_field(r, json_array_get(fields, i), place, &argument->fields[i], &end, &align) && good;
    }
    if ((wanted & (wanted - 1)) != 0)
        good = refuse(r, path, "align", LAB_ERROR_OUT_OF_BOUNDS, "Must be 1, 2, 4, 8 or 16.");
    align = wanted > align ? wanted : align;
    argument->bytes = (end + align - 1) / align * align;
    return good && argument->fields != NULL;
}

/* Reads a variable: as a buffer, or with a value for each element. */
static bool read_variable(const struct reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    static const char *const of_contents[] = {"count", "content", "value", NULL};
    static const char *const of_buffers[] = {"expected", "expected_data", "tolerance", NULL};
    json_t *values = json_object_get(object, "values");
    bool good = refuse_members(r, object, path, of_buffers, "Only buffers have this field.");
    if (values == NULL)
        return read_buffer(r, object, path, argument) && good;
    argument->values = values;
    argument->direction = (enum kernel_direction)choice_of(object, "direction");
    argument->count =
        (struct kernel_expression){.given = true, .parsed = lab_expression_of((double)json_array_size(values))};
    return refuse_members(r, object, path, of_contents, "A variable with 'values' does not have this field.") && good;
}

static bool read_argument(const struct reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    static const char *const of_structs[] = {"fields", "align", NULL}, *const of_variables[] = {"values", NULL};
    argument->name = json_string_value(json_object_get(object, "name"));
    argument->kind = choice_of(object, "kind");
    if (argument->kind == KERNEL_STRUCT)
        return read_struct(r, object, path, argument);
    bool good = refuse_members(r, object, path, of_structs, "Only structures have this field.");
    if (argument->kind != KERNEL_VARIABLE)
        good = refuse_members(r, object, path, of_variables, "Only variables have this field.") && good;
    if (json_object_get(object, "type") == NULL)
        return refuse(r, path, "type", LAB_ERROR_MISSING, "Must be the type of the elements or of the scalar.");
    argument->type = (enum kernel_type)choice_of(object, "type");
    return (argument->kind == KERNEL_SCALAR     ? read_scalar
            : argument->kind == KERNEL_VARIABLE ? read_variable
                                                : read_buffer)(r, object, path, argument) &&
           good;
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
static bool read_axes(struct reading *r, const json_t *arguments)
{
    bool good = true;
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const json_t *argument = json_array_get(arguments, i);
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        if (!lab_own_name_is_valid(json_string_value(json_object_get(argument, "name"))))
            good = refuse(
                r, path, "name", LAB_ERROR_OUT_OF_BOUNDS,
                "Must be a name of at most 32 letters, digits and '_', and not that of a parameter such as seed.");
        else if (!is_new_name(arguments, i))
            good = refuse(r, path, "name", LAB_ERROR_DUPLICATE, "An argument of this name is given twice.");
        else if (is_axis(r, argument))
            good = add_axis(r, argument, path) && good;
    }
    return good;
}

/* Checks that an expression of an output finds all arguments that the kernel has. */
static bool check_expected_inputs(const struct reading *r)
{
    const struct kernel_definition *d = r->definition;
    const struct kernel_argument *other = NULL;
    for (size_t i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == KERNEL_STRUCT || d->arguments[i].kind == KERNEL_VARIABLE)
            other = &d->arguments[i];
    for (size_t i = 0; i < d->argument_count && other != NULL; i++) {
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        if (d->arguments[i].expected != NULL)
            return refuse(
                r, path, "expected", LAB_ERROR_OUT_OF_BOUNDS,
                "Expressions have neither structures nor variables, of which the kernel has one; use a reference.");
    }
    return true;
}

static bool read_arguments(struct reading *r, const json_t *arguments)
{
    struct kernel_definition *d = r->definition;
    size_t buffers = 0;
    bool good = read_axes(r, arguments) && read_macros(r, json_object_get(d->request, "options"), arguments);
    d->argument_count = json_array_size(arguments);
    for (size_t i = 0; good && i < d->argument_count; i++) {
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        good = read_argument(r, json_array_get(arguments, i), path, &d->arguments[i]);
        buffers += d->arguments[i].kind == KERNEL_BUFFER;
    }
    good = good && check_expected_inputs(r);
    if (good && buffers > LAB_BUFFERS_MAX)
        return refuse(r, "/arguments", "", LAB_ERROR_OUT_OF_BOUNDS, "There are too many buffers; 8 are allowed.");
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

static bool read_launch(const struct reading *r, const json_t *object, const char *path, struct kernel_launch *launch)
{
    snprintf(launch->grid[0].pointer, sizeof launch->grid[0].pointer, "/kernel%s/grid", path);
    bool grid = json_object_get(object, "grid") != NULL
                    ? read_sizes(r, object, path, "grid", launch->grid)
                    : has_buffer(r->definition) ||
                          refuse(r, path, "grid", LAB_ERROR_MISSING,
                                 "Must be given: there is no buffer from whose elements it would follow.");
    bool block = read_sizes(r, object, path, "block", launch->block);
    bool cluster =
        json_object_get(object, "cluster") == NULL || read_sizes(r, object, path, "cluster", launch->cluster);
    snprintf(launch->cooperative_pointer, sizeof launch->cooperative_pointer, "/kernel%s/cooperative", path);
    launch->cooperative = json_is_true(json_object_get(object, "cooperative"));
    return read_expression(r, json_object_get(object, "shared"), path, "shared", true, &launch->shared) && grid &&
           block && cluster;
}

/* Makes what the arguments expect the reference, where they expect anything: the kernel that computes it, or what is saved. */
static bool set_expected(const struct reading *r)
{
    struct kernel_definition *d = r->definition;
    struct kernel_launch *launch = &d->launches[KERNEL_REFERENCE];
    size_t expected = 0, saved = 0;
    for (size_t i = 0; i < d->argument_count; i++) {
        expected += d->arguments[i].expected != NULL;
        saved += d->arguments[i].saved != NULL;
    }
    if (expected + saved == 0)
        return true;
    for (size_t i = 0; i < d->argument_count; i++) {
        const struct kernel_argument *argument = &d->arguments[i];
        char path[32];
        snprintf(path, sizeof path, "/arguments/%zu", i);
        if (is_output(argument) && !is_verified(argument))
            return refuse(r, path, "expected", LAB_ERROR_MISSING,
                          "This or 'expected_data' must be given for each output, because another one has it.");
    }
    d->has_reference = true;
    d->is_saved = expected == 0;
    launch->grid[0] = (struct kernel_expression){.given = true, .parsed = lab_expression_of(LAB_CHECK_BLOCKS)};
    launch->block[0] = (struct kernel_expression){.given = true, .parsed = lab_expression_of(LAB_CHECK_THREADS)};
    return true;
}

static bool read_reference(const struct reading *r, const json_t *reference)
{
    struct kernel_definition *d = r->definition;
    if (!set_expected(r))
        return false;
    if (!json_is_object(reference))
        return true;
    if (d->has_reference)
        return refuse(r, "/reference", "", LAB_ERROR_OUT_OF_BOUNDS,
                      "Must not be given with 'expected' or 'expected_data' of an argument: one of them says what is "
                      "right.");
    d->has_reference = d->is_measured = true;
    bool outputs = false;
    for (size_t i = 0; i < d->argument_count; i++)
        outputs = outputs || is_output(&d->arguments[i]);
    if (!outputs)
        return refuse(r, "/reference", "", LAB_ERROR_OUT_OF_BOUNDS,
                      "A reference needs a buffer with the direction out or inout.");
    d->tolerance = lab_number_of(reference, "tolerance");
    return read_launch(r, reference, "/reference", &d->launches[KERNEL_REFERENCE]);
}

/* Checks the members that are read here. */
static bool check_members(const struct reading *r, const json_t *kernel)
{
    static const char *const names[] = {"arguments", "bytes",       "operations",  "shared",   "options",
                                        "files",     "cooperative", "expressions", "reference"};
    bool good = json_object_get(kernel, "arguments") != NULL ||
                refuse(r, "", "arguments", LAB_ERROR_MISSING, "Must be the list of the kernel's arguments.");
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

static bool read_definition(struct reading *r, const json_t *kernel)
{
    struct kernel_definition *d = r->definition;
    if (!check_members(r, kernel))
        return false;
    r->version = lab_integer_of(kernel, "expressions", LAB_EXPRESSIONS_REAL);
    if (!read_arguments(r, json_object_get(kernel, "arguments")))
        return false;
    bool launch = read_launch(r, kernel, "", &d->launches[KERNEL_OWN]);
    bool bytes = read_expression(r, json_object_get(kernel, "bytes"), "", "bytes", false, &d->bytes);
    bool operations =
        read_expression(r, json_object_get(kernel, "operations"), "", "operations", false, &d->operations);
    return read_reference(r, json_object_get(kernel, "reference")) && launch && bytes && operations;
}

const struct lab_experiment *kernel_define(const json_t *kernel, struct lab_errors *errors)
{
    struct kernel_definition *d = calloc(1, sizeof *d);
    if (d == NULL) {
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "/kernel", "out of memory for the description of a kernel");
        return NULL;
    }
    struct reading reading = {.definition = d, .errors = errors};
    d->request = json_incref((json_t *)kernel);
    d->experiment = lab_kernel;
    d->experiment.parameters = d->parameters;
    d->experiment.axes = d->axes;
    if (read_definition(&reading, kernel))
        return &d->experiment;
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
    }
    for (size_t i = 0; i < d->macro_count; i++) {
        json_decref(d->macros[i].values);
        free(d->macros[i].choices);
    }
    json_decref(d->request);
    free(d);
}
