/* How many kernels run at the same time, by rule: the prediction of concurrent-kernels.
 */
#ifndef LAB_CONCURRENT_KERNELS_H
#define LAB_CONCURRENT_KERNELS_H

#include <stddef.h>

enum { CONCURRENT_KERNELS_MAX = 32 };

/* Kernels that are launched in the order of their numbers. */
struct concurrent_kernels {
    size_t count;                           /* of kernels, at most CONCURRENT_KERNELS_MAX */
    size_t blocks;                          /* of each; all blocks take one unit of time */
    size_t streams[CONCURRENT_KERNELS_MAX]; /* of each kernel: those of one stream run one after the other */
    size_t queues;                          /* stream i is in queue i modulo this number */
    size_t slots;                           /* blocks that the device executes at the same time */
    size_t most;                            /* kernels that the device executes at the same time */
};

struct concurrent_kernels_times {
    size_t at_once; /* the largest number of kernels at the same time */
    size_t units;   /* of time until all have ended */
};

/* A queue hands on its kernels in their order: one that waits for the kernel before it in its stream holds up those
 * behind it, also of other streams. Kernels that have been handed on get places for their blocks in the order of their
 * launch. */
struct concurrent_kernels_times concurrent_kernels_predict(const struct concurrent_kernels *kernels);

#endif
