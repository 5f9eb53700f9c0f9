/* Compiles the own kernels of a run for its devices, before a worker gets it. */
#ifndef LAB_COMPILE_KERNELS_H
#define LAB_COMPILE_KERNELS_H

#include "jobs_state.h"
#include "run_attempt.h"

/* Replaces the own kernels of both sides by what a worker gets of them (core/protocol.h). A source that both sides have
 * is compiled once. Returns false with *problem set, {type, title, detail, messages?}, if a source was rejected or
 * could not be compiled. */
bool lab_compile_kernels(struct lab_jobs *jobs, struct lab_run_request *request, json_t **problem);

/* Says that `entry` (NULL: none is given) names no kernel of the compiler's list, or several. */
void lab_entry_missing_text(const json_t *kernels, const char *entry, char *detail, size_t size);

#endif
