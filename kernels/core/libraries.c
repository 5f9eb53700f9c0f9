#include "core/libraries.h"

#include "core/library.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Declarations of the version functions as in cublas_api.h, cufft.h, nccl.h, nvrtc.h, cupti_version.h and cblas.h. They
 * are called by these, so that a build without a library's header reports its version too. */
typedef int get_property(int property, int *value); /* of cuBLAS and cuFFT; property: 0 major, 1 minor, 2 patch */
typedef int nccl_get_version(int *version);
typedef int nvrtc_version(int *major, int *minor);
typedef int cupti_get_version(uint32_t *version);
typedef char *openblas_get_config(void);

/* What the name in the library stands for. */
union symbol {
    void *address;
    get_property *property;
    nccl_get_version *nccl;
    nvrtc_version *nvrtc;
    cupti_get_version *cupti;
    openblas_get_config *openblas;
};

static bool read_property(union symbol get, char *text, size_t size)
{
    int parts[3] = {0};
    for (int i = 0; i < 3; i++)
        if (get.property(i, &parts[i]) != 0)
            return false;
    snprintf(text, size, "%d.%d.%d", parts[0], parts[1], parts[2]);
    return true;
}

/* The number is major * 10000 + minor * 100 + patch from 2.9 on, and major * 1000 + minor * 100 + patch before. */
void lab_nccl_version_text(int version, char *text, size_t size)
{
    int major = version >= 10000 ? version / 10000 : version / 1000;
    int minor = version >= 10000 ? version % 10000 / 100 : version % 1000 / 100;
    snprintf(text, size, "%d.%d.%d", major, minor, version % 100);
}

static bool read_nccl(union symbol get, char *text, size_t size)
{
    int version = 0;
    if (get.nccl(&version) != 0)
        return false;
    lab_nccl_version_text(version, text, size);
    return true;
}

static bool read_nvrtc(union symbol get, char *text, size_t size)
{
    int major = 0, minor = 0;
    if (get.nvrtc(&major, &minor) != 0)
        return false;
    snprintf(text, size, "%d.%d", major, minor);
    return true;
}

/* The number of CUPTI's interface. */
static bool read_cupti(union symbol get, char *text, size_t size)
{
    uint32_t version = 0;
    if (get.cupti(&version) != 0)
        return false;
    snprintf(text, size, "%u", version);
    return true;
}

/* Writes what stands in `version` after `prefix` and before a character of `end`. */
static bool cut(const char *version, const char *prefix, const char *end, char *text, size_t size)
{
    size_t length = strlen(prefix);
    if (version == NULL || strncmp(version, prefix, length) != 0)
        return false;
    snprintf(text, size, "%.*s", (int)strcspn(version + length, end), version + length);
    return true;
}

/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …" */
static bool read_openblas(union symbol get, char *text, size_t size)
{
    return cut(get.openblas(), "OpenBLAS ", " ", text, size);
}

/* "fftw-3.3.10-sse2-avx": the text itself, as in fftw3.h. */
static bool read_fftw(union symbol version, char *text, size_t size)
{
    return cut(version.address, "fftw-", "-", text, size);
}

static const struct versioned {
    const char *runtime, *name, *const *files, *symbol;
    bool (*read)(union symbol symbol, char *text, size_t size);
} libraries[] = {
    {"cuda", "cublas", lab_cublas_names, "cublasGetProperty", read_property},
    {"cuda", "cufft", lab_cufft_names, "cufftGetProperty", read_property},
    {"cuda", "nccl", lab_nccl_names, "ncclGetVersion", read_nccl},
    {"cuda", "nvrtc", lab_nvrtc_names, "nvrtcVersion", read_nvrtc},
    {"cuda", "cupti", lab_cupti_names, "cuptiGetVersion", read_cupti},
    {"host", "openblas", lab_openblas_names, "openblas_get_config", read_openblas},
    {"host", "fftw", lab_fftw_names, "fftw_version", read_fftw},
    {"host", "fftwf", lab_fftwf_names, "fftwf_version", read_fftw},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* Whether the library is open; `text` receives its version. */
static bool read_version(const struct versioned *library, char *text, size_t size)
{
    void *handle = NULL;
    for (size_t i = 0; library->files[i] != NULL && handle == NULL; i++)
        handle = dlopen(library->files[i], RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return false;
    union symbol symbol = {.address = dlsym(handle, library->symbol)};
    bool known = symbol.address != NULL && library->read(symbol, text, size);
    dlclose(handle); /* it stays loaded, because whoever has opened it has not closed it */
    return known;
}

void lab_libraries_visit(const char *runtime, void (*visit)(void *context, const char *name, const char *version),
                         void *context)
{
    for (size_t i = 0; i < LIBRARIES; i++) {
        char version[32];
        if (strcmp(libraries[i].runtime, runtime) == 0)
            visit(context, libraries[i].name, read_version(&libraries[i], version, sizeof version) ? version : NULL);
    }
}

static const struct versioned *find(const char *name)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (strcmp(libraries[i].name, name) == 0)
            return &libraries[i];
    return NULL;
}

bool lab_libraries_open(const char *name, char *version, size_t size, char *why, size_t why_size)
{
    const struct versioned *library = find(name);
    union symbol symbol = {0};
    if (library == NULL) {
        snprintf(why, why_size, "no library is called %s", name);
        return false;
    }
    const struct lab_library_symbol symbols[] = {{offsetof(union symbol, address), library->symbol}};
    if (!lab_library_open(&(struct lab_library){library->files, symbols, 1}, &symbol, why, why_size))
        return false;
    if (!library->read(symbol, version, size))
        snprintf(version, size, "version unknown");
    return true;
}
