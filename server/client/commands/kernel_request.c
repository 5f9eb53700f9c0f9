#include "kernel_request.h"

#include "kernel_arguments.h"
#include "kernel_data.h"
#include "lab/api_calls.h"

#include "core/json_members.h"
#include "core/text.h"
#include "descriptor/own_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(field) .offset = offsetof(struct lab_kernel_options, field)

const struct lab_option lab_kernel_options_table[] = {
    {.name = "--arg",
     .value = "ARGUMENT",
     .help =
         "An argument of the kernel. Repeat it, in the order of the kernel's parameters.\n"
         "Scalar (n:i32=1024,1M,2^22): NAME:TYPE=VALUE. Integers are axes; several are swept.\n"
         "Buffer (x:fp32[n]:in:ramp): NAME:TYPE[COUNT], then :in, :out or :inout, then its content: :random, :zero, "
         ":ramp, :NUMBER or, as the last part, :@FILE (.npy, or bytes).\n"
         "Table of buffers, float ** (a:fp64[batch][n * n]:inout:zero): NAME:TYPE[BUFFERS][COUNT], then as a buffer.\n"
         "Vector (d:float2=(1,2)): NAME:TYPE=(X,Y,...).\n"
         "Structure (b:{lo:fp32=0.5,hi:fp32=2}): NAME:{FIELD:TYPE=VALUE,...}.\n"
         "Texture (i:texture<fp32>[w; h]:linear:ramp): NAME:texture<TYPE>[WIDTH; HEIGHT; DEPTH], one to three sizes, TYPE "
         "also float4; then a content, :linear, :border, :wrap or :mirror (for x, y and z: :wrap,clamp,mirror), :normalized "
         "(coordinates), :normalized-float (reads of integers), :layers=N, :linear-memory (tex1Dfetch).\n"
         "Surface (s:surface<float2>[8; 8]:out): NAME:surface<TYPE>[WIDTH; HEIGHT; DEPTH], then a direction, a content, "
         ":layers=N.\n"
         "Parts after the sizes can be left out.",
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
     .help = "Threads per block, in the same form as --grid.",
     .accepts = {.fallback = "256"},
     FIELD(block)},
    {.name = "--shared", .value = "BYTES", .help = "Dynamic shared memory per block, such as 48KiB.", FIELD(shared)},
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
         "must be, at most 512 KiB: y=@y.npy, or their bytes in little-endian, y=@y.bin.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_kernel_options, expected)},
    {.name = "--save-output",
     .value = "NAME=FILE",
     .help =
         "Write an output to a file, .npy or else its bytes in little-endian, unless it is wrong: at most 512 KiB, of a run "
         "with one point. --expect NAME=@FILE holds later runs to it. Can be repeated.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_kernel_options, saved)},
    {.name = "--check",
     .value = "FILE",
     .help =
         "A file in C with a function check(), which gets the arguments of the kernel in host memory and computes what the "
         "outputs must be; it runs in the sandbox of programs. Elements of fp16 and bf16 are floats there.",
     FIELD(check)},
    {.name = "--reference",
     .value = "NAME",
     .help = "A kernel with the same arguments, with whose outputs those of the kernel are compared.",
     FIELD(reference)},
    {.name = "--reference-file",
     .value = "FILE",
     .help = "The source of the reference. Default: the same file.",
     FIELD(reference_file)},
    {.name = "--reference-grid",
     .value = "SIZES",
     .help = "Blocks of the reference. Default: as --grid.",
     FIELD(reference_grid)},
    {.name = "--reference-block",
     .value = "SIZES",
     .help = "Threads per block of the reference. Default: as --block.",
     FIELD(reference_block)},
    {.name = "--reference-shared",
     .value = "BYTES",
     .help = "Dynamic shared memory per block of the reference. Default: as --shared.",
     FIELD(reference_shared)},
    {.name = "--sanitize",
     .help = "Run under compute-sanitizer and print its report.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_kernel_options, sanitize)},
    {.name = "--tolerance",
     .value = "NUMBER",
     .help =
         "Floats may differ by this, times the larger one of 1 and the expected value. Default: 1e-9 for fp64, 1e-4 "
         "for fp32, 0.01 for fp16, 0.05 for bf16.",
     .accepts = {.type = LAB_TYPE_NUMBER, .maximum = 1e300},
     .offset = offsetof(struct lab_kernel_options, tolerance)},
    {0},
};

const struct lab_option lab_submission_options_table[] = {
    {.name = "--entry", .value = "NAME", .help = "The kernel. Default: that of the challenge.", FIELD(entry)},
    {.name = "--grid",
     .value = "SIZES",
     .help = "Blocks: one to three expressions of the axes, separated by semicolons. Default: those of the challenge.",
     FIELD(grid)},
    {.name = "--block", .value = "SIZES", .help = "Threads per block, likewise.", FIELD(block)},
    {.name = "--shared", .value = "BYTES", .help = "Dynamic shared memory per block, such as 48KiB.", FIELD(shared)},
    {.name = "--cluster", .value = "SIZES", .help = "Blocks of a thread block cluster.", FIELD(cluster)},
    {.name = "--cooperative",
     .help = "Launch all blocks at the same time, as grid.sync() needs.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_kernel_options, cooperative)},
    {0},
};

/* --- what is expected --------------------------------------------------------------------------------------------- */

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

/* Sets what an output is expected to be: an expression, or what a file has. */
static bool expect(json_t *argument, const char *text, struct lab_errors *errors)
{
    static const char *const members[] = {"expected", "expected_data"};
    const char *type = json_string_value(json_object_get(argument, "type"));
    bool is_file = text[0] == '@';
    json_t *value = NULL;
    if (json_object_get(argument, members[!is_file]) == NULL)
        value = is_file ? lab_kernel_data_read(text + 1, type != NULL ? type : "", errors) : json_string(text);
    if (errors->count > 0 || lab_set_new_member(argument, members[is_file], value))
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

/* --- what is saved ------------------------------------------------------------------------------------------------ */

/* Has the lab save the outputs. */
static bool set_saved(json_t *arguments, const struct lab_kernel_options *options, struct lab_errors *errors)
{
    for (size_t i = 0; i < options->saved.count; i++) {
        const char *text = options->saved.items[i];
        size_t length = strcspn(text, "=");
        json_t *argument = find_argument(arguments, text, length);
        if (text[length] == '\0' || text[length + 1] == '\0' || argument == NULL)
            return lab_errors_add(errors, LAB_ERROR_USAGE, "--save-output",
                                  "'%s' must be NAME=FILE, with the name of an argument", text);
        json_object_set_new(argument, "save", json_true());
    }
    return true;
}

/* The field of a list that has this name. */
static const json_t *find_field(const json_t *fields, const char *name, size_t length)
{
    size_t index;
    json_t *field;
    json_array_foreach(fields, index, field)
    {
        const char *own = lab_text_of(field, "name");
        if (strlen(own) == length && strncmp(own, name, length) == 0)
            return field;
    }
    return NULL;
}

bool lab_kernel_saved_write(const struct lab_kernel_options *options, struct lab_client *client, const json_t *run,
                            struct lab_errors *errors)
{
    char path[128];
    struct lab_error error;
    snprintf(path, sizeof path, "/api/v1/runs/%s/fields", lab_text_of(run, "id"));
    json_t *answer = lab_get(client, path, &error);
    if (answer == NULL)
        return lab_errors_add(errors, error.code, "--save-output", "%s", error.detail);
    for (size_t i = 0; i < options->saved.count; i++) {
        const char *text = options->saved.items[i];
        size_t length = strcspn(text, "=");
        const json_t *field = find_field(json_object_get(answer, "fields"), text, length);
        if (field != NULL)
            lab_kernel_data_write(text + length + 1, field, errors);
        else
            lab_errors_add(errors, LAB_ERROR_USAGE, "--save-output", "the run has not saved %.*s", (int)length, text);
    }
    json_decref(answer);
    return errors->count == 0;
}

/* --- the launch --------------------------------------------------------------------------------------------------- */

static bool has_buffer(const json_t *arguments)
{
    size_t index;
    json_t *argument;
    bool found = false;
    json_array_foreach(arguments, index, argument)
    {
        found = found || strcmp(json_string_value(json_object_get(argument, "kind")), "buffer") == 0;
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
        json_object_set_new(object, "grid", lab_sizes_of(grid));
    if (block != NULL)
        json_object_set_new(object, "block", lab_sizes_of(block));
    if (shared != NULL)
        json_object_set_new(object, "shared", lab_number_or_text(shared, strlen(shared)));
}

/* The part of the launch that a reference has not. */
static void set_grouping(json_t *kernel, const struct lab_kernel_options *options)
{
    if (options->cluster != NULL)
        json_object_set_new(kernel, "cluster", lab_sizes_of(options->cluster));
    if (options->cooperative)
        json_object_set_new(kernel, "cooperative", json_true());
}

/* Sets the member "check", and the tolerance of the outputs that it computes. */
static bool set_check(json_t *kernel, json_t *arguments, const struct lab_kernel_options *options,
                      struct lab_errors *errors)
{
    size_t index;
    json_t *argument, *source = options->check != NULL ? lab_source_read(options->check, errors) : NULL;
    if (source == NULL)
        return options->check == NULL;
    json_object_set_new(kernel, "check", source);
    json_array_foreach(arguments, index, argument)
    {
        const char *direction = json_string_value(json_object_get(argument, "direction"));
        if (options->tolerance >= 0 && is_float(argument) && direction != NULL && strcmp(direction, "in") != 0)
            json_object_set_new(argument, "tolerance", json_real(options->tolerance));
    }
    return true;
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
    if (source == NULL || !lab_arguments_read(&options->arguments, arguments, errors) ||
        !lab_variables_read(&options->variables, arguments, errors) || !set_expected(arguments, options, errors) ||
        !set_saved(arguments, options, errors) || !check_grid(options, arguments, errors)) {
        json_decref(source);
        json_decref(arguments);
        return NULL;
    }
    json_t *kernel = json_pack("{s:o, s:o}", "source", source, "arguments", arguments);
    set_launch(kernel, options->entry, options->grid, options->block, options->shared);
    set_grouping(kernel, options);
    if (options->bytes != NULL)
        json_object_set_new(kernel, "bytes", lab_number_or_text(options->bytes, strlen(options->bytes)));
    if (options->operations != NULL)
        json_object_set_new(kernel, "operations", lab_number_or_text(options->operations, strlen(options->operations)));
    if (options->sanitize)
        json_object_set_new(kernel, "sanitize", json_true());
    set_unless_empty(kernel, "options", lab_build_options_read(options->build, LAB_KERNEL_OPTIONS));
    set_unless_empty(kernel, "files", lab_files_read(files->items + 1, files->count - 1, errors));
    if (set_check(kernel, arguments, options, errors) && set_reference(kernel, options, errors) && errors->count == 0)
        return kernel;
    json_decref(kernel);
    return NULL;
}

json_t *lab_submission_request(const struct lab_kernel_options *options, const char *file, struct lab_errors *errors)
{
    json_t *source = lab_source_read(file, errors);
    json_t *submission = source != NULL ? json_pack("{s:o}", "source", source) : NULL;
    if (submission == NULL)
        return NULL;
    set_launch(submission, options->entry, options->grid, options->block, options->shared);
    set_grouping(submission, options);
    set_unless_empty(submission, "options", lab_build_options_read(options->build, LAB_KERNEL_OPTIONS));
    return submission;
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
