/* Kernels of one thread that do next to nothing, with arguments of different sizes. */
#include "benchmark/check.h"
#include "launch.h"

// region kernels
/* Counts the launches. The counter is all that shows that a kernel has run. */
extern "C" __global__ void launch_8(uint32_t *counter)
{
    atomicAdd(counter, 1);
}

/* The arguments have so many bytes together. The kernel adds the last word, which is 1. */
#define LAUNCH_KERNEL(bytes)                                                                                           \
    struct launch_words_##bytes {                                                                                      \
        uint32_t items[LAUNCH_WORDS(bytes)];                                                                           \
    };                                                                                                                 \
    extern "C" __global__ void launch_##bytes(uint32_t *counter, struct launch_words_##bytes words)                    \
    {                                                                                                                  \
        atomicAdd(counter, words.items[LAUNCH_WORDS(bytes) - 1]);                                                      \
    }

LAUNCH_KERNEL(64)
LAUNCH_KERNEL(512)
LAUNCH_KERNEL(4096)
// end kernels

LAB_CHECK_KERNEL(launch_check, launch_expected)
