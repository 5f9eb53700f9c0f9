#include "kernel_request.h"

#include "core/base64.h"
#include "core/text.h"
#include "descriptor/own_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

#define FIELD(field) .offset = offsetof(struct lab_kernel_options, field)

const struct lab_option lab_kernel_options_table[] = {
    {.name = "--arg",
     .value = "ARGUMENT",
     .help =
         "An argument of the kernel; repeat it in the order of the kernel's parameters. A buffer is NAME:TYPE[COUNT], "
         "then perhaps :in, :out or :inout, and :random, :zero, :ramp or :NUMBER for its content: x:fp32[n]:in:ramp. A "
         "scalar is NAME:TYPE=VALUE; integers are axes, and several, n:i32=1024,1M,2^22, are swept. A structure is "
         "NAME:{FIELD:TYPE=VALUE,...}, a vector NAME:float4=(X,Y,Z,W).",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_kernel_options, arguments)},
    {.name = "--variable",
     .value = "VARIABLE",
     .help =
         "The contents of a __constant__ or __device__ variable: NAME:TYPE=VALUE,VALUE,... or as a buffer, NAME:TYPE[COUNT]:CONTENT.",
     .accepts = {.count = LAB_LIST},
     FIELD(variables)},
    {.name = "--entry", .value = "NAME", .help = "The kernel. Default: the only one of the file.", FIELD(entry)},
    {.name = "--grid",
     .value = "SIZES",
     .help =
         "Blocks: one to three expressions of the axes, separated by semicolons: '(n + 31) / 32; 4'. Default: a thread "
         "for each element of the first buffer.",
     FIELD(grid)},
    {.name = "--block",
     .value = "SIZES",
     .help = "Threads of a block, in the same form.",
     .accepts = {.fallback = "256"},
     FIELD(block)},
    {.name = "--shared", .value = "BYTES", .help = "Dynamic shared memory of a block: 48KiB.", FIELD(shared)},
    {.name = "--cluster",
     .value = "SIZES",
     .help = "Blocks of a thread block cluster, in the same form as --grid. Default: no clusters.",
     FIELD(cluster)},
    {.name = "--cooperative",
     .help = "Launch all blocks at the same time, as grid.sync() needs.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_kernel_options, cooperative)},
    {.name = "--bytes",
     .value = "EXPRESSION",
     .help = "Bytes that a launch reads and writes: for the bandwidth.",
     FIELD(bytes)},
    {.name = "--operations",
     .value = "EXPRESSION",
     .help = "Arithmetic operations of a launch: for the throughput.",
     FIELD(operations)},
    {.name = "--expect",
     .value = "NAME=EXPRESSION|@FILE",
     .help =
         "What element i of an output must be, in C++ over the arguments: 'y=a * x[i] + y[i]', 'c=sum(k, 0, n, a[i / n * "
         "n + k] * b[k * n + i % n])'. Repeat it for each output. Instead of --reference. Or a file with what all elements "
         "must be, in little-endian as y.tofile(FILE) of NumPy writes them, at most 512 KiB: y=@y.bin.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_kernel_options, expected)},
    {.name = "--reference",
     .value = "NAME",
     .help = "A kernel with the same arguments, with whose outputs those of the kernel are compared.",
     FIELD(reference)},
    {.name = "--reference-file",
     .value = "FILE",
     .help = "The source of the reference. Default: the same file.",
     FIELD(reference_file)},
    {.name = "--reference-grid", .value = "SIZES", .help = "Its blocks. Default: as --grid.", FIELD(reference_grid)},
    {.name = "--reference-block",
     .value = "SIZES",
     .help = "Its threads. Default: those of --block.",
     FIELD(reference_block)},
    {.name = "--reference-shared",
     .value = "BYTES",
     .help = "Its dynamic shared memory. Default: that of --shared.",
     FIELD(reference_shared)},
    {.name = "--sanitize",
     .help = "Run under compute-sanitizer and print its report.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_kernel_options, sanitize)},
    {.name = "--tolerance",
     .value = "NUMBER",
     .help = "Floats may differ by this, times the larger one of 1 and what is right. Default: 1e-9 for fp64, 1e-4 "
             "for fp32, 0.01 for fp16, 0.05 for bf16.",
     .accepts = {.type = LAB_TYPE_NUMBER, .minimum = -1, .maximum = 1e300, .fallback = "-1"},
     .offset = offsetof(struct lab_kernel_options, tolerance)},
    {0},
};

/* --- texts -------------------------------------------------------------------------------------------------------- */

/* A number if the text is one, else the text. */
static json_t *number_or_text(const char *text, size_t length)
{
    json_t *value = json_loadb(text, length, JSON_DECODE_ANY, NULL);
    if (json_is_number(value))
        return value;
    json_decref(value);
    return json_stringn(text, length);
}

/* The sizes of "EXPRESSION; EXPRESSION" as a list. */
static json_t *sizes_of(const char *text)
{
    json_t *list = json_array();
    while (true) {
        size_t length = strcspn(text, ";");
        json_array_append_new(list, number_or_text(text, length));
        if (text[length] == '\0')
            return list;
        text += length + 1;
    }
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static bool bad_argument(const char *text, struct lab_errors *errors)
{
    return lab_errors_add(
        errors, LAB_ERROR_USAGE, "--arg",
        "'%s' must be NAME:TYPE[COUNT], with one of :in, :out and :inout and one :CONTENT after it, "
        "NAME:TYPE=VALUE with values separated by commas, NAME:float4=(X,Y,Z,W), or NAME:{FIELD:TYPE=VALUE,...}",
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
        return number_or_text(text, length);
    json_t *list = json_array();
    while (length > 0) {
        json_array_append_new(list, number_or_text(text, length));
        if (text[length] == '\0')
            return list;
        text += length + 1;
        length = item_length(text);
    }
    json_decref(list);
    return NULL;
}

/* Sets a member that an argument does not have yet. */
static bool set_new(json_t *argument, const char *name, json_t *value)
{
    if (json_object_get(argument, name) == NULL)
        return json_object_set_new(argument, name, value) == 0;
    json_decref(value);
    return false;
}

/* Reads what follows the count of a buffer: a direction and a content, each once and after a colon. */
static bool read_suffixes(json_t *argument, const char *text)
{
    static const char *const directions[] = {"in", "out", "inout"}, *const contents[] = {"random", "zero", "ramp"};
    bool good = true;
    while (*text == ':') {
        size_t length = strcspn(++text, ":");
        const char *member = NULL, *value = NULL;
        for (size_t i = 0; i < 3; i++)
            if (strlen(directions[i]) == length && strncmp(directions[i], text, length) == 0)
                member = "direction", value = directions[i];
            else if (strlen(contents[i]) == length && strncmp(contents[i], text, length) == 0)
                member = "content", value = contents[i];
        if (value != NULL)
            good = set_new(argument, member, json_string(value)) && good;
        else
            good = length > 0 && set_new(argument, "content", json_string("value")) &&
                   set_new(argument, "value", number_or_text(text, length)) && good;
        text += length;
    }
    return good && *text == '\0';
}

/* Reads "[COUNT]…" or "=VALUE", which follows the type. */
static bool read_rest(json_t *argument, const char *rest)
{
    json_object_set_new(argument, "kind", json_string(*rest == '=' ? "scalar" : "buffer"));
    if (*rest == '=')
        return json_object_set_new(argument, "value", scalar_value(rest + 1)) == 0;
    const char *end = strchr(rest, ']');
    if (*rest != '[' || end == NULL)
        return false;
    json_object_set_new(argument, "count", number_or_text(rest + 1, (size_t)(end - rest - 1)));
    return read_suffixes(argument, end + 1);
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
                              (size_t)(equals - colon - 1), "value", number_or_text(equals + 1, rest));
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

/* The vectors of CUDA: "float4" is a structure of four fp32 with the names x, y, z and w, and the alignment of all of them. */
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
                                                    "value", number_or_text(at, length)));
        at += length + 1;
    }
    return good && at == end + 1;
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
    if (rest[type] == '=' && find_vector(rest, type, &row, &count))
        return read_vector(argument, row, count, rest + type) || bad_argument(text, errors);
    json_object_set_new(argument, "type", json_stringn(rest, type));
    return read_rest(argument, text + name + 1 + type) || bad_argument(text, errors);
}

