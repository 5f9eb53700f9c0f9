/* Whether programs share the GPUs through NVIDIA's Multi-Process Service. */
#ifndef LAB_MPS_H
#define LAB_MPS_H

#include <stdbool.h>

/* Whether the control daemon of MPS has its pipe where CUDA looks for it; `root` stands before the path, "" for this
 * machine. */
bool lab_mps_is_running(const char *root);

#endif
