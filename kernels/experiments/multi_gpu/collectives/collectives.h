/* Declarations shared by the files of collectives: collectives.c (descriptor), points.c (axes and plan),
 * summands.c (inputs of reductions), run.c (how a point is measured).
 */
#ifndef LAB_COLLECTIVES_H
#define LAB_COLLECTIVES_H

#include "descriptor/points.h"
#include "runtime/runtime.h"

/* The axes: indices into struct lab_point.values. The size is that of the whole array, which consists of one part per
 * device for operations with parts. */
enum collectives_axis { COLLECTIVES_DEVICES, COLLECTIVES_OPERATION, COLLECTIVES_IN_PLACE, COLLECTIVES_BYTES };

/* COLLECTIVES_PART_UNIT_BYTES: parts start at multiples of 16 bytes, as in nccl-tests, because libraries move unaligned
 * ends element by element. */
enum { COLLECTIVES_ELEMENT_BYTES = sizeof(float), COLLECTIVES_PART_UNIT_BYTES = 16 };

LAB_RUN(collectives);

static inline enum lab_collective_operation collectives_operation(const struct lab_point *point)
{
    return (enum lab_collective_operation)point->values[COLLECTIVES_OPERATION];
}

static inline size_t collectives_bytes(const struct lab_point *point)
{
    return (size_t)point->values[COLLECTIVES_BYTES];
}

/* Whether the operation computes sums. */
bool collectives_reduces(enum lab_collective_operation operation);

/* The ratio of bus bandwidth to algorithm bandwidth (busbw / algbw), as defined by nccl-tests, doc/PERFORMANCE.md. */
double collectives_bus_factor(enum lab_collective_operation operation, size_t device_count);

/* The number of elements that is passed to the runtime: of one part, or of the whole array if the operation has no
 * parts. */
size_t collectives_count(const struct lab_point *point);

/* The reason why the point cannot be measured on any devices; NULL if it can be measured. */
const char *collectives_skip_reason(const struct lab_point *point);

#endif
