/* What a kernel needs beside its parameters, read from the PTX. */
#ifndef LAB_PTX_FACTS_H
#define LAB_PTX_FACTS_H

#include <jansson.h>

/* Sets of each kernel [{"name"}…] "grid_sync": whether it synchronises its grid, so that its launch must be
 * cooperative, and "constants": the __constant__ variables that it reads and that the source gives no contents, by
 * their symbols. */
void lab_ptx_facts(const char *ptx, json_t *kernels);

#endif
