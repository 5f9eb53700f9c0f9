/* The GPUs of a machine, whether or not they can be used. */
#ifndef LAB_DOCTOR_GPUS_H
#define LAB_DOCTOR_GPUS_H

#include "findings.h"

/* How many GPUs of NVIDIA the machine has: on its PCI buses, else as CUDA or NVML report them. */
size_t doctor_count_gpus(const struct doctor *doctor);

#endif
