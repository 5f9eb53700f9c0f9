/* An implementation of kernels/runtime/collective.h in plain C on the memory of host devices, for tests of its callers.
 * A test selects how the fake misbehaves, and reads which calls it received.
 */
#ifndef LAB_FAKE_COLLECTIVE_H
#define LAB_FAKE_COLLECTIVE_H

#include "../collectives/elements.h"
#include "measure/run.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lab_collective {
    size_t count;
};

/* How the fake behaves, which the test sets, and the calls that it received. */
extern struct fake {
    bool refuses; /* open fails as unsupported */
    bool breaks;  /* every call fails */
    bool plants;  /* the third element of the last device's result is wrong */
    bool mixes;   /* the first device's input is replaced by that of the last */
    bool idles;   /* calls do nothing */
    bool multicast;
    size_t opened, closed, calls;
    size_t calls_of[LAB_COLLECTIVE_OPERATIONS];
    size_t count; /* elements of every call; 0: they differed */
    struct lab_collective collective;
} fake;

/* Computes the results immediately; the inputs are complete when it is called. */
bool fake_enqueue(struct lab_collective *collective, enum lab_collective_operation operation, size_t count,
                  const struct lab_lane *lanes, const struct lab_collective_buffers *buffers);

/* Without the functions for several processes: one process must not call them. */
extern const struct lab_runtime_collective fake_collective;

#endif
