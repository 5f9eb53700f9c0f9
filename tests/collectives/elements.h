/* What collective operations compute, for the stand-ins of tests. */
#ifndef LAB_COLLECTIVE_ELEMENTS_H
#define LAB_COLLECTIVE_ELEMENTS_H

#include "runtime/collective.h"

/* Element i of the result on device r, from the inputs of all devices with parts of `count` elements. */
static inline float element_of(enum lab_collective_operation operation, size_t devices, size_t count,
                               const float *const *inputs, size_t r, size_t i)
{
    float sum = 0;
    switch (operation) {
    case LAB_ALL_REDUCE:
        for (size_t d = 0; d < devices; d++)
            sum += inputs[d][i];
        return sum;
    case LAB_REDUCE_SCATTER:
        for (size_t d = 0; d < devices; d++)
            sum += inputs[d][r * count + i];
        return sum;
    case LAB_ALL_GATHER:
        return inputs[i / count][i % count];
    case LAB_ALL_TO_ALL:
        return inputs[i / count][r * count + i % count];
    case LAB_BROADCAST:
    case LAB_COLLECTIVE_OPERATIONS:
        break;
    }
    return inputs[0][i];
}

static inline size_t sent_elements(enum lab_collective_operation operation, size_t devices, size_t count)
{
    return operation == LAB_REDUCE_SCATTER || operation == LAB_ALL_TO_ALL ? devices * count : count;
}

static inline size_t received_elements(enum lab_collective_operation operation, size_t devices, size_t count)
{
    return operation == LAB_ALL_GATHER || operation == LAB_ALL_TO_ALL ? devices * count : count;
}

#endif
