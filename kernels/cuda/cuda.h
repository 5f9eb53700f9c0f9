/* The CUDA runtime: experiments on NVIDIA GPUs. CUDA is used only in this folder.
 */
#ifndef LAB_CUDA_H
#define LAB_CUDA_H

#include "runtime/runtime.h"

/* lab_cuda_runtime.name, and the `backend` of its devices' facts. */
#define LAB_CUDA_RUNTIME_NAME "cuda"

extern const struct lab_runtime lab_cuda_runtime;

#endif
