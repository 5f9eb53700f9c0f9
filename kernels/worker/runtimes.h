/* Lists the runtimes of this build and starts one of them. */
#ifndef LAB_RUNTIMES_H
#define LAB_RUNTIMES_H

#include "runtime/runtime.h"

/* The runtimes of this build, in the order in which `--runtime auto` tries them; ends with NULL. */
extern const struct lab_runtime *const lab_runtimes[];

/* Starts the runtime with that name, or for "auto" the first runtime that finds a device. Calls `log`, if it is not NULL,
 * with the reason for each runtime that cannot be started. Returns NULL when none can be started; *error is then the error
 * of the last one. */
const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error);

#endif
