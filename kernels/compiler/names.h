/* The names of C++ for the symbols that compilers make of them. */
#ifndef LAB_NAMES_H
#define LAB_NAMES_H

#include <jansson.h>

struct lab_demangler {
    /* NULL: the machine has no C++ library. */
    char *(*demangle)(const char *symbol, char *buffer, size_t *size, int *status);
};

/* Opens the C++ library. */
void lab_demangler_open(struct lab_demangler *demangler);

/* {symbol: name} of the first 1000 symbols in a text, without names of more than 1000 bytes. */
json_t *lab_names(const struct lab_demangler *demangler, const char *text);

#endif