static bool read_arguments(const struct lab_texts *texts, json_t *arguments, struct lab_errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < texts->count; i++)
        good = read_argument(texts->items[i], arguments, errors) && good;
    return good;
}

/* Reads variables, which are written as arguments; values without a count are those of the elements. */
static bool read_variables(const struct lab_texts *texts, json_t *arguments, struct lab_errors *errors)
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

static json_t *find_argument(const json_t *arguments, const char *name, size_t length)
{
    size_t index;
    json_t *argument;
    json_array_foreach(arguments, index, argument)
    {
        const char *own = json_string_value(json_object_get(argument, "name"));
        if (own != NULL && strlen(own) == length && strncmp(own, name, length) == 0)
            return argument;
    }
    return NULL;
}

static bool is_float(const json_t *argument)
{
    const char *type = json_string_value(json_object_get(argument, "type"));
    return type != NULL && (type[0] == 'f' || type[0] == 'b');
}

/* The bytes of a saved output in Base64, a new reference. Returns NULL with errors on failure. */
static json_t *read_saved(const char *file, struct lab_errors *errors)
{
    FILE *in = fopen(file, "rb");
    unsigned char *bytes = malloc(LAB_SAVED_OUTPUT_MAX + 1);
    size_t size = in != NULL && bytes != NULL ? fread(bytes, 1, LAB_SAVED_OUTPUT_MAX + 1, in) : 0;
    char *text = NULL;
    if (in == NULL || ferror(in)) /* a folder can be opened */
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "cannot be read: %m");
    else if (bytes != NULL && (size == 0 || size > LAB_SAVED_OUTPUT_MAX))
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "a saved output must have 1 to %d bytes", LAB_SAVED_OUTPUT_MAX);
    else if (bytes == NULL || (text = lab_base64_encode(bytes, size)) == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, file, "out of memory");
    if (in != NULL)
        fclose(in);
    json_t *saved = text != NULL ? json_string(text) : NULL;
    free(text);
    free(bytes);
    return saved;
}

