/* The runtimes that this build holds, and the choice among them.
 */
#ifndef LAB_RUNTIMES_H
#define LAB_RUNTIMES_H

#include "runtime/runtime.h"

/* The runtimes this build holds, in the order in which `--runtime auto` tries them; ends with NULL. */
extern const struct lab_runtime *const lab_runtimes[];

/* Starts the runtime called `name`, or with "auto" the first that finds a device. Each one that finds none is told on
 * `log` once, with its reason, when `log` is not NULL. NULL with *error when none serves. */
const struct lab_runtime *lab_runtime_start(const char *name, const struct lab_runtime_options *options,
                                            void (*log)(const char *line), struct lab_error *error);

#endif
