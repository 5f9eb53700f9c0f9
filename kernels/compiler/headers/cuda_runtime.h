/* NVRTC declares what device code can use of <cuda_runtime.h>. */
