/* The kernel of host-work on host devices. */
#include "benchmark/spin.h"

// steps use kernels/benchmark/spin.h:spin-host, run.c:work, run.c:together

// region kernel
LAB_HOST_KERNEL(host_work)
{
    lab_spin_part(part, arguments[0].pointer, arguments[1].u32, arguments[2].u64);
}
// end

LAB_SPIN_CHECK(host_work_check)