/* Sets what an output is expected to be: an expression, or what a file has. */
static bool expect(json_t *argument, const char *text, struct lab_errors *errors)
{
    static const char *const members[] = {"expected", "expected_data"};
    bool is_file = text[0] == '@';
    json_t *value = NULL;
    if (json_object_get(argument, members[!is_file]) == NULL)
        value = is_file ? read_saved(text + 1, errors) : json_string(text);
    if (errors->count > 0 || set_new(argument, members[is_file], value))
        return errors->count == 0;
    return lab_errors_add(errors, LAB_ERROR_USAGE, "--expect", "%s is given twice or is not UTF-8",
                          json_string_value(json_object_get(argument, "name")));
}

/* Sets what the outputs are expected to be. */
static bool set_expected(json_t *arguments, const struct lab_kernel_options *options, struct lab_errors *errors)
{
    for (size_t i = 0; i < options->expected.count; i++) {
        const char *text = options->expected.items[i];
        size_t length = strcspn(text, "=");
        json_t *argument = find_argument(arguments, text, length);
        if (text[length] == '\0' || argument == NULL)
            return lab_errors_add(errors, LAB_ERROR_USAGE, "--expect",
                                  "'%s' must be NAME=EXPRESSION or NAME=@FILE, with the name of an argument", text);
        if (!expect(argument, text + length + 1, errors))
            return false;
        if (options->tolerance >= 0 && is_float(argument))
            json_object_set_new(argument, "tolerance", json_real(options->tolerance));
    }
    return true;
}

/* --- the launch --------------------------------------------------------------------------------------------------- */

static bool has_buffer(const json_t *arguments)
{
    size_t index;
    json_t *argument;
    bool found = false;
    json_array_foreach(arguments, index, argument)
    {
        found = found || json_object_get(argument, "count") != NULL;
    }
    return found;
}

/* Checks that a grid is given where none follows from the arguments. */
static bool check_grid(const struct lab_kernel_options *options, const json_t *arguments, struct lab_errors *errors)
{
    return options->grid != NULL || has_buffer(arguments) ||
           lab_errors_add(errors, LAB_ERROR_MISSING, "--grid",
                          "must be given: the kernel has no buffer from whose elements the blocks would follow");
}

