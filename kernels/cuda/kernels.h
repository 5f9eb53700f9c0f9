/* The interface between this folder's C and its CUDA C++: a launcher in plain C for each kernel. A launcher only
 * queues; its addresses must be accessible to kernels. Nothing here depends on experiments.
 */
#ifndef LAB_CUDA_KERNELS_H
#define LAB_CUDA_KERNELS_H

#include "runtime/pattern.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rectangle of bytes: `height` rows of `width` bytes, `pitch` bytes apart. */
struct cuda_region {
    unsigned char *address;
    size_t width, height, pitch;
};

/* Each `load` function makes the driver load the kernels of one file. Otherwise the driver loads them at their first
 * launch, which would wait for the latch if one is closed. */
cudaError_t lab_cuda_load_pattern(void);
cudaError_t lab_cuda_load_copy(void);
cudaError_t lab_cuda_load_wait(void);
cudaError_t lab_cuda_load_elementwise(void);
cudaError_t lab_cuda_load_pairs(void);
cudaError_t lab_cuda_load_transpose(void);

/* pattern.cu. `multiprocessors` determines the size of the grid. */

/* struct lab_comparison with types for atomics. */
struct cuda_comparison {
    unsigned long long wrong;
    double max_error; /* of FLOATS_PLUS */
};

cudaError_t lab_cuda_launch_fill(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                 struct lab_expectation expected);

/* Adds to *comparison, which is device memory and must be zeroed first. */
cudaError_t lab_cuda_launch_check(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                  struct lab_expectation expected, struct cuda_comparison *comparison);

/* copy.cu: regions of the same width and height that do not overlap. */
cudaError_t lab_cuda_launch_copy(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                 struct cuda_region source);

/* elementwise.cu: one thread per element, `block` threads per block (32 to 1024). runtime.h says what each computes. */
cudaError_t lab_cuda_launch_sine_cosine(cudaStream_t stream, uint32_t block, float *values, uint64_t count,
                                        uint64_t first, uint32_t weight);
cudaError_t lab_cuda_launch_average(cudaStream_t stream, uint32_t block, int32_t *destination, const int32_t *source,
                                    const int32_t *source2, uint64_t count);
cudaError_t lab_cuda_launch_increment(cudaStream_t stream, uint32_t block, int32_t *values, uint64_t count);

/* pairs.cu */
cudaError_t lab_cuda_launch_pairs(cudaStream_t stream, uint32_t *destination, const uint32_t *source, uint64_t count,
                                  const uint32_t *partners, uint32_t partner_count);

/* transpose.cu: square matrices of 4-byte elements that do not overlap. */
cudaError_t lab_cuda_launch_transpose(cudaStream_t stream, struct cuda_region destination, struct cuda_region source);

/* wait.cu */

/* The name of the latch's kernel in a trace. */
#define LAB_CUDA_LATCH_KERNEL "lab_cuda_latch"

/* Page-locked words of a latch. Only the host writes one, only the device the other. */
struct cuda_latch_words {
    uint32_t opened;      /* by the host: the number of the last closing that it has opened */
    uint32_t padding[31]; /* so that the two writers do not share a cache line */
    uint32_t timed_out;   /* by the device: the number of the last closing that timed out */
};

/* One thread that spins until words->opened has reached `closing`, or until `timeout_ns` have passed on the device. */
cudaError_t lab_cuda_launch_latch(cudaStream_t stream, struct cuda_latch_words *words, uint32_t closing,
                                  uint64_t timeout_ns);

/* One thread that counts the multiprocessor's cycles for at least `duration_ns`: answer[0] cycles in answer[1] ns. */
cudaError_t lab_cuda_launch_count_cycles(cudaStream_t stream, uint64_t duration_ns, uint64_t *answer);

#ifdef __cplusplus
}
#endif

#endif
