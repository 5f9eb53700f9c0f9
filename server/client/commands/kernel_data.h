/* Elements of arguments in files. */
#ifndef LAB_KERNEL_DATA_H
#define LAB_KERNEL_DATA_H

#include "core/errors.h"

#include <jansson.h>

/* The elements in a file as the member "data" or "expected_data" of an argument of this type, a new reference: those of
 * a NumPy file (.npy), whose type must be that of the argument, or else the bytes of the file. Returns NULL with errors
 * on failure. */
json_t *lab_kernel_data_read(const char *file, const char *type, struct lab_errors *errors);

/* Writes the elements of a field (API.md) to a file: a NumPy file where its name ends with ".npy", else their bytes.
 * Returns false with errors. */
bool lab_kernel_data_write(const char *file, const json_t *field, struct lab_errors *errors);

#endif
