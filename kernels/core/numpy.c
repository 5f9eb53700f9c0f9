#include "core/numpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_SIZE = 6, PREFIX_SIZE = 10, HEADER_SIZE = 128 };

static const unsigned char magic[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The names that NumPy has for types; the first of a type is written. */
static const struct {
    const char *name, *type;
    size_t bytes;
} types[] = {{"<f2", "fp16", 2}, {"<f4", "fp32", 4}, {"<f8", "fp64", 8}, {"|V2", "bf16", 2}, {"<V2", "bf16", 2},
             {"|i1", "i8", 1},   {"<i2", "i16", 2},  {"<i4", "i32", 4},  {"<i8", "i64", 8},  {"|u1", "u8", 1},
             {"|b1", "u8", 1},   {"<u2", "u16", 2},  {"<u4", "u32", 4},  {"<u8", "u64", 8}};

enum { TYPES = sizeof types / sizeof *types };

static bool refuse(struct lab_error *error, const char *detail)
{
    return lab_error_set(error, LAB_ERROR_USAGE, "", "%s", detail);
}

bool lab_numpy_is(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0;
}

/* Writes the text between quotes that follows a key of the dictionary. */
static void read_text(const char *dictionary, const char *key, char *text, size_t size)
{
    const char *at = strstr(dictionary, key), *quote = at != NULL ? strchr(at + strlen(key), '\'') : NULL;
    snprintf(text, size, "%.*s", quote != NULL ? (int)strcspn(quote + 1, "'") : 0, quote != NULL ? quote + 1 : "");
}

/* Whether the dictionary describes elements of the type, in the order of C. */
static bool check_dictionary(const char *dictionary, const char *type, struct lab_error *error)
{
    char name[16];
    const char *found = NULL;
    read_text(dictionary, "'descr':", name, sizeof name);
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            found = types[i].type;
    if (strstr(dictionary, "'fortran_order': False") == NULL)
        return refuse(error, "has its elements in the order of Fortran; save numpy.ascontiguousarray(ARRAY)");
    if (found == NULL)
        return lab_error_set(error, LAB_ERROR_USAGE, "",
                             "has elements of the type '%s'; allowed are little-endian integers and floats", name);
    return strcmp(found, type) == 0 ||
           lab_error_set(error, LAB_ERROR_USAGE, "", "has elements of %s; those of the argument are %s", found, type);
}

bool lab_numpy_read(const unsigned char *bytes, size_t size, const char *type, size_t *begin, struct lab_error *error)
{
    char dictionary[LAB_NUMPY_HEADER_MAX + 1];
    size_t prefix = size > MAGIC_SIZE && bytes[MAGIC_SIZE] > 1 ? 12 : PREFIX_SIZE; /* 4 or 2 bytes of length end it */
    size_t length = 0;
    for (size_t i = prefix; size >= prefix && i > MAGIC_SIZE + 2; i--)
        length = length << 8 | bytes[i - 1];
    if (size < prefix || length > LAB_NUMPY_HEADER_MAX || length > size - prefix)
        return refuse(error, "is no whole NumPy file");
    memcpy(dictionary, bytes + prefix, length);
    dictionary[length] = '\0';
    *begin = prefix + length;
    return check_dictionary(dictionary, type, error);
}

size_t lab_numpy_bytes(const char *type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].type, type) == 0)
            return types[i].bytes;
    return 0;
}

/* Writes the header of format 1.0, whose dictionary is followed by spaces up to the elements, which are aligned. */
static void write_header(const char *name, size_t rows, size_t columns, unsigned char header[HEADER_SIZE])
{
    char shape[48], text[HEADER_SIZE - PREFIX_SIZE];
    enum { LENGTH = HEADER_SIZE - PREFIX_SIZE };
    if (rows == 1)
        snprintf(shape, sizeof shape, "(%zu,)", columns);
    else
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", name, shape);
    memset(header, ' ', HEADER_SIZE);
    memcpy(header, magic, MAGIC_SIZE);
    header[MAGIC_SIZE] = 1;
    header[MAGIC_SIZE + 1] = 0;
    header[MAGIC_SIZE + 2] = LENGTH;
    header[MAGIC_SIZE + 3] = 0;
    memcpy(header + PREFIX_SIZE, text, (size_t)used);
    header[HEADER_SIZE - 1] = '\n';
}

/* Whether `bytes` are rows * columns elements; the product may be too large for a size_t. */
static bool is_size(size_t bytes, size_t rows, size_t columns, size_t element)
{
    return rows > 0 && columns > 0 && columns <= bytes / element && rows == bytes / element / columns &&
           bytes == rows * columns * element;
}

unsigned char *lab_numpy_write(const char *type, size_t rows, size_t columns, const void *elements, size_t bytes,
                               size_t *size, struct lab_error *error)
{
    size_t row = 0;
    unsigned char *file = NULL;
    while (row < TYPES && strcmp(types[row].type, type != NULL ? type : "fp32") != 0)
        row++;
    if (row == TYPES)
        lab_error_set(error, LAB_ERROR_USAGE, "", "has elements of the type '%.16s', which NumPy does not have", type);
    else if (!is_size(bytes, rows, columns, types[row].bytes))
        lab_error_set(error, LAB_ERROR_USAGE, "", "has %zu bytes, which are not %zu x %zu elements of %s", bytes, rows,
                      columns, types[row].type);
    else if ((file = malloc(HEADER_SIZE + bytes)) == NULL)
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a file of NumPy");
    if (file == NULL)
        return NULL;
    write_header(types[row].name, rows, columns, file);
    memcpy(file + HEADER_SIZE, elements, bytes);
    *size = HEADER_SIZE + bytes;
    return file;
}
