/* Fills and checks buffers in any kind of memory (METHOD.md 9). Device memory and page-locked host memory are
 * processed by a kernel on the device, pageable memory by CPU threads. All functions return when the work is complete;
 * on failure they return false with the device's error set.
 */
#ifndef LAB_VERIFY_H
#define LAB_VERIFY_H

#include "runtime/runtime.h"

enum { LAB_DESTINATIONS_MAX = 512 };

/* Writes the content that `expected` describes. */
bool lab_verify_fill(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                     struct lab_region region, struct lab_expectation expected);

/* Overwrites the region with data that differs from the expected content: the pattern of the complement of its seed. */
bool lab_verify_poison(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                       struct lab_region region, struct lab_expectation expected);

/* Compares the region with the expected content and sets *comparison. */
bool lab_verify_check(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                      struct lab_region region, struct lab_expectation expected, struct lab_mismatch *comparison);

/* What work on several devices writes: regions, the content that each must have, and the lane that poisons and checks
 * it. */
struct lab_destinations {
    size_t count;
    struct lab_destination {
        struct lab_lane lane;
        enum lab_memory memory;
        struct lab_region region;
        struct lab_expectation expected;
    } items[LAB_DESTINATIONS_MAX];
};

/* Poison and check all destinations. On failure they set the error of `first`, the device on which the work reports its
 * errors. *wrong becomes the number of wrong elements. */
bool lab_destinations_poison(const struct lab_destinations *destinations, struct lab_device *first);
bool lab_destinations_check(const struct lab_destinations *destinations, struct lab_device *first, uint64_t *wrong);

#endif
