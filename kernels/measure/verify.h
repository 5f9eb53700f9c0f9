/* Filling and checking buffers with the test pattern, wherever they lie: device memory and page-locked host memory by a
 * kernel through their mapping, pageable memory on CPU threads (METHOD.md 9).
 */
#ifndef LAB_VERIFY_H
#define LAB_VERIFY_H

#include "runtime/runtime.h"

/* Writes the content; returns when it is written. */
bool lab_verify_fill(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                     struct lab_region region, struct lab_expectation expected);

/* Overwrites the region with what the content is nowhere: the words of the complementary seed. */
bool lab_verify_poison(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                       struct lab_region region, struct lab_expectation expected);

/* Compares the region with the content. */
bool lab_verify_check(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                      struct lab_region region, struct lab_expectation expected, struct lab_comparison *findings);

#endif
