/* Inputs of reductions: each device holds one summand of every element of the test pattern, so the sum of all devices
 * is the pattern and can be verified by the devices.
 *
 * Element i of LAB_CONTENT_FLOATS is an integer below 2^24 in units of 2^-24. It is split into random integers of the
 * same unit, one per device. These and all their partial sums are integers below 2^24 too, which fp32 represents
 * exactly. So the sum is bit-exact in every order of addition.
 */
#ifndef LAB_COLLECTIVES_SUMMANDS_H
#define LAB_COLLECTIVES_SUMMANDS_H

#include "measure/run.h"

enum { COLLECTIVES_STAGING_BYTES = 4 << 20 }; /* page-locked host memory per device, while summands are written */

/* The summand of device `rank`, of `ranks` devices, for element `index` of LAB_CONTENT_FLOATS with `seed`. */
float collectives_summand(uint64_t index, uint64_t seed, size_t rank, size_t ranks);

/* The devices for which a process writes summands: a lane of each, the rank of the first, and the number of all
 * ranks. */
struct collectives_share {
    const struct lab_lane *lanes;
    size_t devices, first, ranks;
};

/* Writes the summands of the elements 0 to `count` - 1 to `destinations` (device memory, one address per device of the
 * share) and waits until they have been copied. Returns false with run->error set on failure. */
bool collectives_write_summands(struct lab_run *run, const struct collectives_share *share, void *const *destinations,
                                size_t count, uint64_t seed);

#endif
