/* The parts of gpulab-group-worker that are not those of gpulab-worker. */
#ifndef LAB_STAND_IN_H
#define LAB_STAND_IN_H

#include "runtime/runtime.h"

extern const struct lab_runtime_collective lab_between_processes;

/* Whether the results on this machine's devices are to be wrong. */
bool lab_stand_in_is_wrong(void);

#endif
