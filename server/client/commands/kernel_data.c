#include "kernel_data.h"
#include "output/new_file.h"

#include "core/base64.h"
#include "core/json_members.h"
#include "core/numpy.h"
#include "descriptor/own_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = LAB_SAVED_OUTPUT_MAX + LAB_NUMPY_HEADER_MAX };

static json_t *encode(const unsigned char *bytes, size_t size, const char *file, struct lab_errors *errors)
{
    char *text = NULL;
    if (size == 0 || size > LAB_SAVED_OUTPUT_MAX)
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "must have 1 to %d bytes of elements", LAB_SAVED_OUTPUT_MAX);
    else if ((text = lab_base64_encode(bytes, size)) == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, file, "out of memory");
    json_t *encoded = text != NULL ? json_string(text) : NULL;
    free(text);
    return encoded;
}

json_t *lab_kernel_data_read(const char *file, const char *type, struct lab_errors *errors)
{
    FILE *in = fopen(file, "rb");
    unsigned char *bytes = malloc(FILE_MAX + 1);
    size_t size = in != NULL && bytes != NULL ? fread(bytes, 1, FILE_MAX + 1, in) : 0, begin = 0;
    struct lab_error error;
    json_t *data = NULL;
    if (in == NULL || ferror(in)) /* a folder can be opened */
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "cannot be read: %m");
    else if (bytes == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, file, "out of memory");
    else if (lab_numpy_is(bytes, size) && !lab_numpy_read(bytes, size, type, &begin, &error))
        lab_errors_add(errors, error.code, file, "%s", error.detail);
    else
        data = encode(bytes + begin, size - begin, file, errors);
    if (in != NULL)
        fclose(in);
    free(bytes);
    return data;
}

static bool is_numpy_name(const char *file)
{
    size_t length = strlen(file);
    return length > 4 && strcmp(file + length - 4, ".npy") == 0;
}

static bool write_file(const char *path, const void *bytes, size_t size, struct lab_errors *errors)
{
    struct lab_new_file file;
    if (!lab_new_file_open(&file, path, errors))
        return false;
    fwrite(bytes, 1, size, file.stream); /* lab_new_file_complete sees what was not written */
    return lab_new_file_complete(&file, errors) && lab_new_file_keep(&file, errors);
}

/* Writes the elements of a field as a file of NumPy. */
static bool write_numpy(const char *file, const json_t *field, const unsigned char *elements, size_t size,
                        struct lab_errors *errors)
{
    struct lab_error error = {0};
    size_t whole_size = 0;
    unsigned char *whole = lab_numpy_write(
        json_string_value(json_object_get(field, "element_type")), (size_t)lab_integer_of(field, "rows", 0),
        (size_t)lab_integer_of(field, "columns", 0), elements, size, &whole_size, &error);
    if (whole == NULL)
        return lab_errors_add(errors, error.code, file, "was not written: the output %s", error.detail);
    bool good = write_file(file, whole, whole_size, errors);
    free(whole);
    return good;
}

bool lab_kernel_data_write(const char *file, const json_t *field, struct lab_errors *errors)
{
    const json_t *values = json_object_get(field, "values");
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!lab_base64_decode(json_string_value(values), json_string_length(values), &bytes, &size))
        return lab_errors_add(errors, LAB_ERROR_USAGE, file,
                              "was not written: the lab sent values that are not Base64");
    bool good =
        is_numpy_name(file) ? write_numpy(file, field, bytes, size, errors) : write_file(file, bytes, size, errors);
    free(bytes);
    return good;
}
