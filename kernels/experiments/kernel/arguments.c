/* Reads the arguments of an own kernel. */
#include "reading.h"

#include "core/base64.h"
#include "core/json_members.h"
#include "descriptor/own_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- elements ----------------------------------------------------------------------------------------------------- */

static size_t choice_of(const json_t *object, const char *name)
{
    return lab_schema_choice(lab_own_argument_members, object, name);
}

/* Reads the saved elements of an output, whose number workload.c checks. */
static bool read_saved(const struct kernel_reading *r, const json_t *text, const char *path,
                       struct kernel_argument *argument)
{
    if (argument->direction == KERNEL_IN)
        return kernel_refuse(r, path, "expected_data", LAB_ERROR_OUT_OF_BOUNDS,
                             "Only an argument that is out or inout has it.");
    if (argument->expected != NULL)
        return kernel_refuse(r, path, "expected_data", LAB_ERROR_OUT_OF_BOUNDS, "Must not be given with 'expected'.");
    return lab_base64_decode(json_string_value(text), json_string_length(text), &argument->saved,
                             &argument->saved_bytes) ||
           kernel_refuse(r, path, "expected_data", LAB_ERROR_OUT_OF_BOUNDS,
                         "Must be Base64 with its padding (RFC 4648).");
}

/* Reads what the elements of a buffer are expected to be. */
static bool read_expected(const struct kernel_reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    const json_t *saved = json_object_get(object, "expected_data");
    argument->expected = json_string_value(json_object_get(object, "expected"));
    argument->tolerance = lab_number_of(object, "tolerance");
    argument->save = json_is_true(json_object_get(object, "save"));
    if (argument->save && argument->direction == KERNEL_IN)
        return kernel_refuse(r, path, "save", LAB_ERROR_OUT_OF_BOUNDS, "Only an argument that is out or inout has it.");
    if (argument->expected != NULL && argument->direction == KERNEL_IN)
        return kernel_refuse(r, path, "expected", LAB_ERROR_OUT_OF_BOUNDS,
                             "Only an argument that is out or inout has it.");
    if (saved != NULL && !read_saved(r, saved, path, argument))
        return false;
    bool compared = kernel_is_verified(argument) || (r->definition->check != NULL && argument->direction != KERNEL_IN);
    if (isfinite(argument->tolerance) && !(compared && kernel_type_is_float(argument->type)))
        return kernel_refuse(
            r, path, "tolerance", LAB_ERROR_OUT_OF_BOUNDS,
            "Only floats with 'expected' or 'expected_data', or outputs of a kernel with 'check' have it.");
    return true;
}

/* Reads given elements, whose number workload.c checks. */
static bool read_data(const struct kernel_reading *r, const json_t *object, const char *path,
                      struct kernel_argument *argument)
{
    const json_t *text = json_object_get(object, "data");
    bool needed = argument->content == KERNEL_DATA;
    if (needed && argument->kind == KERNEL_VARIABLE)
        return kernel_refuse(r, path, "content", LAB_ERROR_OUT_OF_BOUNDS, "A variable has 'values' instead.");
    if (needed != (text != NULL))
        return kernel_refuse(r, path, "data", LAB_ERROR_OUT_OF_BOUNDS,
                             "Must be given if 'content' is data, and only then.");
    return text == NULL ||
           lab_base64_decode(json_string_value(text), json_string_length(text), &argument->data,
                             &argument->data_bytes) ||
           kernel_refuse(r, path, "data", LAB_ERROR_OUT_OF_BOUNDS, "Must be Base64 with its padding (RFC 4648).");
}

/* Reads what elements hold, whether the kernel writes them, and what they are expected to be. */
static bool read_elements(const struct kernel_reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    bool whole = !kernel_type_is_float(argument->type);
    bool good = kernel_read_expression(r, json_object_get(object, "value"), path, "value", whole, &argument->value);
    argument->content = (enum kernel_content)choice_of(object, "content");
    argument->direction = (enum kernel_direction)choice_of(object, "direction");
    if (argument->value.given != (argument->content == KERNEL_VALUE) && good)
        return kernel_refuse(r, path, "value", LAB_ERROR_OUT_OF_BOUNDS,
                             "Must be given if 'content' is value, and only then.");
    return read_data(r, object, path, argument) && read_expected(r, object, path, argument) && good;
}

