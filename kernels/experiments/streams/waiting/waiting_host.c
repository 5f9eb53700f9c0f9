/* The kernel of waiting on host devices. */
#include "benchmark/check.h"
#include "waiting.h"

// step flag shows ways.c:flag, kernel

// step stream-query shows ways.c:stream-query, kernel

// step event-query shows ways.c:event-query, kernel

// step stream-synchronize shows ways.c:stream, kernel

// step event-synchronize shows ways.c:event, kernel

// step device-synchronize shows ways.c:device, kernel

// step callback shows ways.c:callback, ways.c:thread, kernel

// region kernel
LAB_HOST_KERNEL(waiting)
{
    if (part->index > 0)
        return;
    *(uint32_t *)arguments[0].pointer += 1;
    __atomic_store_n((uint32_t *)arguments[1].pointer, 1, __ATOMIC_RELEASE);
}
// end

LAB_HOST_DEVICE uint32_t waiting_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)i, (void)seed;
    return (uint32_t)parameters[0];
}

LAB_CHECK_HOST(waiting_check, waiting_expected)
