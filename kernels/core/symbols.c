/* Finds and replaces symbols of C++. */
#include "core/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

size_t lab_symbol_next(const char **at)
{
    const char *word = *at;
    while (*(word += strcspn(word, characters)) != '\0') {
        size_t length = strspn(word, characters);
        if (length > 2 && word[0] == '_' && word[1] == 'Z') {
            *at = word;
            return length;
        }
        word += length;
    }
    return 0;
}

/* Writes a symbol, or its name. Returns the length of what it writes. */
static size_t write_name(FILE *out, const char *symbol, size_t length, const json_t *names)
{
    char *key = strndup(symbol, length);
    const char *name = key != NULL ? json_string_value(json_object_get(names, key)) : NULL;
    free(key);
    return fwrite(name != NULL ? name : symbol, 1, name != NULL ? strlen(name) : length, out);
}

char *lab_symbols_replace(const char *text, const json_t *names, size_t most)
{
    char *replaced = NULL;
    size_t size, written = 0, length;
    FILE *out = open_memstream(&replaced, &size);
    if (out == NULL)
        return NULL;
    for (const char *symbol = text; written <= most && (length = lab_symbol_next(&symbol)) > 0; text = symbol) {
        written += fwrite(text, 1, (size_t)(symbol - text), out);
        written += write_name(out, symbol, length, names);
        symbol += length;
    }
    if (written <= most)
        written += fwrite(text, 1, strlen(text), out);
    if (fclose(out) == 0 && written <= most)
        return replaced;
    free(replaced);
    return NULL;
}
