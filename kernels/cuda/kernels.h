/* The seam between this folder's C and its CUDA C++: launchers, one for each kernel, in plain C. A launcher only
 * queues; what it is given must be addresses that kernels reach. Nothing here knows of experiments.
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

/* Each `load` makes the driver load the kernels of one file, which it otherwise does at the first launch: a launch that
 * loads behind a closed latch waits for the latch for ever. */
cudaError_t lab_cuda_load_pattern(void);
cudaError_t lab_cuda_load_copy(void);
cudaError_t lab_cuda_load_wait(void);
cudaError_t lab_cuda_load_pipeline(void);
cudaError_t lab_cuda_load_exchange(void);

/* pattern.cu: `multiprocessors` sizes the grid. */

struct cuda_findings {
    unsigned long long wrong;
    double max_error; /* of FLOATS_PLUS */
};

cudaError_t lab_cuda_launch_fill(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                 struct lab_expectation expected);

/* `*findings`, device memory, is added to; all of its bits are 0 at first. */
cudaError_t lab_cuda_launch_check(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                  struct lab_expectation expected, struct cuda_findings *findings);

/* copy.cu: regions of the same width and height that do not overlap. */
cudaError_t lab_cuda_launch_copy(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                 struct cuda_region source);

/* pipeline.cu: one thread for each element, `block` threads in a block (32 to 1024). What each does is in runtime.h. */
cudaError_t lab_cuda_launch_waves(cudaStream_t stream, uint32_t block, float *values, uint64_t count, uint64_t first,
                                  uint32_t weight);
cudaError_t lab_cuda_launch_average(cudaStream_t stream, uint32_t block, int32_t *destination, const int32_t *source,
                                    const int32_t *source2, uint64_t count);
cudaError_t lab_cuda_launch_increment(cudaStream_t stream, uint32_t block, int32_t *values, uint64_t count);

/* exchange.cu */
cudaError_t lab_cuda_launch_pairs(cudaStream_t stream, uint32_t *destination, const uint32_t *source, uint64_t count,
                                  const uint32_t *partners, uint32_t partner_count);
/* Squares of 4-byte elements, which do not overlap. */
cudaError_t lab_cuda_launch_transpose(cudaStream_t stream, struct cuda_region destination, struct cuda_region source);

/* wait.cu */

/* The latch's kernel, as a tracer names it. */
#define LAB_CUDA_HOLD "lab_cuda_hold"

/* Page-locked words that a latch and the host share; each is written by one side alone. */
struct cuda_latch_words {
    uint32_t opened;      /* by the host: the last closing that it has let go */
    uint32_t padding[31]; /* apart, so that the two writers do not share a line */
    uint32_t timed_out;   /* by the device: the last closing that ended by itself */
};

/* One thread that waits until words->opened has reached `closing`, or `timeout_ns` have passed on the device. */
cudaError_t lab_cuda_launch_hold(cudaStream_t stream, struct cuda_latch_words *words, uint32_t closing,
                                 uint64_t timeout_ns);

/* One thread that counts SM cycles for at least `duration_ns`: answer[0] cycles in answer[1] ns. */
cudaError_t lab_cuda_launch_count_cycles(cudaStream_t stream, uint64_t duration_ns, uint64_t *answer);

#ifdef __cplusplus
}
#endif

#endif
