/* Kernels of one block before and after a kernel in the default stream. */
#include "benchmark/spin.h"

// steps use kernels/benchmark/spin.h:spin

// region none "No kernel between"
/* Half of the streams get a kernel, then the other half. All run at the same time. */
extern "C" __global__ void default_stream(struct lab_spin_record *records, uint32_t kernel, uint64_t ns)
{
    lab_spin(records, kernel, ns);
}
// end

// step legacy "Between them one in the legacy default stream" shows kernels/benchmark/spin.h:spin, none
/* `kernel<<<grid, block>>>`, or a stream of 0 or cudaStreamLegacy. The kernel waits for all that is before it in
 * streams created by cudaStreamCreate, and what is after it waits for the kernel. */

// step per-thread "Between them one in the default stream of the thread" shows kernels/benchmark/spin.h:spin, none
/* cudaStreamPerThread, which a launch without a stream uses if compiled with nvcc --default-stream per-thread. It is a
 * stream like the others, one for each thread of the host. */

// step non-blocking "The legacy default stream beside non-blocking streams" shows kernels/benchmark/spin.h:spin, none
/* Streams created with cudaStreamNonBlocking take no part in what the legacy default stream does. */

// step mixed "The legacy default stream beside streams of both kinds" shows kernels/benchmark/spin.h:spin, none
/* Every second stream is non-blocking. Its kernel starts at once, though it was launched after the one in the default
 * stream. */

// step both "One in the legacy default stream, then one in that of the thread" shows kernels/benchmark/spin.h:spin, none
/* The default stream of a thread is a blocking stream: it waits for the legacy one as others do. */

LAB_SPIN_CHECK(default_stream_check)
