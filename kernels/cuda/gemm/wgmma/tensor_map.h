/* Tensor maps describe a matrix in device memory. With one, the tensor memory accelerator (TMA, from Hopper on) copies
 * a box of the matrix that is given by its coordinates. */
#ifndef LAB_CUDA_GEMM_TENSOR_MAP_H
#define LAB_CUDA_GEMM_TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row-major matrix of bf16 or fp16, and the size of the boxes that are copied from or to it. */
struct cuda_tensor {
    CUtensorMapDataType type;
    const void *matrix; /* device memory, aligned to 16 bytes */
    size_t rows, columns;
    size_t pitch;                   /* bytes from the start of a row to the next, a multiple of 16 */
    unsigned box_rows, box_columns; /* size of a box: at most 256 rows of at most 128 bytes */
};

/* Sets *map, which must be aligned to 64 bytes. In shared memory a box is row-major, with the 128-byte swizzle applied
 * to its 16-byte chunks. Elements outside the matrix are read as 0 and not written. Returns cudaErrorNotSupported if
 * the driver does not support tensor maps. */
cudaError_t lab_cuda_tensor_map(CUtensorMap *map, const struct cuda_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
