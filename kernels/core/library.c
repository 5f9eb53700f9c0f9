/* Loads libraries of the CUDA toolkit and of the system. */
#include "core/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const lab_cublas_names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};
const char *const lab_cublaslt_names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so", NULL};
/* The versions of cuFFT are one behind the versions of the toolkit: 12 belongs to CUDA 13. */
const char *const lab_cufft_names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so", NULL};
const char *const lab_cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
const char *const lab_nccl_names[] = {"libnccl.so.2", "libnccl.so", NULL};
const char *const lab_nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};
const char *const lab_openblas_names[] = {"libopenblas.so.0", "libopenblas.so", NULL};
const char *const lab_fftw_names[] = {"libfftw3.so.3", "libfftw3.so", NULL};
const char *const lab_fftwf_names[] = {"libfftw3f.so.3", "libfftw3f.so", NULL};

static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/",
                                      "/usr/local/cuda/targets/x86_64-linux/lib/",
                                      "/usr/local/cuda/extras/CUPTI/lib64/"};

/* Fills in the struct `functions`. Returns false if the library lacks one of the symbols. */
static bool resolve(const struct lab_library *library, void *handle, void *functions)
{
    for (size_t i = 0; i < library->symbol_count; i++) {
        void *found = dlsym(handle, library->symbols[i].name);
        if (found == NULL)
            return false;
        /* memcpy, because ISO C does not convert object pointers to function pointers. */
        memcpy((char *)functions + library->symbols[i].offset, &found, sizeof found);
    }
    return true;
}

/* Stores the loader's last error in `why`, if it is the first one or is about a file that exists. */
static void keep_error(const char *path, char *why, size_t why_size)
{
    const char *message = dlerror();
    if (message != NULL && (why[0] == '\0' || access(path, F_OK) == 0))
        snprintf(why, why_size, "%s", message);
}

bool lab_library_open(const struct lab_library *library, void *functions, char *why, size_t why_size)
{
    why[0] = '\0';
    for (size_t n = 0; library->names[n] != NULL; n++) {
        for (size_t p = 0; p < sizeof folders / sizeof *folders; p++) {
            char path[PATH_MAX];
            snprintf(path, sizeof path, "%s%s", folders[p], library->names[n]);
            void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (handle != NULL && resolve(library, handle, functions))
                return true;
            keep_error(path, why, why_size);
            if (handle != NULL)
                dlclose(handle);
        }
    }
    return false;
}

bool lab_library_find(const char *const *names, char path[PATH_MAX])
{
    for (; *names != NULL; names++)
        for (size_t p = 1; p < sizeof folders / sizeof *folders; p++) { /* the first is the loader's search path */
            snprintf(path, PATH_MAX, "%s%s", folders[p], *names);
            if (access(path, R_OK) == 0)
                return true;
        }
    return false;
}
