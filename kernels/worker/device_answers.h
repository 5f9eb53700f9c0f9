/* Whether a device still computes, after a program has used it. */
#ifndef LAB_DEVICE_ANSWERS_H
#define LAB_DEVICE_ANSWERS_H

#include "runtime/runtime.h"

#include <stdbool.h>

/* Fills some memory of the device with a pattern, and has the device check it. Takes milliseconds. False with *error
 * set if that fails or the result is wrong; memory that others have taken is no failure. */
bool worker_device_answers(struct lab_device *device, struct lab_error *error);

#endif
