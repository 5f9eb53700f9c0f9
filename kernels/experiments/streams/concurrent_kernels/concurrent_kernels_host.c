/* The kernels of concurrent-kernels on host devices, whose cores all execute the same kernel. */
#include "benchmark/spin.h"

// steps use kernels/benchmark/spin.h:spin-host

// region breadth-first
LAB_HOST_KERNEL(concurrent_kernels)
{
    lab_spin_part(part, arguments[0].pointer, arguments[1].u32, arguments[2].u64);
}
// end

// step depth-first shows kernels/benchmark/spin.h:spin-host, breadth-first

LAB_SPIN_CHECK(concurrent_kernels_check)
