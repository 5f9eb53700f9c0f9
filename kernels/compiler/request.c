/* Reads and checks the request. */
#include "request.h"

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

static bool are_entries(const json_t *entries)
{
    bool good = json_array_size(entries) <= LAB_COMPILE_ENTRIES_MAX;
    for (size_t i = 0; good && i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        good = json_is_string(entry) && strlen(json_string_value(entry)) == json_string_length(entry);
    }
    return good;
}

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
    if (!are_entries(request->entries))
        return lab_error_set(error, code, "/entries", "must have at most %d texts", LAB_COMPILE_ENTRIES_MAX);
    return true;
}

bool lab_compile_request_read(struct lab_compile_request *request, int descriptor, struct lab_error *error)
{
    *request = (struct lab_compile_request){.name = "kernel.cu"};
    char *bytes = malloc(LAB_COMPILE_REQUEST_MAX);
    if (bytes == NULL)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "", "Out of memory.");
    size_t count = read_all(descriptor, bytes, LAB_COMPILE_REQUEST_MAX);
    request->document = json_loadb(bytes, count, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    free(bytes);
    int fast_math = 0, line_info = 0;
    size_t source_length = 0;
    if (request->document == NULL ||
        json_unpack_ex(request->document, NULL, JSON_STRICT, "{s?s%, s?s, s?s, s?o, s?{s?b, s?b}}", "source",
                       &request->source, &source_length, "architecture", &request->architecture, "name", &request->name,
                       "entries", &request->entries, "options", "fast_math", &fast_math, "line_info", &line_info) != 0)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "",
                             "The request must be a JSON object with source, architecture, name, entries and options.");
    if (request->source != NULL && strlen(request->source) != source_length)
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/source", "must not contain a NUL character");
    request->fast_math = fast_math;
    request->line_info = line_info;
    return request->source == NULL || check(request, error);
}
