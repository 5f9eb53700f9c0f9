/* Loads libraries of the CUDA toolkit at their first use. The driver does not include them; without them, only the
 * functions that need them fail.
 */
#ifndef LAB_LIBRARY_H
#define LAB_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Where to find a library, and the functions that are called in it. */
struct lab_library {
    const char *const *names; /* file names, the preferred one first; ends with NULL */
    const struct lab_library_symbol {
        size_t offset;    /* offset of the function's pointer in a struct of function pointers */
        const char *name; /* the function's name in the library */
    } * symbols;
    size_t symbol_count;
};

/* Loads the library from the loader's search path, else from the toolkit's usual folders, and fills in the struct
 * `functions`. Returns false if no library that has all symbols is found; the loader's error is then written to `why`,
 * preferably an error about a file that exists. The library stays loaded until the process ends. */
bool lab_library_open(const struct lab_library *library, void *functions, char *why, size_t why_size);

/* Finds the first of `names`, which end with NULL, in the toolkit's usual folders, for a program that will load it.
 * Returns false if none is there. */
bool lab_library_find(const char *const *names, char path[PATH_MAX]);

#endif
