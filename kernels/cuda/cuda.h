/* The CUDA runtime: experiments on NVIDIA GPUs. This folder is the only place of the house where CUDA is.
 */
#ifndef LAB_CUDA_H
#define LAB_CUDA_H

#include "runtime/runtime.h"

extern const struct lab_runtime lab_cuda_runtime;

#endif