/* Reads a count that must be given. */
static bool read_count(const struct kernel_reading *r, const json_t *object, const char *path, const char *name,
                       const char *detail, struct kernel_expression *count)
{
    bool good = kernel_read_expression(r, json_object_get(object, name), path, name, true, count);
    return count->given ? good : kernel_refuse(r, path, name, LAB_ERROR_MISSING, detail);
}

static bool read_buffer(const struct kernel_reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    return read_count(r, object, path, "count", "Must be the number of elements.", &argument->count) &&
           read_elements(r, object, path, argument);
}

static bool read_table(const struct kernel_reading *r, const json_t *object, const char *path,
                       struct kernel_argument *argument)
{
    return read_count(r, object, path, "buffers", "Must be the number of buffers in the table.", &argument->buffers) &&
           read_count(r, object, path, "count", "Must be the number of elements of each buffer.", &argument->count) &&
           read_elements(r, object, path, argument);
}

/* --- textures and surfaces ---------------------------------------------------------------------------------------- */

static bool is_of_integers(const struct kernel_argument *argument)
{
    return !kernel_type_is_float(argument->type);
}

/* Sets the format of a channel. */
static bool read_format(const struct kernel_reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    struct lab_texture_shape *shape = &argument->shape;
    json_int_t channels = lab_integer_of(object, "channels", 1);
    uint32_t bytes = kernel_type_bytes(argument->type);
    shape->bits = (uint8_t)(8 * bytes);
    shape->channels = (uint8_t)channels;
    shape->format = kernel_type_is_float(argument->type) ? LAB_TEXTURE_FLOAT
                    : argument->type <= KERNEL_I64       ? LAB_TEXTURE_SIGNED
                                                         : LAB_TEXTURE_UNSIGNED;
    if (bytes > 4 || argument->type == KERNEL_BF16)
        return kernel_refuse(r, path, "type", LAB_ERROR_OUT_OF_BOUNDS,
                             "Textures and surfaces have elements of fp16, fp32, i8, i16, i32, u8, u16 or u32.");
    return channels != 3 ||
           kernel_refuse(r, path, "channels", LAB_ERROR_OUT_OF_BOUNDS, "An element has 1, 2 or 4 channels.");
}

static bool read_extent(const struct kernel_reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    bool good = kernel_read_sizes(r, object, path, "extent", argument->extent) &&
                kernel_read_expression(r, json_object_get(object, "layers"), path, "layers", true, &argument->layers);
    return good && (!argument->layers.given || !argument->extent[2].given ||
                    kernel_refuse(r, path, "layers", LAB_ERROR_OUT_OF_BOUNDS,
                                  "Only an extent of one or two dimensions has layers."));
}

/* Reads what is outside of a texture: of all dimensions, or a list with that of each. */
static bool read_address(const struct kernel_reading *r, const json_t *object, const char *path,
                         struct kernel_argument *argument)
{
    const struct lab_choices choices = lab_schema_choices(lab_schema_find(lab_own_argument_members, "address"));
    const json_t *list = json_object_get(object, "address");
    size_t dimensions = 0;
    while (dimensions < 3 && argument->extent[dimensions].given)
        dimensions++;
    if (json_is_array(list) && json_array_size(list) != dimensions)
        return kernel_refuse(r, path, "address", LAB_ERROR_OUT_OF_BOUNDS,
                             "Must be one for all dimensions, or a list with one for each dimension of 'extent'.");
    for (size_t i = 0; list != NULL && i < 3; i++) {
        const json_t *item = json_is_array(list) ? json_array_get(list, i) : list;
        if (item != NULL)
            argument->shape.address[i] = (uint8_t)lab_choice_find(choices, json_string_value(item));
    }
    return true;
}

/* Whether any dimension has an address mode from `least` on. */
static bool has_address(const struct lab_texture_shape *shape, enum lab_texture_address least)
{
    return shape->address[0] >= least || shape->address[1] >= least || shape->address[2] >= least;
}

