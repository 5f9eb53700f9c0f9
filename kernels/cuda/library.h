/* Libraries of the toolkit that are opened when they are first needed: they do not come with the driver, and all that does not
 * ask for them goes without them.
 */
#ifndef LAB_CUDA_LIBRARY_H
#define LAB_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct cuda_library {
    const char *const *names; /* of its file, the best first; ends with NULL */
    const struct cuda_symbol {
        size_t offset; /* in a struct of function pointers */
        const char *name;
    } * symbols;
    size_t symbol_count;
};

/* Opens the library where the loader finds it, else where toolkits put it, and fills in `functions`. False when none is found
 * that has them all; `why` is then what the loader had against it, of many complaints the one about a file that is
 * there. It stays open: none of them can be taken out of a running program. */
bool lab_cuda_library_open(const struct cuda_library *library, void *functions, char *why, size_t why_size);

#endif
