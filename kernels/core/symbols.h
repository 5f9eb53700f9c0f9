/* The symbols that C++ makes of names: "_Z3addPfi" of "add(float*, int)". */
#ifndef LAB_SYMBOLS_H
#define LAB_SYMBOLS_H

#include <jansson.h>

/* Finds the next symbol in a text and moves *at to its beginning. Returns its length; 0 if there is none. */
size_t lab_symbol_next(const char **at);

/* A copy of `text` with the names in place of the symbols, of {symbol: name}; other symbols stay. The caller frees it.
 * NULL when it would be longer than `most` bytes, or out of memory. */
char *lab_symbols_replace(const char *text, const json_t *names, size_t most);

#endif
