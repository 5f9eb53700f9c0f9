/* Reads and checks the request. */
#include "request.h"

#include "core/schema.h"
#include "descriptor/build_options.h"
#include "descriptor/source_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads until the end or until `size` bytes are there. Returns the number of bytes read. */
static size_t read_all(int descriptor, char *bytes, size_t size)
{
    size_t count = 0;
    while (count < size) {
        ssize_t got = read(descriptor, bytes + count, size - count);
        if (got > 0)
            count += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    return count;
}

static bool is_file_name(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(name);
    return length > 0 && length <= 64 && strspn(name, allowed) == length;
}

static bool is_architecture(const char *text)
{
    if (strncmp(text, "sm_", 3) != 0)
        return false;
    size_t digits = strspn(text + 3, "0123456789");
    const char *suffix = text + 3 + digits;
    return digits >= 2 && digits <= 3 && strspn(suffix, "af") == strlen(suffix) && strlen(suffix) <= 1;
}

static const struct lab_schema rows[] = {
    {.name = "source", .type = LAB_TYPE_STRING, .maximum = LAB_COMPILE_SOURCE_MAX},
    {.name = "architecture", .type = LAB_TYPE_STRING},
    {.name = "name", .type = LAB_TYPE_STRING},
    {.name = "entries", .type = LAB_TYPE_STRING, .count = LAB_LIST, .items_max = LAB_COMPILE_ENTRIES_MAX},
    {.name = "options", .type = LAB_TYPE_OBJECT, .members = lab_compile_option_members},
    {.name = "files", .type = LAB_TYPE_OBJECT, .open = true},
    {0}};
static const struct lab_schema document_row = {.name = "request", .type = LAB_TYPE_OBJECT, .members = rows};

/* What rows do not say. */
static bool check(const struct lab_compile_request *request, struct lab_error *error)
{
    static const enum lab_error_code code = LAB_ERROR_INVALID_REQUEST;
    if (strlen(request->source) > LAB_COMPILE_SOURCE_MAX)
        return lab_error_set(error, code, "/source", "must have at most 256 KiB");
    if (request->architecture == NULL || !is_architecture(request->architecture))
        return lab_error_set(error, code, "/architecture", "must be the name of an architecture, such as sm_90");
    if (!is_file_name(request->name))
        return lab_error_set(error, code, "/name",
                             "must be a file name of 1 to 64 letters, digits and the characters . _ -");
    struct lab_errors errors = {0};
    if (lab_kernel_options_check(request->options, "/options", &errors) &&
        lab_source_files_check(request->files, "/files", &errors))
        return true;
    *error = errors.items[0];
    return false;
}

bool lab_compile_request_read(struct lab_compile_request *request, int descriptor, struct lab_error *error)
{
    *request = (struct lab_compile_request){0};
    char *bytes = malloc(LAB_COMPILE_REQUEST_MAX);
    if (bytes == NULL)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "", "Out of memory.");
    size_t count = read_all(descriptor, bytes, LAB_COMPILE_REQUEST_MAX);
    request->document = json_loadb(bytes, count, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    free(bytes);
    struct lab_errors errors = {0};
    if (request->document == NULL)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "", "The request must be JSON.");
    if (!lab_schema_check_value(&document_row, request->document, "", &errors))
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, errors.items[0].pointer, "%s", errors.items[0].detail);
    const json_t *source = json_object_get(request->document, "source");
    const json_t *name = json_object_get(request->document, "name");
    request->source = json_string_value(source);
    request->architecture = json_string_value(json_object_get(request->document, "architecture"));
    request->name = name != NULL ? json_string_value(name) : "kernel.cu";
    request->entries = json_object_get(request->document, "entries");
    request->files = json_object_get(request->document, "files");
    request->options = json_object_get(request->document, "options");
    if (request->source != NULL && strlen(request->source) != json_string_length(source))
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/source", "must not contain a NUL character");
    return request->source == NULL || check(request, error);
}
