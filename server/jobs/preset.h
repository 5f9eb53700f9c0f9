/* The preset that a request for a run names. */
#ifndef LAB_PRESET_H
#define LAB_PRESET_H

#include "core/errors.h"

#include <jansson.h>

/* The request with the parameters of its preset, to which its own are added or which they replace. In a comparison the
 * preset's time budget does not count: it is too short for the blocks. An error in *errors where the experiment has no
 * such preset. What is of a wrong type, or an experiment that does not exist, is left to the other checks. A new
 * reference, which shares the values. */
json_t *lab_preset_add(const json_t *request, struct lab_errors *errors);

#endif
