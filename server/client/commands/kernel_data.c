#include "kernel_data.h"

#include "core/base64.h"
#include "descriptor/own_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header of a NumPy file (format 1.0, 2.0 or 3.0): magic, version, length, and a dictionary as text. */
enum { MAGIC_SIZE = 6, HEADER_MAX = 4096, FILE_MAX = LAB_SAVED_OUTPUT_MAX + HEADER_MAX };

static const unsigned char magic[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The names that NumPy has for types. */
static const struct {
    const char *name, *type;
} types[] = {{"<f2", "fp16"}, {"<f4", "fp32"}, {"<f8", "fp64"}, {"|i1", "i8"},  {"<i2", "i16"}, {"<i4", "i32"},
             {"<i8", "i64"},  {"|u1", "u8"},   {"|b1", "u8"},   {"<u2", "u16"}, {"<u4", "u32"}, {"<u8", "u64"}};

static bool refuse(const char *file, struct lab_errors *errors, const char *detail)
{
    return lab_errors_add(errors, LAB_ERROR_USAGE, file, "%s", detail);
}

/* Writes the text between quotes that follows a key of the dictionary. */
static void read_text(const char *dictionary, const char *key, char *text, size_t size)
{
    const char *at = strstr(dictionary, key), *quote = at != NULL ? strchr(at + strlen(key), '\'') : NULL;
    snprintf(text, size, "%.*s", quote != NULL ? (int)strcspn(quote + 1, "'") : 0, quote != NULL ? quote + 1 : "");
}

/* Whether the dictionary describes elements of the type, in the order of C. */
static bool check_dictionary(const char *dictionary, const char *file, const char *type, struct lab_errors *errors)
{
    char name[16];
    const char *found = NULL;
    read_text(dictionary, "'descr':", name, sizeof name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            found = types[i].type;
    if (strstr(dictionary, "'fortran_order': False") == NULL)
        return refuse(file, errors, "has its elements in the order of Fortran; save numpy.ascontiguousarray(ARRAY)");
    if (found == NULL)
        return lab_errors_add(errors, LAB_ERROR_USAGE, file,
                              "has elements of the type '%s'; allowed are little-endian integers and floats", name);
    return strcmp(found, type) == 0 || lab_errors_add(errors, LAB_ERROR_USAGE, file,
                                                      "has elements of %s; those of the argument are %s", found, type);
}

/* Sets *begin to where the elements of a NumPy file are. */
static bool read_header(const unsigned char *bytes, size_t size, const char *file, const char *type, size_t *begin,
                        struct lab_errors *errors)
{
    char dictionary[HEADER_MAX + 1];
    size_t prefix = size > MAGIC_SIZE && bytes[MAGIC_SIZE] > 1 ? 12 : 10; /* a length of 4 or of 2 bytes ends it */
    size_t length = 0;
    for (size_t i = prefix; size >= prefix && i > MAGIC_SIZE + 2; i--)
        length = length << 8 | bytes[i - 1];
    if (size < prefix || length > HEADER_MAX || length > size - prefix)
        return refuse(file, errors, "is no whole NumPy file");
    memcpy(dictionary, bytes + prefix, length);
    dictionary[length] = '\0';
    *begin = prefix + length;
    return check_dictionary(dictionary, file, type, errors);
}

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
    json_t *data = NULL;
    if (in == NULL || ferror(in)) /* a folder can be opened */
        lab_errors_add(errors, LAB_ERROR_USAGE, file, "cannot be read: %m");
    else if (bytes == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, file, "out of memory");
    else if (size < MAGIC_SIZE || memcmp(bytes, magic, MAGIC_SIZE) != 0 ||
             read_header(bytes, size, file, type, &begin, errors))
        data = encode(bytes + begin, size - begin, file, errors);
    if (in != NULL)
        fclose(in);
    free(bytes);
    return data;
}
