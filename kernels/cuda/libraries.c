/* The versions of the toolkit's libraries that this process has opened. */
#include "entries.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Declarations of the version functions as in cublas_api.h, cufft.h, nccl.h, nvrtc.h and cupti_version.h. They are
 * called by these, so that a build without a library's header reports its version too. */
typedef int get_property(int property, int *value); /* of cuBLAS and cuFFT; property: 0 major, 1 minor, 2 patch */
typedef int nccl_get_version(int *version);
typedef int nvrtc_version(int *major, int *minor);
typedef int cupti_get_version(uint32_t *version);

union function {
    void *address;
    get_property *property;
    nccl_get_version *nccl;
    nvrtc_version *nvrtc;
    cupti_get_version *cupti;
};

static bool read_property(union function get, char *text, size_t size)
{
    int parts[3] = {0};
    for (int i = 0; i < 3; i++)
        if (get.property(i, &parts[i]) != 0)
            return false;
    snprintf(text, size, "%d.%d.%d", parts[0], parts[1], parts[2]);
    return true;
}

/* The number is major * 10000 + minor * 100 + patch from 2.9 on, and major * 1000 + minor * 100 + patch before. */
void lab_cuda_nccl_version(int version, char *text, size_t size)
{
    int major = version >= 10000 ? version / 10000 : version / 1000;
    int minor = version >= 10000 ? version % 10000 / 100 : version % 1000 / 100;
    snprintf(text, size, "%d.%d.%d", major, minor, version % 100);
}

static bool read_nccl(union function get, char *text, size_t size)
{
    int version = 0;
    if (get.nccl(&version) != 0)
        return false;
    lab_cuda_nccl_version(version, text, size);
    return true;
}

static bool read_nvrtc(union function get, char *text, size_t size)
{
    int major = 0, minor = 0;
    if (get.nvrtc(&major, &minor) != 0)
        return false;
    snprintf(text, size, "%d.%d", major, minor);
    return true;
}

/* The number of CUPTI's interface. */
static bool read_cupti(union function get, char *text, size_t size)
{
    uint32_t version = 0;
    if (get.cupti(&version) != 0)
        return false;
    snprintf(text, size, "%u", version);
    return true;
}

enum { FILES_MAX = 3 };

static const struct {
    const char *name, *files[FILES_MAX], *symbol;
    bool (*read)(union function get, char *text, size_t size);
} libraries[] = {
    {"cublas", {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}, "cublasGetProperty", read_property},
    {"cufft", {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}, "cufftGetProperty", read_property},
    {"nccl", {"libnccl.so.2", "libnccl.so"}, "ncclGetVersion", read_nccl},
    {"nvrtc", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, "nvrtcVersion", read_nvrtc},
    {"cupti", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, "cuptiGetVersion", read_cupti},
};

/* Whether the library is open; `text` receives its version. */
static bool read_version(size_t library, char *text, size_t size)
{
    void *handle = NULL;
    for (size_t i = 0; i < FILES_MAX && libraries[library].files[i] != NULL && handle == NULL; i++)
        handle = dlopen(libraries[library].files[i], RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return false;
    union function get = {.address = dlsym(handle, libraries[library].symbol)};
    bool known = get.address != NULL && libraries[library].read(get, text, size);
    dlclose(handle); /* it stays loaded, because whoever has opened it has not closed it */
    return known;
}

void lab_cuda_libraries(void (*visit)(void *context, const char *name, const char *version), void *context)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        char version[32];
        visit(context, libraries[i].name, read_version(i, version, sizeof version) ? version : NULL);
    }
}
