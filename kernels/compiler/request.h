/* The request that gpulab-compiler reads from standard input; README.md describes it. */
#ifndef LAB_COMPILE_REQUEST_H
#define LAB_COMPILE_REQUEST_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

enum { LAB_COMPILE_ENTRIES_MAX = 8, LAB_COMPILE_SOURCE_MAX = 256 << 10, LAB_COMPILE_REQUEST_MAX = 4 << 20 };

/* The texts of a request belong to `document`. */
struct lab_compile_request {
    json_t *document;
    const char *source;       /* NULL: only the description of the compiler is requested */
    const char *architecture; /* "sm_90", "sm_90a" */
    const char *name;         /* of the source in messages */
    const json_t *entries;    /* C++ expressions of kernels that are wanted, such as "add<float>"; NULL: none */
    const json_t *files;      /* {NAME: TEXT} that the source can include; NULL: none */
    const json_t *options;    /* of lab_kernel_options_arguments; NULL: none */
};

/* Reads a request until the end of the descriptor and checks it. False with *error, code "invalid-request". */
bool lab_compile_request_read(struct lab_compile_request *request, int descriptor, struct lab_error *error);

#endif
