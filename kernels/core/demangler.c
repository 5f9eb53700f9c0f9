#include "core/demangler.h"

#include "core/library.h"

#include <stddef.h>

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
