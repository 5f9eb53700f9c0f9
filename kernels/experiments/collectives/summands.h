/* What a sum is made of: numbers of which the devices hold one each, and which add up to the test pattern's, so that the
 * check that every device has finds whether a sum is right.
 *
 * Element i of LAB_CONTENT_FLOATS is a whole number below 2^24 in units of 2^-24. It is dealt out to the devices in random
 * whole numbers of the same unit: those and all that can be made of them by adding some are whole numbers below 2^24 too,
 * which fp32 holds exactly, so the sum is the pattern's element to the bit, in whatever order it is made.
 */
#ifndef LAB_COLLECTIVES_SUMMANDS_H
#define LAB_COLLECTIVES_SUMMANDS_H

#include "runtime/runtime.h"

enum { COLLECTIVES_STAGING_BYTES = 4 << 20 }; /* of page-locked host memory for each device, while shares are written */

/* Share `rank`, of `ranks`, of element `index` of the floats of `seed`. */
float collectives_summand(uint64_t index, uint64_t seed, size_t rank, size_t ranks);

/* Writes elements 0 to `count` - 1 of each device's share into its own of `destinations`, device memory, and returns when
 * they are there. False with *error. */
bool collectives_write_summands(const struct lab_lane *lanes, size_t ranks, void *const *destinations, size_t count,
                                uint64_t seed, struct lab_error *error);

#endif
