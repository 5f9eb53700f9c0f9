/* Kernels of given time and size, in streams. */
#include "benchmark/spin.h"

// steps use kernels/benchmark/spin.h:spin

// region breadth-first "One kernel for each stream, then the next ones"
/* Kernel k is launched in stream k modulo the number of streams, so that neighbours in a queue are of different streams
 * and need not wait for each other. */
extern "C" __global__ void concurrent_kernels(struct lab_spin_record *records, uint32_t kernel, uint64_t ns)
{
    lab_spin(records, kernel, ns);
}
// end

// step depth-first "All kernels of a stream, then those of the next" shows kernels/benchmark/spin.h:spin, breadth-first
/* The same kernels in another order. Where streams share a queue of the hardware, a kernel that waits for the one
 * before it in its stream holds up the first kernel of another stream: a false dependency. */

LAB_SPIN_CHECK(concurrent_kernels_check)
