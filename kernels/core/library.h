/* Loads libraries at their first use: those of the CUDA toolkit, which the driver does not include, and those of the
 * system beside which the CPU is measured. Without them, only the functions that need them fail.
 */
#ifndef LAB_LIBRARY_H
#define LAB_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Where to find a library, and the functions that are called in it. */
struct lab_library {
    const char *const *names; /* file names, the preferred one first; ends with NULL */
    const struct lab_library_symbol {
        size_t offset;    /* offset of the function's pointer in a struct of function pointers */
        const char *name; /* the function's name in the library */
    } * symbols;
    size_t symbol_count;
};

/* The file names of the libraries that are loaded so, the preferred one first; each list ends with NULL. */
extern const char *const lab_cublas_names[],
    *const lab_cublaslt_names[], *const lab_cufft_names[], *const lab_cupti_names[], *const lab_nccl_names[],
                                                                                         *const lab_nvrtc_names[];
extern const char *const lab_openblas_names[], *const lab_fftw_names[], *const lab_fftwf_names[];

/* Loads the library from the loader's search path, else from the toolkit's usual folders, and fills in the struct
 * `functions`. Returns false if no library that has all symbols is found; the loader's error is then written to `why`,
 * preferably an error about a file that exists. The library stays loaded until the process ends. */
bool lab_library_open(const struct lab_library *library, void *functions, char *why, size_t why_size);

/* Finds the first of `names`, which end with NULL, in the toolkit's usual folders, for a program that will load it.
 * Returns false if none is there. */
bool lab_library_find(const char *const *names, char path[PATH_MAX]);

#endif
