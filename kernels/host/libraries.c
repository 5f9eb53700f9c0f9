/* The version of OpenBLAS, if this process has opened it. */
#include "entries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* openblas_get_config() as in cblas.h: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …". */
typedef char *openblas_get_config(void);

static bool read_version(void *library, char *text, size_t size)
{
    static const char prefix[] = "OpenBLAS ";
    void *address = dlsym(library, "openblas_get_config");
    openblas_get_config *get_config;
    memcpy(&get_config, &address, sizeof address); /* ISO C does not convert object pointers to function pointers */
    const char *config = get_config != NULL ? get_config() : NULL;
    if (config == NULL || strncmp(config, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *version = config + sizeof prefix - 1;
    snprintf(text, size, "%.*s", (int)strcspn(version, " "), version);
    return true;
}

void lab_host_libraries(void (*visit)(void *context, const char *name, const char *version), void *context)
{
    char version[32];
    void *library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        library = dlopen("libopenblas.so", RTLD_LAZY | RTLD_NOLOAD);
    visit(context, "openblas", library != NULL && read_version(library, version, sizeof version) ? version : NULL);
    if (library != NULL)
        dlclose(library); /* it stays loaded, because whoever has opened it has not closed it */
}
