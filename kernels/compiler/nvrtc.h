/* NVRTC, the compiler of CUDA C++ as a library. It is opened at run time, and its functions are declared here, so that
 * building and starting the lab needs no CUDA toolkit. Result 0 of its functions means success.
 */
#ifndef LAB_NVRTC_H
#define LAB_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

struct lab_nvrtc {
    const char *(*error_text)(int result);
    int (*version)(int *major, int *minor);
    int (*architecture_count)(int *count);
    int (*architectures)(int *versions); /* as numbers: 90 is sm_90 */
    int (*create)(void **program, const char *source, const char *name, int header_count, const char *const *headers,
                  const char *const *header_names);
    int (*destroy)(void **program);
    int (*add_name)(void *program, const char *expression); /* before compiling: an instance of a template to compile */
    /* Afterwards: its symbol, which belongs to the program. */
    int (*symbol)(void *program, const char *expression, const char **symbol);
    int (*compile)(void *program, int option_count, const char *const *options);
    int (*log_size)(void *program, size_t *size); /* sizes of texts include their NUL */
    int (*log)(void *program, char *text);
    int (*ptx_size)(void *program, size_t *size);
    int (*ptx)(void *program, char *text);
    int (*cubin_size)(void *program, size_t *size);
    int (*cubin)(void *program, char *bytes);
};

/* Opens the library. False with the loader's error in `why`. */
bool lab_nvrtc_load(struct lab_nvrtc *nvrtc, char *why, size_t why_size);

/* Opens the library and the only other file that NVRTC needs, which it opens during its first compilation:
 * libnvrtc-builtins. Nothing is compiled before the sandbox, because NVRTC then opens the driver too, where there is
 * one, and the driver reserves 12 GiB of addresses, more than the sandbox allows. False with the error in `why`. */
bool lab_nvrtc_open(struct lab_nvrtc *nvrtc, char *why, size_t why_size);

/* Texts and bytes of a program, which the caller frees; NULL if there is none, or not enough memory. A NUL follows the
 * bytes. */
char *lab_nvrtc_log(const struct lab_nvrtc *nvrtc, void *program);
char *lab_nvrtc_ptx(const struct lab_nvrtc *nvrtc, void *program, size_t *size);
char *lab_nvrtc_cubin(const struct lab_nvrtc *nvrtc, void *program, size_t *size);

/* The include folder of the toolkit to which the library belongs. False if there is none. */
bool lab_nvrtc_include_folder(const struct lab_nvrtc *nvrtc, char *path, size_t size);

/* The folder of the same toolkit that contains `program`. False if there is none. */
bool lab_nvrtc_program_folder(const struct lab_nvrtc *nvrtc, const char *program, char *path, size_t size);

#endif
