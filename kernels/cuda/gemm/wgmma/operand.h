/* An input matrix of wgmma. TMA needs rows that begin at multiples of 16 bytes. A matrix that does not have them is
 * copied into one with padded rows; the copy is made for each product and is part of its time. */
#ifndef LAB_CUDA_GEMM_WGMMA_OPERAND_H
#define LAB_CUDA_GEMM_WGMMA_OPERAND_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wgmma_operand {
    const void *matrix;     /* device memory, row-major, packed */
    uint32_t rows, columns; /* of `matrix` */
    uint32_t element_bytes; /* 1, 2, 4 or 8 */
    void *copy;             /* device memory; NULL if none is needed */
    size_t pitch;           /* bytes from the start of a row to the start of the next, in what TMA reads */
};

/* Sets copy and pitch from the other fields. lab_cuda_wgmma_operand_release frees the copy, also after a failure. */
cudaError_t lab_cuda_wgmma_operand_init(struct wgmma_operand *operand);
void lab_cuda_wgmma_operand_release(struct wgmma_operand *operand);

/* Creates the tensor map of what TMA reads, with boxes of `rows` rows of 128 bytes. */
cudaError_t lab_cuda_wgmma_operand_map(const struct wgmma_operand *operand, CUtensorMapDataType type, unsigned rows,
                                       CUtensorMap *map);

/* Queues the kernel that makes the copy, if there is one. */
cudaError_t lab_cuda_wgmma_operand_queue_copy(const struct wgmma_operand *operand, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
