/* Opens NVRTC and finds the headers of its toolkit. */
#include "nvrtc.h"

#include "core/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct lab_nvrtc, error_text), "nvrtcGetErrorString"},
    {offsetof(struct lab_nvrtc, version), "nvrtcVersion"},
    {offsetof(struct lab_nvrtc, architecture_count), "nvrtcGetNumSupportedArchs"},
    {offsetof(struct lab_nvrtc, architectures), "nvrtcGetSupportedArchs"},
    {offsetof(struct lab_nvrtc, create), "nvrtcCreateProgram"},
    {offsetof(struct lab_nvrtc, destroy), "nvrtcDestroyProgram"},
    {offsetof(struct lab_nvrtc, add_name), "nvrtcAddNameExpression"},
    {offsetof(struct lab_nvrtc, symbol), "nvrtcGetLoweredName"},
    {offsetof(struct lab_nvrtc, compile), "nvrtcCompileProgram"},
    {offsetof(struct lab_nvrtc, log_size), "nvrtcGetProgramLogSize"},
    {offsetof(struct lab_nvrtc, log), "nvrtcGetProgramLog"},
    {offsetof(struct lab_nvrtc, ptx_size), "nvrtcGetPTXSize"},
    {offsetof(struct lab_nvrtc, ptx), "nvrtcGetPTX"},
    {offsetof(struct lab_nvrtc, cubin_size), "nvrtcGetCUBINSize"},
    {offsetof(struct lab_nvrtc, cubin), "nvrtcGetCUBIN"},
};

bool lab_nvrtc_load(struct lab_nvrtc *nvrtc, char *why, size_t why_size)
{
    const struct lab_library library = {lab_nvrtc_names, symbols, sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, nvrtc, why, why_size);
}

/* The folder of the library itself. False if it is not known. */
static bool find_library(const struct lab_nvrtc *nvrtc, char folder[PATH_MAX])
{
    Dl_info info;
    void *function;
    memcpy(&function, &nvrtc->version, sizeof function);
    if (dladdr(function, &info) == 0 || realpath(info.dli_fname, folder) == NULL)
        return false;
    *strrchr(folder, '/') = '\0';
    return true;
}

bool lab_nvrtc_open(struct lab_nvrtc *nvrtc, char *why, size_t why_size)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    int major = 0, minor = 0;
    if (!lab_nvrtc_load(nvrtc, why, why_size))
        return false;
    nvrtc->version(&major, &minor);
    if (!find_library(nvrtc, folder))
        strcpy(folder, ".");
    snprintf(path, sizeof path, "%s/libnvrtc-builtins.so.%d.%d", folder, major, minor);
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL)
        return true;
    snprintf(why, why_size, "%s", dlerror());
    return false;
}

typedef int size_function(void *program, size_t *size);
typedef int bytes_function(void *program, char *bytes);

/* What one pair of NVRTC's functions returns. */
static char *get(void *program, size_function *get_size, bytes_function *get_bytes, size_t *size)
{
    *size = 0;
    if (get_size(program, size) != 0)
        return NULL;
    char *bytes = malloc(*size + 1);
    if (bytes == NULL || get_bytes(program, bytes) != 0) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = '\0';
    return bytes;
}

char *lab_nvrtc_log(const struct lab_nvrtc *nvrtc, void *program)
{
    size_t size;
    return get(program, nvrtc->log_size, nvrtc->log, &size);
}

char *lab_nvrtc_ptx(const struct lab_nvrtc *nvrtc, void *program, size_t *size)
{
    return get(program, nvrtc->ptx_size, nvrtc->ptx, size);
}

char *lab_nvrtc_cubin(const struct lab_nvrtc *nvrtc, void *program, size_t *size)
{
    return get(program, nvrtc->cubin_size, nvrtc->cubin, size);
}

/* The first of the candidates, folders relative to that of the library, that contains `file`. False if none does. */
static bool find_folder(const struct lab_nvrtc *nvrtc, const char *const candidates[], const char *file, char *path,
                        size_t size)
{
    char library[PATH_MAX];
    if (!find_library(nvrtc, library))
        return false;
    for (size_t i = 0; candidates[i] != NULL; i++) {
        char wanted[PATH_MAX + 64];
        snprintf(wanted, sizeof wanted, "%s/%s/%s", library, candidates[i], file);
        if (access(wanted, R_OK) == 0)
            return (size_t)snprintf(path, size, "%s/%s", library, candidates[i]) < size;
    }
    return false;
}

/* The library is in lib64 or in targets/x86_64-linux/lib, and Debian's in /usr/lib/TRIPLET. */

bool lab_nvrtc_include_folder(const struct lab_nvrtc *nvrtc, char *path, size_t size)
{
    static const char *const candidates[] = {"../include", "../../include", NULL};
    return find_folder(nvrtc, candidates, "cuda_fp16.h", path, size);
}

bool lab_nvrtc_program_folder(const struct lab_nvrtc *nvrtc, const char *program, char *path, size_t size)
{
    static const char *const candidates[] = {"../bin", "../../bin", "../../../bin", NULL};
    return find_folder(nvrtc, candidates, program, path, size);
}
