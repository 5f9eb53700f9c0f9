/* The types of <cuda.h>, the driver's interface, that kernels can have as parameters; its functions are for the
 * host. */
#ifndef LAB_COMPILER_CUDA_H
#define LAB_COMPILER_CUDA_H

#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)

typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;

typedef struct alignas(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;

#endif
