/* The options with which a compiler builds what people wrote: one row each, from which follow the member of a request
 * and the argument of the compiler. Nothing else of a request reaches a compiler's command line. */
#ifndef LAB_BUILD_OPTIONS_H
#define LAB_BUILD_OPTIONS_H

#include "core/errors.h"
#include "core/schema.h"

enum { LAB_MACROS_MAX = 64, LAB_MACRO_BYTES_MAX = 256 };

/* The members of an object of options of a program, and how a command line names each, in the same order. The first are
 * those that own kernels have too; those of a compilation that runs nothing are these and what its answer contains. A
 * submission has no macros, which would reach the source that it is compared with. */
extern const struct lab_schema lab_build_option_members[], lab_kernel_option_members[], lab_compile_option_members[],
    lab_submission_option_members[];
struct lab_build_flag {
    const char *name, *value; /* "--define", "NAME=VALUE"; value NULL: it has none */
};
extern const struct lab_build_flag lab_build_flags[];
enum { LAB_BUILD_OPTIONS = 10, LAB_KERNEL_OPTIONS = 4 };

/* Languages of a source file, and what compiles them: nvcc for CUDA, and the compilers of the machine for the
 * others. */
enum lab_language { LAB_LANGUAGE_CUDA, LAB_LANGUAGE_CPP, LAB_LANGUAGE_C, LAB_LANGUAGES };

/* The language of a file by the end of its name; LAB_LANGUAGES: it is not compiled by itself, such as a header. */
enum lab_language lab_language_of(const char *file);

/* Checks the values that rows cannot: names of macros, and options that no language of the program has. `used`: the
 * languages of its files. False with errors added, whose pointers begin with `pointer`. */
bool lab_build_options_check(const json_t *options, const bool used[LAB_LANGUAGES], const char *pointer,
                             struct lab_errors *errors);

/* Checks the options of own kernels, whose macros may have lists of values. */
bool lab_kernel_options_check(const json_t *options, const char *pointer, struct lab_errors *errors);

/* Calls `add` with each argument that the options make for the compiler of a language: for compiling, or for
 * linking. */
void lab_build_options_arguments(const json_t *options, enum lab_language language, bool linking,
                                 void (*add)(void *context, const char *argument), void *context);

/* Calls `add` with each argument that the options of an own kernel, or of a compilation that runs nothing, make for
 * NVRTC; without the macros. */
void lab_kernel_options_arguments(const json_t *options, void (*add)(void *context, const char *argument),
                                  void *context);

#endif
