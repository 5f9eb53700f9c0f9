/* The devices for which the environment variable CUDA_VISIBLE_DEVICES asks: indices, or beginnings of UUIDs, separated
 * by commas (CUDA C++ Programming Guide, "CUDA Environment Variables"). CUDA leaves out the first that is not there and
 * all after it.
 */
#ifndef LAB_VISIBLE_H
#define LAB_VISIBLE_H

#include "core/errors.h"

#include <stddef.h>

/* How many devices `value` asks for: 0 if it is empty, or begins with a negative number, "none" or "NoDevFiles". Of
 * several MIG devices a process has one. */
size_t lab_visible_count(const char *value);

/* Whether CUDA has all devices for which `value` asks; `found`: how many it has. False with error->detail set, which
 * names the first that is not there. */
bool lab_visible_check(const char *value, size_t found, struct lab_error *error);

#endif
