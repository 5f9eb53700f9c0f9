/* A kernel that takes a given time, in which the host can work. */
#include "benchmark/spin.h"

// steps use kernels/benchmark/spin.h:spin, run.c:work, run.c:together

// region kernel "A kernel"
/* The launch returns at once: nearly all of the kernel's time is free for the host. */
extern "C" __global__ void host_work(struct lab_spin_record *records, uint32_t kernel, uint64_t ns)
{
    lab_spin(records, kernel, ns);
}
// end

// step h2d-pinned "A copy to the device, from pinned memory" shows run.c:work, run.c:together
/* cudaMemcpyAsync of page-locked memory: the copy engine reads it without the CPU, and the call returns at once. */

// step d2h-pinned "A copy to the host, to pinned memory" shows run.c:work, run.c:together
/* The same in the other direction. */

// step h2d-pageable "A copy to the device, from pageable memory" shows run.c:work, run.c:together
/* The operating system may move the memory, so the CPU copies it through a page-locked buffer of the driver, within the
 * call. The call has the same name and returns when nearly all is done: no time is left. */

// step d2h-pageable "A copy to the host, to pageable memory" shows run.c:work, run.c:together
/* The call returns when the last byte has arrived. */

LAB_SPIN_CHECK(host_work_check)
