/* The runtimes of this build, and which one is used. */
#ifndef LAB_RUNTIMES_H
#define LAB_RUNTIMES_H

#include "runtime/runtime.h"

/* The runtimes of this build, in the order in which `--runtime auto` tries them; ends with NULL. */
extern const struct lab_runtime *const lab_runtimes[];

/* Starts the runtime with that name, or for "auto" the first one that finds a device. Calls `log` (NULL is allowed) with
 * the reason for each runtime that cannot be started. NULL with *error when none can; the error is that of the last one
 * tried. */
const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error);

#endif
