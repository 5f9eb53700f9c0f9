/* Declarations shared by the files of launch: launch.c (descriptor and workload of a point), run.c (the ways to launch
 * and to wait), launch.cu and launch_host.c (the kernels).
 */
#ifndef LAB_LAUNCH_H
#define LAB_LAUNCH_H

#include "runtime/pattern.h"

#include <stdbool.h>
#include <stddef.h>

struct lab_run;

enum launch_axis { LAUNCH_AXIS_VARIANT, LAUNCH_AXIS_LAUNCHES, LAUNCH_AXIS_ARGUMENT_BYTES };

/* In the order of the parameter's choices. */
enum launch_variant {
    LAUNCH_SYNCHRONIZE,        /* wait for a stream without work */
    LAUNCH_EVENT,              /* record an event in a stream without work, and wait for it */
    LAUNCH_LAUNCH_SYNCHRONIZE, /* launch a kernel and wait for the stream */
    LAUNCH_LAUNCH_EVENT,       /* launch a kernel, record an event and wait for it */
    LAUNCH_LAUNCH_POLL,        /* the same, but ask for the event until it has been reached */
    LAUNCH_STREAM,             /* many launches and one wait */
    LAUNCH_GRAPH,              /* many launches as one graph, and one wait */
    LAUNCH_QUEUED              /* launches that were queued before: the time of the device alone */
};

/* Operations of a repetition of the variants that wait after each operation. */
enum { LAUNCH_OPERATIONS = 32 };

/* Bytes of the arguments of a kernel: the address of the counter, followed by words that are all 1. */
enum { LAUNCH_LEAST_BYTES = 8, LAUNCH_MOST_BYTES = 4096 };
#define LAUNCH_WORDS(bytes) (((bytes)-LAUNCH_LEAST_BYTES) / sizeof(uint32_t))

/* The counter after a repetition with parameters[0] launches. */
LAB_HOST_DEVICE uint32_t launch_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)i, (void)seed;
    return (uint32_t)parameters[0];
}

bool launch_run(struct lab_run *run);

#endif
