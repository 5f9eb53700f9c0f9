/* Calls the demangler of the C++ library, which is opened at run time because this program needs nothing else of it. */
#include "names.h"

#include "core/library.h"
#include "core/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Names can be exponentially longer than their symbols. */
enum { NAMES_MAX = 1000, NAME_BYTES_MAX = 1000 };

void lab_demangler_open(struct lab_demangler *demangler)
{
    static const char *const files[] = {"libstdc++.so.6", NULL};
    static const struct lab_library_symbol symbols[] = {
        {offsetof(struct lab_demangler, demangle), "__cxa_demangle"},
    };
    const struct lab_library library = {files, symbols, sizeof symbols / sizeof *symbols};
    char why[256];
    *demangler = (struct lab_demangler){0};
    lab_library_open(&library, demangler, why, sizeof why);
}

json_t *lab_names(const struct lab_demangler *demangler, const char *text)
{
    json_t *names = json_object();
    for (size_t length;
         demangler->demangle != NULL && json_object_size(names) < NAMES_MAX && (length = lab_symbol_next(&text)) > 0;
         text += length) {
        char *symbol = strndup(text, length), *name = NULL;
        int status;
        if (symbol != NULL && json_object_get(names, symbol) == NULL)
            name = demangler->demangle(symbol, NULL, NULL, &status);
        if (name != NULL && strlen(name) <= NAME_BYTES_MAX)
            json_object_set_new(names, symbol, json_string(name));
        free(name);
        free(symbol);
    }
    return names;
}