static void set_launch(json_t *object, const char *entry, const char *grid, const char *block, const char *shared)
{
    if (entry != NULL)
        json_object_set_new(object, "entry", json_string(entry));
    if (grid != NULL)
        json_object_set_new(object, "grid", sizes_of(grid));
    json_object_set_new(object, "block", sizes_of(block));
    if (shared != NULL)
        json_object_set_new(object, "shared", number_or_text(shared, strlen(shared)));
}

/* Sets the member "reference", whose launch is that of the kernel where it is not given. */
static bool set_reference(json_t *kernel, const struct lab_kernel_options *o, struct lab_errors *errors)
{
    if (o->reference == NULL && o->reference_file == NULL)
        return true;
    json_t *reference = json_object();
    set_launch(reference, o->reference, o->reference_grid != NULL ? o->reference_grid : o->grid,
               o->reference_block != NULL ? o->reference_block : o->block,
               o->reference_shared != NULL ? o->reference_shared : o->shared);
    if (o->tolerance >= 0)
        json_object_set_new(reference, "tolerance", json_real(o->tolerance));
    json_object_set_new(kernel, "reference", reference);
    json_t *source = o->reference_file != NULL ? lab_source_read(o->reference_file, errors) : NULL;
    if (source != NULL)
        json_object_set_new(reference, "source", source);
    return source != NULL || o->reference_file == NULL;
}

/* Sets a member unless it is empty; takes over the value. */
static void set_unless_empty(json_t *object, const char *name, json_t *value)
{
    if (json_object_size(value) > 0)
        json_object_set(object, name, value);
    json_decref(value);
}

json_t *lab_kernel_request(const struct lab_kernel_options *options, const struct lab_texts *files,
                           struct lab_errors *errors)
{
    json_t *source = lab_source_read(files->items[0], errors), *arguments = json_array();
    if (source == NULL || !read_arguments(&options->arguments, arguments, errors) ||
        !read_variables(&options->variables, arguments, errors) || !set_expected(arguments, options, errors) ||
        !check_grid(options, arguments, errors)) {
        json_decref(source);
        json_decref(arguments);
        return NULL;
    }
    json_t *kernel = json_pack("{s:o, s:o}", "source", source, "arguments", arguments);
    set_launch(kernel, options->entry, options->grid, options->block, options->shared);
    if (options->cluster != NULL)
        json_object_set_new(kernel, "cluster", sizes_of(options->cluster));
    if (options->cooperative)
        json_object_set_new(kernel, "cooperative", json_true());
    if (options->bytes != NULL)
        json_object_set_new(kernel, "bytes", number_or_text(options->bytes, strlen(options->bytes)));
    if (options->operations != NULL)
        json_object_set_new(kernel, "operations", number_or_text(options->operations, strlen(options->operations)));
    if (options->sanitize)
        json_object_set_new(kernel, "sanitize", json_true());
    set_unless_empty(kernel, "options", lab_build_options_read(options->build, LAB_KERNEL_OPTIONS));
    set_unless_empty(kernel, "files", lab_files_read(files->items + 1, files->count - 1, errors));
    if (set_reference(kernel, options, errors) && errors->count == 0)
        return kernel;
    json_decref(kernel);
    return NULL;
}

json_t *lab_kernel_base(json_t *kernel, const struct lab_texts *files, struct lab_errors *errors)
{
    json_t *source = files->count == 1 ? lab_source_read(files->items[0], errors) : NULL;
    if (files->count > 1)
        lab_errors_add(errors, LAB_ERROR_USAGE, "--compare-with", "a kernel has one file");
    if (source == NULL)
        return NULL;
    json_t *other = json_copy(kernel);
    json_object_set_new(other, "source", source);
    return json_pack("{s:o}", "kernel", other);
}

json_t *lab_edit_request(const char *edit, const char *experiment, struct lab_errors *errors)
{
    const char *file = strchr(edit, '=');
    if (file == NULL || file == edit || !lab_utf8_is_valid(edit, (size_t)(file - edit))) {
        lab_errors_add(errors, LAB_ERROR_USAGE, "--edit", "'%s' must be STEP=FILE", edit);
        return NULL;
    }
    json_t *source = lab_source_read(file + 1, errors);
    json_t *step = json_sprintf("%s/%.*s", experiment, (int)(file - edit), edit);
    json_t *kernel = source != NULL ? json_pack("{s:O, s:O}", "edits", step, "source", source) : NULL;
    json_decref(source);
    json_decref(step);
    return kernel;
}
