/* The same rounds for each element of an array. */
#include "benchmark/check.h"
#include "break_even.h"

// region device
extern "C" __global__ void break_even(const uint32_t *in, uint32_t *out, uint64_t count, uint32_t rounds,
                                      uint32_t multiplier, uint32_t increment)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = break_even_rounds(in[i], rounds, multiplier, increment);
}
// end

// step cpu "On the cores of the host" shows break_even.h:rounds, run.c:cpu, device
/* Up to 8 threads, each with a part of the array, which starts and ends in the memory of the host. */

// step kernel "The kernel alone" shows break_even.h:rounds, device
/* The data are on the device and stay there, as in the middle of a longer program. Launch and wait are part of the
 * time. */

// step pinned "Copy, kernel, copy, from and to pinned memory" shows break_even.h:rounds, device, run.c:copies
/* The data are in the host's memory before and after, as for the cores of the host. */

// step pageable "Copy, kernel, copy, from and to pageable memory" shows break_even.h:rounds, device, run.c:copies
/* The same from memory of malloc, which a program has if it does nothing about it. */

LAB_CHECK_KERNEL(break_even_check, break_even_expected)
