#include "names.h"

#include "core/symbols.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1000, NAME_BYTES_MAX = 1000 };

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
