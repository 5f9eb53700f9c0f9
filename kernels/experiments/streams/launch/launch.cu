/* Kernels of one thread that do next to nothing, with arguments of different sizes. */
#include "benchmark/check.h"
#include "launch.h"

// step synchronize "Synchronise a stream without work" shows run.c:synchronize, kernels
/* The call finds that nothing is queued and returns: the least that any wait costs. */

// step event "Record an event and wait for it" shows run.c:event, kernels
/* The stream has no other work, so this is the way to the device and back without a kernel. */

// step launch-synchronize "Launch and synchronise the stream" shows run.c:launch, run.c:synchronize, run.c:launch-synchronize, kernels
/* The simplest way to use a result. The CPU and the device wait for each other in turn. */

// step launch-event "Launch and wait for an event" shows run.c:event, run.c:launch-event, kernels
/* An event marks a position in the stream, so that work behind it need not be waited for. It costs one more entry in
 * the queue. */

// step launch-poll "Launch and ask for an event" shows run.c:launch-poll, kernels
/* A query returns at once, so the CPU can do other work between two of them. Here it does none: the number of queries
 * says how much it could do. */

// step stream "Many launches, one wait" shows run.c:stream, kernels
/* The calls go on while the device works. The time of a launch falls to that of the slower of both. */

// step graph "A graph of the same launches" shows run.c:stream, run.c:graph, kernels
/* The launches are recorded once and checked and prepared then. One call starts all of them. */

// step queued "Launches that were queued before" shows run.c:launch, kernels
/* The launches are queued behind a kernel that waits for a word in memory, and begin when the CPU writes it. Events on
 * the device take the time, so the calls are not part of it. */

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
// end

LAB_CHECK_KERNEL(launch_check, launch_expected)