/* Refuses what CUDA would silently do otherwise, or with an error that does not say why. */
static bool check_reading(const struct kernel_reading *r, const char *path, const struct kernel_argument *argument)
{
    const struct lab_texture_shape *shape = &argument->shape;
    const char *name = NULL, *detail = NULL;
    if (shape->normalized_values && (!is_of_integers(argument) || shape->bits > 16))
        name = "read", detail = "Only integers of 8 or 16 bits are read as normalized-float.";
    else if (shape->linear_filter && is_of_integers(argument) && !shape->normalized_values)
        name = "filter", detail = "Integers are filtered only where 'read' is normalized-float.";
    else if (has_address(shape, LAB_TEXTURE_WRAP) && !shape->normalized_coordinates)
        name = "address", detail = "wrap and mirror need normalized 'coordinates'.";
    else if (shape->memory == LAB_TEXTURE_LINEAR && (argument->extent[1].given || argument->layers.given))
        name = "memory", detail = "Linear memory (tex1Dfetch) has one dimension and no layers.";
    else if (shape->memory == LAB_TEXTURE_LINEAR &&
             (shape->linear_filter || shape->normalized_coordinates || has_address(shape, LAB_TEXTURE_BORDER)))
        name = "memory",
        detail = "Linear memory (tex1Dfetch) has neither filter, address mode nor normalized coordinates.";
    return name == NULL || kernel_refuse(r, path, name, LAB_ERROR_OUT_OF_BOUNDS, detail);
}

static bool read_texture(const struct kernel_reading *r, const json_t *object, const char *path,
                         struct kernel_argument *argument)
{
    static const uint8_t memories[] = {LAB_TEXTURE_ARRAY, LAB_TEXTURE_LINEAR};
    struct lab_texture_shape *shape = &argument->shape;
    shape->memory = argument->kind == KERNEL_SURFACE ? LAB_TEXTURE_SURFACE : memories[choice_of(object, "memory")];
    shape->linear_filter = choice_of(object, "filter") == 1;
    shape->normalized_coordinates = choice_of(object, "coordinates") == 1;
    shape->normalized_values = choice_of(object, "read") == 1;
    return read_format(r, object, path, argument) && read_extent(r, object, path, argument) &&
           read_address(r, object, path, argument) && check_reading(r, path, argument) &&
           read_elements(r, object, path, argument);
}

/* --- scalars, structures and variables ---------------------------------------------------------------------------- */

static bool read_scalar(const struct kernel_reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    const json_t *value = json_object_get(object, "value");
    if (value == NULL)
        return kernel_refuse(r, path, "value", LAB_ERROR_MISSING,
                             "Must be an integer, a list of integers, a number or an expression.");
    argument->is_literal = kernel_is_literal(object, &argument->literal);
    if (argument->is_literal)
        return true;
    if (!kernel_is_axis(r, object))
        return kernel_read_expression(r, value, path, "value", is_of_integers(argument), &argument->value);
    bool good = kernel_read_expression(r, json_object_get(object, "name"), path, "value", false, &argument->value);
    argument->value.text = NULL; /* it was not given */
    return good;
}

/* Reads a field, and places it behind the others. Raises *align to its alignment. */
static bool read_field(const struct kernel_reading *r, const json_t *object, const char *path,
                       struct kernel_field *field, size_t *end, size_t *align)
{
    field->name = json_string_value(json_object_get(object, "name"));
    field->type = (enum kernel_type)lab_schema_choice(lab_schema_find(lab_own_argument_members, "fields")->members,
                                                      object, "type");
    size_t bytes = kernel_type_bytes(field->type);
    field->offset = (*end + bytes - 1) / bytes * bytes;
    *end = field->offset + bytes;
    *align = bytes > *align ? bytes : *align;
    return kernel_read_expression(r, json_object_get(object, "value"), path, "value",
                                  !kernel_type_is_float(field->type), &field->value);
}

/* Reads a structure, whose fields are where C puts them. */
static bool read_struct(const struct kernel_reading *r, const json_t *object, const char *path,
                        struct kernel_argument *argument)
{
    const json_t *fields = json_object_get(object, "fields");
    size_t end = 0, align = 1, wanted = (size_t)lab_integer_of(object, "align", 1);
    if (fields == NULL)
        return kernel_refuse(r, path, "fields", LAB_ERROR_MISSING, "Must be the list of the structure's fields.");
    bool good = true;
    argument->field_count = json_array_size(fields);
    argument->fields = calloc(argument->field_count, sizeof *argument->fields);
    for (size_t i = 0; i < argument->field_count && argument->fields != NULL; i++) {
        char place[64];
        snprintf(place, sizeof place, "%s/fields/%zu", path, i);
        good = read_field(r, json_array_get(fields, i), place, &argument->fields[i], &end, &align) && good;
    }
    if ((wanted & (wanted - 1)) != 0)
        good = kernel_refuse(r, path, "align", LAB_ERROR_OUT_OF_BOUNDS, "Must be 1, 2, 4, 8 or 16.");
    align = wanted > align ? wanted : align;
    argument->bytes = (end + align - 1) / align * align;
    return good && argument->fields != NULL;
}

