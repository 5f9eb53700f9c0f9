/* The names of C++ for the symbols that compilers make of them. */
#ifndef LAB_NAMES_H
#define LAB_NAMES_H

#include "core/demangler.h"

#include <jansson.h>

/* {symbol: name} of the first 1000 symbols in a text, without names of more than 1000 bytes. */
json_t *lab_names(const struct lab_demangler *demangler, const char *text);

#endif
