/* An array that grows by one item at a time: its capacity is the power of two that its count needs. */
#ifndef LAB_ARRAY_H
#define LAB_ARRAY_H

#include <stdlib.h>

/* The array with memory for item `count`, of `size` bytes; NULL when out of memory, and the array is unchanged then. */
static inline void *lab_array_grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return reallocarray(items, count > 0 ? 2 * count : 1, size);
}

#endif
