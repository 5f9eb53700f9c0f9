/* Lists the runtimes of this build and starts one of them. */
#ifndef LAB_RUNTIMES_H
#define LAB_RUNTIMES_H

#include "runtime/runtime.h"

/* The runtimes of this build, in the order in which `--runtime auto` tries them; ends with NULL. */
extern const struct lab_runtime *const lab_runtimes[];

/* Starts the runtime with that name, or for "auto" the first runtime that finds a device. No other runtime is taken
 * where CUDA_VISIBLE_DEVICES asks for devices that are not there. Before the next one is tried, calls `log`, if it is
 * not NULL, with the reason why the last one cannot be started. Returns NULL when none can be started. *error is that
 * of the last one that could not be started, and says after success why not the first one was taken: error->detail is
 * "" if it was. */
const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error);

#endif
