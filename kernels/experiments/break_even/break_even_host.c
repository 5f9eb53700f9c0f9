/* The kernel of break-even on host devices. */
#include "benchmark/check.h"
#include "break_even.h"

// region device
LAB_HOST_KERNEL(break_even)
{
    const uint32_t *in = arguments[0].pointer;
    uint32_t *out = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64, 1024, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = break_even_rounds(in[i], arguments[3].u32, arguments[4].u32, arguments[5].u32);
}
// end

// step kernel shows break_even.h:rounds, device

// step pinned shows break_even.h:rounds, device, run.c:copies

// step pageable shows break_even.h:rounds, device, run.c:copies

LAB_CHECK_HOST(break_even_check, break_even_expected)
