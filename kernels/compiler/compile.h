/* Compiles a text with NVRTC. */
#ifndef LAB_COMPILE_H
#define LAB_COMPILE_H

#include "headers.h"
#include "names.h"
#include "nvrtc.h"
#include "request.h"

enum { LAB_LOG_BYTES_MAX = 64 << 10, LAB_CODE_BYTES_MAX = 16 << 20 };

/* What compiling needs beside the request. */
struct lab_compile_context {
    const struct lab_nvrtc *nvrtc;
    const struct lab_demangler *demangler;
    struct lab_headers *headers;
    int header_server; /* of header_server.h: finds the headers that are missing in `headers`; -1: none */
};

/* The answer's members about the source: README.md. A new reference; NULL with *error, codes "unknown-architecture" and
 * "compiler-failed", if NVRTC did not come to a verdict on the source. */
json_t *lab_compile_source(const struct lab_compile_context *context, const struct lab_compile_request *request,
                           struct lab_error *error);

#endif
