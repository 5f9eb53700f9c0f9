/* Compiles people's kernels with gpulab-compiler (kernels/compiler), one process for each source. Whatever a source
 * does to the compiler becomes an answer or an error here; no call waits longer than the time limit.
 */
#ifndef LAB_COMPILER_H
#define LAB_COMPILER_H

#include "core/errors.h"

#include <jansson.h>

struct lab_compiler;

struct lab_compiler_options {
    const char *path;     /* of gpulab-compiler; not copied */
    double time_limit_s;  /* of a compilation, longer than that of its processor time; 0: 120 s */
    unsigned processor_s; /* processor time of a compilation; 0: 20 s */
    unsigned memory_mib;  /* address space of the process; 0: 4096 */
};

/* NULL when out of memory. */
struct lab_compiler *lab_compiler_create(const struct lab_compiler_options *options);
/* Ends the compilation in progress, and all later ones, with an error. Any thread. NULL is allowed. */
void lab_compiler_stop(struct lab_compiler *compiler);
/* NULL is allowed. No call of lab_compile may be in progress. */
void lab_compiler_free(struct lab_compiler *compiler);

/* Compiles request["source"] and waits for the answer; kernels/compiler/README.md describes both. Any thread. At most
 * as many sources as the machine has processors, and 4, are compiled at a time: another call waits for its turn.
 * Returns a new reference. A source that is rejected is an answer. NULL with *error, whose pointer is into the request:
 * code "no-compiler" (no NVRTC, no sandbox, or no program), "unknown-architecture", "invalid-request", "compile-limit"
 * (time, memory or headers), or "compiler-failed". */
json_t *lab_compile(struct lab_compiler *compiler, const json_t *request, struct lab_error *error);

/* Adds the SASS of an answer of lab_compile to it: "sass", of at most 4 MiB, else cut with a last line that says so. If
 * nvdisasm fails, a note in "messages" says so instead. Does nothing if the source was rejected or the lab has no
 * nvdisasm. Has its turn and its time as a compilation. */
void lab_compiler_add_sass(struct lab_compiler *compiler, json_t *answer);

#endif
