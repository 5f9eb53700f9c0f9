#include "kernel_arguments.h"

#include "kernel_data.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

/* --- texts -------------------------------------------------------------------------------------------------------- */

json_t *lab_number_or_text(const char *text, size_t length)
{
    json_t *value = json_loadb(text, length, JSON_DECODE_ANY, NULL);
    if (json_is_number(value))
        return value;
    json_decref(value);
    return json_stringn(text, length);
}

json_t *lab_sizes_of(const char *text)
{
    json_t *list = json_array();
    while (true) {
        size_t length = strcspn(text, ";");
        json_array_append_new(list, lab_number_or_text(text, length));
        if (text[length] == '\0')
            return list;
        text += length + 1;
    }
}

bool lab_set_new_member(json_t *argument, const char *name, json_t *value)
{
    if (json_object_get(argument, name) == NULL)
        return json_object_set_new(argument, name, value) == 0;
    json_decref(value);
    return false;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static bool bad_argument(const char *text, struct lab_errors *errors)
{
    return lab_errors_add(
        errors, LAB_ERROR_USAGE, "--arg",
        "'%s' must be NAME:TYPE[COUNT] or NAME:TYPE[BUFFERS][COUNT], with one of :in, :out and :inout and one :CONTENT after it, "
        "NAME:TYPE=VALUE with values separated by commas, NAME:float4=(X,Y,Z,W), NAME:{FIELD:TYPE=VALUE,...}, or "
        "NAME:texture<TYPE>[WIDTH; HEIGHT] or NAME:surface<TYPE>[WIDTH; HEIGHT] with their own suffixes (--help)",
        text);
}

/* The length of a text up to a comma outside parentheses, or its end. */
static size_t item_length(const char *text)
{
    int depth = 0;
    size_t length = 0;
    for (; text[length] != '\0' && !(text[length] == ',' && depth <= 0); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

/* The values of "1,2K,3" as a list; a single value as a number or an expression. NULL where one is empty. */
static json_t *scalar_value(const char *text)
{
    size_t length = item_length(text);
    if (text[length] == '\0')
        return lab_number_or_text(text, length);
    json_t *list = json_array();
    while (length > 0) {
        json_array_append_new(list, lab_number_or_text(text, length));
        if (text[length] == '\0')
            return list;
        text += length + 1;
        length = item_length(text);
    }
    json_decref(list);
    return NULL;
}

/* What can follow the size of an argument with elements after a colon, as the member that it sets. Other texts are
 * values. */
static const struct {
    const char *word, *member;
} suffixes[] = {
    {"in", "direction"},           {"out", "direction"},         {"inout", "direction"}, {"random", "content"},
    {"zero", "content"},           {"ramp", "content"},          {"point", "filter"},    {"linear", "filter"},
    {"clamp", "address"},          {"border", "address"},        {"wrap", "address"},    {"mirror", "address"},
    {"normalized", "coordinates"}, {"normalized-float", "read"},
};

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

/* The row of a word; the number of rows where there is none. */
static size_t suffix_row(const char *text, size_t length)
{
    size_t row = 0;
    while (row < sizeof suffixes / sizeof *suffixes && !is_word(suffixes[row].word, text, length))
        row++;
    return row;
}

/* Reads "wrap,clamp", the address modes of a texture in x, y and z. False where it is something else. */
static bool read_addresses(json_t *argument, const char *text, size_t length)
{
    json_t *list = json_array();
    bool good = memchr(text, ',', length) != NULL;
    for (size_t at = 0; good && at <= length;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t part = comma != NULL ? (size_t)(comma - text) - at : length - at, row = suffix_row(text + at, part);
        good = row < sizeof suffixes / sizeof *suffixes && strcmp(suffixes[row].member, "address") == 0;
        if (good)
            json_array_append_new(list, json_string(suffixes[row].word));
        at += part + 1;
    }
    good = good && json_object_get(argument, "address") == NULL && json_object_set(argument, "address", list) == 0;
    json_decref(list);
    return good;
}

static bool read_suffix(json_t *argument, const char *text, size_t length)
{
    static const char layers[] = "layers=";
    size_t row = suffix_row(text, length);
    if (row < sizeof suffixes / sizeof *suffixes)
        return lab_set_new_member(argument, suffixes[row].member, json_string(suffixes[row].word));
    if (read_addresses(argument, text, length))
        return true;
    if (text[0] == '@')
        return lab_set_new_member(argument, "content", json_string("data")) &&
               lab_set_new_member(argument, "data", json_stringn(text, length)); /* read_files reads it */
    if (is_word("linear-memory", text, length))
        return lab_set_new_member(argument, "memory", json_string("linear"));
    if (strncmp(text, layers, strlen(layers)) == 0)
        return length > strlen(layers) &&
               lab_set_new_member(argument, "layers",
                                  lab_number_or_text(text + strlen(layers), length - strlen(layers)));
    return length > 0 && lab_set_new_member(argument, "content", json_string("value")) &&
           lab_set_new_member(argument, "value", lab_number_or_text(text, length));
}

/* Reads what follows the size, each once and after a colon. A name of a file, with what the elements hold, is the
 * last. */
static bool read_suffixes(json_t *argument, const char *text)
{
    bool good = true;
    while (*text == ':') {
        size_t length = text[1] == '@' ? strlen(text + 1) : strcspn(text + 1, ":");
        text++;
        good = read_suffix(argument, text, length) && good;
        text += length;
    }
    return good && *text == '\0';
}

/* Reads "[COUNT]…" or, of a table, "[BUFFERS][COUNT]…", which follows the type. */
static bool read_counts(json_t *argument, const char *rest)
{
    const char *end = strchr(rest, ']');
    if (end != NULL && end[1] == '[') {
        json_object_set_new(argument, "kind", json_string("table"));
        json_object_set_new(argument, "buffers", lab_number_or_text(rest + 1, (size_t)(end - rest - 1)));
        rest = end + 1;
        end = strchr(rest, ']');
    }
    if (end == NULL)
        return false;
    json_object_set_new(argument, "count", lab_number_or_text(rest + 1, (size_t)(end - rest - 1)));
    return read_suffixes(argument, end + 1);
}

/* Reads what follows the type: a count or a value. */
static bool read_rest(json_t *argument, const char *rest)
{
    json_object_set_new(argument, "kind", json_string(*rest == '=' ? "scalar" : "buffer"));
    if (*rest == '=')
        return json_object_set_new(argument, "value", scalar_value(rest + 1)) == 0;
    return *rest == '[' && read_counts(argument, rest);
}

/* --- structures and vectors --------------------------------------------------------------------------------------- */

/* The length of a text up to a comma outside brackets, or `end`. */
static size_t field_length(const char *text, const char *end)
{
    int depth = 0;
    size_t length = 0;
    for (; text + length < end && !(text[length] == ',' && depth <= 0); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

/* Adds {"name","type","value"} of "NAME:TYPE=VALUE". */
static bool add_field(json_t *fields, const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length), *equals = memchr(text, '=', length);
    if (colon == NULL || equals == NULL || equals < colon || colon == text)
        return false;
    size_t rest = (size_t)(text + length - equals - 1);
    json_t *field = json_pack("{s:s%, s:s%, s:o}", "name", text, (size_t)(colon - text), "type", colon + 1,
                              (size_t)(equals - colon - 1), "value", lab_number_or_text(equals + 1, rest));
    return json_array_append_new(fields, field) == 0;
}

/* Reads "{NAME:TYPE=VALUE,…}", which follows the name and its colon. */
static bool read_struct(json_t *argument, const char *text)
{
    const char *end = text + strlen(text) - 1;
    json_t *fields = json_array();
    json_object_set_new(argument, "kind", json_string("struct"));
    json_object_set_new(argument, "fields", fields);
    bool good = *end == '}';
    for (const char *at = text + 1; good && at <= end;) {
        size_t length = field_length(at, end);
        good = add_field(fields, at, length);
        at += length + 1;
    }
    return good;
}

/* The vectors of CUDA: "float4" is a structure of four fp32 with the names x, y, z and w, and the alignment of all of
 * them. */
static const struct {
    const char *name, *type;
    int bytes;
} vectors[] = {{"float", "fp32", 4}, {"double", "fp64", 8}, {"int", "i32", 4},      {"uint", "u32", 4},
               {"char", "i8", 1},    {"uchar", "u8", 1},    {"short", "i16", 2},    {"ushort", "u16", 2},
               {"half", "fp16", 2},  {"__half", "fp16", 2}, {"longlong", "i64", 8}, {"ulonglong", "u64", 8}};

/* Whether a type is that of a vector: sets its row and its number of elements. */
static bool find_vector(const char *type, size_t length, size_t *row, size_t *count)
{
    *count = length > 1 ? (size_t)(type[length - 1] - '0') : 0;
    for (*row = 0; *row < sizeof vectors / sizeof *vectors && *count >= 2 && *count <= 4; ++*row)
        if (strlen(vectors[*row].name) == length - 1 && strncmp(vectors[*row].name, type, length - 1) == 0)
            return true;
    return false;
}

/* Reads "=(X,Y,…)", which follows the type of a vector. */
static bool read_vector(json_t *argument, size_t row, size_t count, const char *rest)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    const char *end = rest + strlen(rest) - 1, *at = rest + 2;
    int bytes = (int)count * vectors[row].bytes;
    json_t *fields = json_array();
    json_object_set_new(argument, "kind", json_string("struct"));
    json_object_set_new(argument, "fields", fields);
    json_object_set_new(argument, "align", json_integer(count == 3 ? vectors[row].bytes : bytes < 16 ? bytes : 16));
    bool good = strncmp(rest, "=(", 2) == 0 && *end == ')';
    for (size_t i = 0; good && i < count; i++) {
        size_t length = at < end ? field_length(at, end) : 0;
        good = length > 0;
        if (good)
            json_array_append_new(fields, json_pack("{s:s, s:s, s:o}", "name", names[i], "type", vectors[row].type,
                                                    "value", lab_number_or_text(at, length)));
        at += length + 1;
    }
    return good && at == end + 1;
}

/* Reads "texture<TYPE>[EXTENT]…" or "surface<TYPE>[EXTENT]…", which follows the name and its colon. The type may be a
 * vector. */
static bool read_texture(json_t *argument, const char *text)
{
    size_t kind = strcspn(text, "<"), length = text[kind] == '<' ? strcspn(text + kind + 1, ">") : 0, row, channels;
    const char *type = text + kind + 1, *rest = type + length, *end = strchr(rest, ']');
    if (length == 0 || strncmp(rest, ">[", 2) != 0 || end == NULL)
        return false;
    bool is_vector = find_vector(type, length, &row, &channels);
    json_object_set_new(argument, "kind", json_stringn(text, kind));
    json_object_set_new(argument, "type", is_vector ? json_string(vectors[row].type) : json_stringn(type, length));
    if (is_vector)
        json_object_set_new(argument, "channels", json_integer((json_int_t)channels));
    char *extent = strndup(rest + 2, (size_t)(end - rest - 2));
    json_object_set_new(argument, "extent", extent != NULL ? lab_sizes_of(extent) : NULL);
    free(extent);
    return read_suffixes(argument, end + 1);
}

static bool is_texture(const char *text)
{
    return strncmp(text, "texture<", 8) == 0 || strncmp(text, "surface<", 8) == 0;
}

static bool read_argument(const char *text, json_t *arguments, struct lab_errors *errors)
{
    size_t name = strcspn(text, ":"), type = text[name] == ':' ? strcspn(text + name + 1, "[=") : 0;
    size_t row, count;
    if (name == 0 || name >= NAME_MAX_BYTES || type == 0 || !lab_utf8_is_valid(text, strlen(text)))
        return bad_argument(text, errors);
    json_t *argument = json_object();
    json_object_set_new(argument, "name", json_stringn(text, name));
    json_array_append_new(arguments, argument);
    const char *rest = text + name + 1;
    if (*rest == '{')
        return read_struct(argument, rest) || bad_argument(text, errors);
    if (is_texture(rest))
        return read_texture(argument, rest) || bad_argument(text, errors);
    if (rest[type] == '=' && find_vector(rest, type, &row, &count))
        return read_vector(argument, row, count, rest + type) || bad_argument(text, errors);
    json_object_set_new(argument, "type", json_stringn(rest, type));
    return read_rest(argument, text + name + 1 + type) || bad_argument(text, errors);
}

/* Replaces the name of a file by the elements in it. */
static bool read_files(json_t *arguments, struct lab_errors *errors)
{
    size_t index;
    json_t *argument;
    bool good = true;
    json_array_foreach(arguments, index, argument)
    {
        const char *file = json_string_value(json_object_get(argument, "data"));
        const char *type = json_string_value(json_object_get(argument, "type"));
        json_t *data = file != NULL ? lab_kernel_data_read(file + 1, type != NULL ? type : "", errors) : NULL;
        good = good && (file == NULL || data != NULL);
        if (data != NULL)
            json_object_set_new(argument, "data", data);
    }
    return good;
}

bool lab_arguments_read(const struct lab_texts *texts, json_t *arguments, struct lab_errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < texts->count; i++)
        good = read_argument(texts->items[i], arguments, errors) && good;
    return good && read_files(arguments, errors);
}

bool lab_variables_read(const struct lab_texts *texts, json_t *arguments, struct lab_errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < texts->count; i++) {
        good = read_argument(texts->items[i], arguments, errors) && good;
        json_t *variable = json_array_get(arguments, json_array_size(arguments) - 1);
        json_t *value = json_object_get(variable, "value");
        json_object_set_new(variable, "kind", json_string("variable"));
        if (json_object_get(variable, "count") != NULL || (!json_is_number(value) && !json_is_array(value)))
            continue;
        json_object_set_new(variable, "values", json_is_array(value) ? json_incref(value) : json_pack("[O]", value));
        json_object_del(variable, "value");
    }
    return good;
}
