/* Loads libraries of the CUDA toolkit at their first use. The driver does not include them, and everything that does
 * not need them works without them.
 */
#ifndef LAB_CUDA_LIBRARY_H
#define LAB_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct cuda_library {
    const char *const *names; /* file names, the preferred one first; ends with NULL */
    const struct cuda_symbol {
        size_t offset; /* of the pointer in a struct of function pointers */
        const char *name;
    } * symbols;
    size_t symbol_count;
};

/* Loads the library from the loader's search path, else from the toolkit's usual folders, and fills in the struct
 * `functions`. False if no library that has all symbols is found; `why` is then the loader's error, preferably one
 * about a file that exists. The library stays loaded for the life of the process. */
bool lab_cuda_library_open(const struct cuda_library *library, void *functions, char *why, size_t why_size);

#endif
