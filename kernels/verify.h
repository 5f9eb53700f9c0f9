/* Filling and checking buffers with the test pattern, wherever they lie: device memory and page-locked host memory by a
 * kernel through their mapping, pageable memory on CPU threads (METHOD.md 9).
 */
#ifndef LAB_VERIFY_H
#define LAB_VERIFY_H

#include "runtime.h"

/* Writes the pattern of `seed`; returns when it is written. */
bool lab_verify_fill(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                     struct lab_region region, uint64_t seed);

/* Overwrites the region with something that no pattern of `seed` is (the pattern of its complement). */
bool lab_verify_poison(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                       struct lab_region region, uint64_t seed);

/* Counts the elements (pattern.h) that differ from the pattern of `seed`. */
bool lab_verify_check(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                      struct lab_region region, uint64_t seed, uint64_t *wrong);

#endif
