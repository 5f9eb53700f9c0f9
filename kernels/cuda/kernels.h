/* The interface between the C files and the CUDA C++ files of this folder: a function with C linkage that launches each
 * kernel. It only queues the kernel. All addresses passed to it must be accessible to kernels.
 */
#ifndef LAB_CUDA_KERNELS_H
#define LAB_CUDA_KERNELS_H

#include "runtime/pattern.h"
#include "runtime/reduction.h"

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

/* Each lab_cuda_load function makes the driver load the kernels of one file. Otherwise the driver would load them at
 * their first launch, and the launch would block while a latch is closed. */
cudaError_t lab_cuda_load_pattern(void);
cudaError_t lab_cuda_load_copy(void);
cudaError_t lab_cuda_load_wait(void);

/* --- pattern.cu; `multiprocessors` determines the size of the grid ------------------------------------------------ */

/* struct lab_mismatch with types for which CUDA has atomic functions. */
struct cuda_comparison {
    unsigned long long wrong; /* elements that differ */
    double max_error;         /* largest absolute error, for LAB_CONTENT_FLOATS_PLUS_ONE; otherwise 0 */
};

cudaError_t lab_cuda_launch_fill(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                 struct lab_expectation expected);

/* Adds to *comparison, which is device memory and must be zeroed first. */
cudaError_t lab_cuda_launch_check(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                  struct lab_expectation expected, struct cuda_comparison *comparison);

/* --- copy.cu ------------------------------------------------------------------------------------------------------ */

/* Copies between regions of the same width and height that do not overlap. */
cudaError_t lab_cuda_launch_copy(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                 struct cuda_region source);

/* --- reduction.cu, in builds with CUB ----------------------------------------------------------------------------- */

/* Sums up (runtime/reduction.h) with *scratch_bytes bytes of memory at `scratch`. If `scratch` is NULL, launches
 * nothing and sets *scratch_bytes to what is needed. */
cudaError_t lab_cuda_launch_sum(cudaStream_t stream, enum lab_reduction_type type, void *scratch, size_t *scratch_bytes,
                                const void *elements, void *sum, uint64_t count);

/* --- wait.cu ------------------------------------------------------------------------------------------------------ */

/* The name of the latch's kernel in a trace. */
#define LAB_CUDA_LATCH_KERNEL "lab_cuda_latch"

/* The words of a latch in page-locked memory. Each time the latch is closed, the closing gets the next number. */
struct cuda_latch_words {
    uint32_t opened;      /* number of the last closing that has been opened; only the host writes it */
    uint32_t padding[31]; /* puts the words of the two writers into different cache lines */
    uint32_t timed_out;   /* number of the last closing that timed out; only the device writes it */
};

/* Launches one thread that spins until words->opened has reached `closing`, or until `timeout_ns` have passed on the
 * device. */
cudaError_t lab_cuda_launch_latch(cudaStream_t stream, struct cuda_latch_words *words, uint32_t closing,
                                  uint64_t timeout_ns);

/* Launches one thread that counts the multiprocessor's cycles for at least `duration_ns`, and sets answer[0] to the
 * number of cycles and answer[1] to the time in ns. */
cudaError_t lab_cuda_launch_count_cycles(cudaStream_t stream, uint64_t duration_ns, uint64_t *answer);

#ifdef __cplusplus
}
#endif

#endif
