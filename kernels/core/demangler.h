/* The demangler of the C++ library, which is opened at run time because nothing else of that library is needed. */
#ifndef LAB_DEMANGLER_H
#define LAB_DEMANGLER_H

#include <stddef.h>

struct lab_demangler {
    /* Returns the name of a symbol, to be freed; NULL where it is no symbol. A name can be exponentially longer than
     * its symbol. NULL: the machine has no C++ library. */
    char *(*demangle)(const char *symbol, char *buffer, size_t *size, int *status);
};

/* Opens the C++ library. */
void lab_demangler_open(struct lab_demangler *demangler);

#endif
