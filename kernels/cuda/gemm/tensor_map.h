/* Tensor maps: what Hopper's tensor memory accelerator (TMA) must know of a matrix in device memory to fetch a box of it by its
 * coordinates alone. */
#ifndef LAB_CUDA_GEMM_TENSOR_MAP_H
#define LAB_CUDA_GEMM_TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of bf16 or fp16, row by row, and the boxes that are copied from or to it. */
struct cuda_tensor {
    CUtensorMapDataType type;
    const void *matrix; /* device memory, aligned to 16 bytes */
    size_t rows, columns;
    size_t pitch;                   /* bytes from row to row, a multiple of 16 */
    unsigned box_rows, box_columns; /* at most 256 rows, of at most 128 bytes */
};

/* Boxes lie in shared memory row by row, the 16-byte pieces of each 128 bytes shuffled by the 128-byte swizzle; what a
 * box has beyond the matrix is read as zeros and not written. `map` is aligned to 64 bytes. cudaErrorNotSupported where
 * the driver knows no tensor maps. */
cudaError_t lab_cuda_tensor_map(CUtensorMap *map, const struct cuda_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
