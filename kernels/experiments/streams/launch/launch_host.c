/* The kernels of launch on host devices: an engine's thread takes the launch, and the cores execute it. */
#include "benchmark/check.h"
#include "launch.h"

// step synchronize shows run.c:synchronize, kernels

// step event shows run.c:event, kernels

// step launch-synchronize shows run.c:launch, run.c:synchronize, run.c:launch-synchronize, kernels

// step launch-event shows run.c:event, run.c:launch-event, kernels

// step launch-poll shows run.c:launch-poll, kernels

// step stream shows run.c:stream, kernels

// step graph shows run.c:stream, run.c:graph, kernels

// step queued shows run.c:launch, kernels

// region kernels
static void add(const struct lab_host_part *part, const struct lab_argument *arguments, uint32_t value)
{
    if (part->index == 0)
        *(uint32_t *)arguments[0].pointer += value;
}

LAB_HOST_KERNEL(launch_8)
{
    add(part, arguments, 1);
}

/* The last word of the second argument is 1. */
#define COUNT_WORDS(name)                                                                                              \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        const uint32_t *words = arguments[1].pointer;                                                                  \
        add(part, arguments, words[arguments[1].bytes / sizeof *words - 1]);                                           \
    }
COUNT_WORDS(launch_64)
COUNT_WORDS(launch_512)
COUNT_WORDS(launch_4096)
// end

LAB_CHECK_HOST(launch_check, launch_expected)
