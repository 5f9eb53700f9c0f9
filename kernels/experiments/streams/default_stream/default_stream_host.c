/* The kernels of default-stream on host devices, which have no default stream. */
#include "benchmark/spin.h"

// steps use kernels/benchmark/spin.h:spin-host

// region none
LAB_HOST_KERNEL(default_stream)
{
    lab_spin_part(part, arguments[0].pointer, arguments[1].u32, arguments[2].u64);
}
// end

LAB_SPIN_CHECK(default_stream_check)
