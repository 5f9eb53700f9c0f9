/* NumPy files (.npy, format 1.0 to 3.0): a magic number, a header that is a dictionary of Python as text, and elements.
 * Types have the names of own kernels' elements: "fp32", "u8". NumPy itself has no bf16; its files are those of the
 * package ml_dtypes.
 */
#ifndef LAB_NUMPY_H
#define LAB_NUMPY_H

#include "core/errors.h"

#include <stddef.h>

/* The most bytes of a header that is read. */
enum { LAB_NUMPY_HEADER_MAX = 4096 };

/* Whether bytes begin as a NumPy file does. */
bool lab_numpy_is(const unsigned char *bytes, size_t size);

/* Sets *begin to where the elements of such a file begin, which must be little-endian, of this type and in the order of
 * C. Returns false with *error set. */
bool lab_numpy_read(const unsigned char *bytes, size_t size, const char *type, size_t *begin, struct lab_error *error);

/* Makes a whole file of `bytes` bytes of elements of a type (NULL: fp32), row by row, little-endian; a file of one row
 * has one dimension. Sets *size; the caller frees the file. NULL with *error set for a type that is not known, when the
 * bytes are not rows * columns elements, or when out of memory. */
unsigned char *lab_numpy_write(const char *type, size_t rows, size_t columns, const void *elements, size_t bytes,
                               size_t *size, struct lab_error *error);

/* Bytes of an element; 0: not a type. */
size_t lab_numpy_bytes(const char *type);

#endif
