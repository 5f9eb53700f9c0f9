/* The answer to a source that NVRTC has judged. */
#ifndef LAB_COMPILE_ANSWER_H
#define LAB_COMPILE_ANSWER_H

#include "compile.h"

/* A source that NVRTC has compiled or rejected. */
struct lab_compilation {
    const struct lab_compile_context *context;
    const struct lab_compile_request *request;
    void *program;   /* of NVRTC; NULL: none yet */
    json_t *missing; /* the headers that the source includes and that do not exist: [{"name","line"}...] */
};

/* The answer's members about the source: README.md. A new reference; NULL if there is not enough memory for NVRTC's
 * log. */
json_t *lab_compile_answer(const struct lab_compilation *compilation, bool compiled);

#endif
