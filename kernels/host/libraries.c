/* The versions of OpenBLAS and FFTW, if this process has opened them. */
#include "entries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* openblas_get_config() as in cblas.h: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …". */
typedef char *openblas_get_config(void);

static const char *openblas_version(void *symbol)
{
    openblas_get_config *get_config;
    memcpy(&get_config, &symbol, sizeof symbol); /* ISO C does not convert object pointers to function pointers */
    return get_config();
}

/* fftw_version as in fftw3.h: "fftw-3.3.10-sse2-avx". */
static const char *fftw_version(void *symbol)
{
    return symbol;
}

static const struct {
    const char *name, *files[2], *symbol;
    const char *(*version)(void *symbol);
    const char *prefix, *end; /* the version follows the prefix, and ends before a character of `end` */
} libraries[] = {
    {"openblas", {"libopenblas.so.0", "libopenblas.so"}, "openblas_get_config", openblas_version, "OpenBLAS ", " "},
    {"fftw", {"libfftw3.so.3", "libfftw3.so"}, "fftw_version", fftw_version, "fftw-", "-"},
    {"fftwf", {"libfftw3f.so.3", "libfftw3f.so"}, "fftwf_version", fftw_version, "fftw-", "-"},
};

/* Whether the library is open; `text` receives its version. */
static bool read_version(size_t i, char *text, size_t size)
{
    size_t prefix = strlen(libraries[i].prefix);
    void *library = dlopen(libraries[i].files[0], RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        library = dlopen(libraries[i].files[1], RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        return false;
    void *symbol = dlsym(library, libraries[i].symbol);
    const char *version = symbol != NULL ? libraries[i].version(symbol) : NULL;
    bool known = version != NULL && strncmp(version, libraries[i].prefix, prefix) == 0;
    if (known)
        snprintf(text, size, "%.*s", (int)strcspn(version + prefix, libraries[i].end), version + prefix);
    dlclose(library); /* it stays loaded, because whoever has opened it has not closed it */
    return known;
}

void lab_host_libraries(void (*visit)(void *context, const char *name, const char *version), void *context)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        char version[32];
        visit(context, libraries[i].name, read_version(i, version, sizeof version) ? version : NULL);
    }
}