/* Reads a variable: as a buffer, or with a value for each element. */
static bool read_variable(const struct kernel_reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    static const char *const of_contents[] = {"count", "content", "value", NULL};
    json_t *values = json_object_get(object, "values");
    if (values == NULL)
        return read_buffer(r, object, path, argument);
    argument->values = values;
    argument->direction = (enum kernel_direction)choice_of(object, "direction");
    argument->count =
        (struct kernel_expression){.given = true, .parsed = lab_expression_of((double)json_array_size(values))};
    return kernel_refuse_members(r, object, path, of_contents, "A variable with 'values' does not have this field.");
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

#define OF(kind) (1U << KERNEL_##kind)
#define OF_TEXTURES (OF(TEXTURE) | OF(SURFACE))
#define OF_OUTPUTS (OF(BUFFER) | OF(TABLE) | OF(SURFACE))
#define OF_CONTENTS (OF_OUTPUTS | OF(TEXTURE) | OF(VARIABLE))

/* The kinds of arguments that have a member; all others have all members that are not here. */
static const struct {
    const char *name;
    unsigned kinds;
    const char *detail;
} members[] = {
    {"type", ~OF(STRUCT), "A structure has 'fields' instead."},
    {"fields", OF(STRUCT), "Only structures have this field."},
    {"align", OF(STRUCT), "Only structures have this field."},
    {"count", OF(BUFFER) | OF(TABLE) | OF(VARIABLE), "Only buffers, tables and variables have this field."},
    {"buffers", OF(TABLE), "Only tables of buffers have this field."},
    {"extent", OF_TEXTURES, "Only textures and surfaces have this field."},
    {"layers", OF_TEXTURES, "Only textures and surfaces have this field."},
    {"channels", OF_TEXTURES, "Only textures and surfaces have this field."},
    {"memory", OF(TEXTURE), "Only textures have this field."},
    {"filter", OF(TEXTURE), "Only textures have this field."},
    {"address", OF(TEXTURE), "Only textures have this field."},
    {"coordinates", OF(TEXTURE), "Only textures have this field."},
    {"read", OF(TEXTURE), "Only textures have this field."},
    {"direction", OF_OUTPUTS | OF(VARIABLE), "Only buffers, tables, surfaces and variables have this field."},
    {"content", OF_CONTENTS, "Neither scalars nor structures have this field."},
    {"value", OF_CONTENTS | OF(SCALAR), "A structure has 'fields' instead."},
    {"values", OF(VARIABLE), "Only variables have this field."},
    {"data", OF_CONTENTS, "Only buffers, tables, textures and surfaces have this field."},
    {"expected", OF_OUTPUTS, "Only buffers, tables and surfaces have this field."},
    {"expected_data", OF_OUTPUTS, "Only buffers, tables and surfaces have this field."},
    {"save", OF_OUTPUTS, "Only buffers, tables and surfaces have this field."},
    {"tolerance", OF_OUTPUTS, "Only buffers, tables and surfaces have this field."},
};

static bool check_kind(const struct kernel_reading *r, const json_t *object, const char *path, enum kernel_kind kind)
{
    bool good = true;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if ((members[i].kinds & 1U << kind) == 0 && json_object_get(object, members[i].name) != NULL)
            good = kernel_refuse(r, path, members[i].name, LAB_ERROR_UNKNOWN_FIELD, members[i].detail);
    return good;
}

bool kernel_read_argument(const struct kernel_reading *r, const json_t *object, const char *path,
                          struct kernel_argument *argument)
{
    static bool (*const readers[])(const struct kernel_reading *, const json_t *, const char *,
                                   struct kernel_argument *) = {
        [KERNEL_BUFFER] = read_buffer,     [KERNEL_SCALAR] = read_scalar,   [KERNEL_STRUCT] = read_struct,
        [KERNEL_VARIABLE] = read_variable, [KERNEL_TEXTURE] = read_texture, [KERNEL_SURFACE] = read_texture,
        [KERNEL_TABLE] = read_table};
    argument->name = json_string_value(json_object_get(object, "name"));
    argument->kind = choice_of(object, "kind");
    if (!check_kind(r, object, path, argument->kind))
        return false;
    if (argument->kind != KERNEL_STRUCT) {
        if (json_object_get(object, "type") == NULL)
            return kernel_refuse(r, path, "type", LAB_ERROR_MISSING,
                                 "Must be the type of the elements or of the scalar.");
        argument->type = (enum kernel_type)choice_of(object, "type");
    }
    return readers[argument->kind](r, object, path, argument);
}
