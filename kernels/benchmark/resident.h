/* How many blocks a multiprocessor executes at the same time, chosen by the shared memory that each of them takes.
 */
#ifndef LAB_RESIDENT_H
#define LAB_RESIDENT_H

#include "facts/facts.h"

#include <stddef.h>
#include <stdint.h>

enum { LAB_RESIDENT_MAX = 16 };

/* Fields of the parameter of the axis "blocks_per_multiprocessor"; the default is 1. */
#define LAB_RESIDENT_PARAMETER                                                                                         \
    LAB_INTEGERS("blocks_per_multiprocessor", "Blocks per multiprocessor",                                             \
                 "Blocks that a multiprocessor executes at the same time. Each takes that part of its shared memory, " \
                 "so that no more of them fit. Host devices execute one block on each core.",                          \
                 1),                                                                                                   \
        .minimum = 1, .maximum = LAB_RESIDENT_MAX

/* Dynamic shared memory of a block, in bytes, such that `blocks` of them and no more fit on a multiprocessor. */
size_t lab_resident_shared_bytes(const struct lab_device_facts *device, int64_t blocks);

/* The largest number of blocks of `threads` threads that a multiprocessor executes at the same time. */
int64_t lab_resident_most(const struct lab_device_facts *device, int64_t threads);

#endif
