/* The devices for which the environment variable CUDA_VISIBLE_DEVICES asks: indices, or beginnings of UUIDs, separated
 * by commas (CUDA C++ Programming Guide, "CUDA Environment Variables"). CUDA leaves out the first that is not there and
 * all after it.
 */
#ifndef LAB_VISIBLE_H
#define LAB_VISIBLE_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>

/* A value of the variable that is put together. Starts as `{0}`. */
struct lab_visible {
    char value[4096];
    size_t length;
};

/* Adds a device, by its UUID. False when there is no space for it. */
bool lab_visible_add(struct lab_visible *visible, const char *uuid);
/* Sets the variable of this process, unless no device was added. CUDA's driver takes time for each device that it
 * shows, from its first call on: 130 ms for one H100, 340 ms for two, 1.2 s for four. */
void lab_visible_set(const struct lab_visible *visible);

/* How many devices `value` asks for: 0 if it is empty, or begins with a negative number, "none" or "NoDevFiles". Of
 * several MIG devices a process has one. */
size_t lab_visible_count(const char *value);

/* Whether CUDA has all devices for which `value` asks; `found`: how many it has. False with error->detail set, which
 * names the first that is not there. */
bool lab_visible_check(const char *value, size_t found, struct lab_error *error);

#endif
