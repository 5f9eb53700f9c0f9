/* The operands of atomic-operations and the words that must result, compiled for device and host. */
#ifndef LAB_ATOMIC_OPERATIONS_H
#define LAB_ATOMIC_OPERATIONS_H

#include "runtime/pattern.h"

#include <stdbool.h>

/* In the order of the experiment's variants and types. */
enum atomic_operation {
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_STORE, /* this and those that follow: a store, then a fence */
    ATOMIC_FENCE_BLOCK,
    ATOMIC_FENCE,
    ATOMIC_FENCE_SYSTEM
};
enum { ATOMIC_INT32, ATOMIC_INT64, ATOMIC_FP32, ATOMIC_FP64 };

/* What parameters[] of the functions below are: the operation, with the type in bit 8; the number of variables and that
 * of elements, powers of two. */
enum { ATOMIC_KIND, ATOMIC_ADDRESSES, ATOMIC_ELEMENTS, ATOMIC_TYPE_BIT = 8 };

/* Element `i` changes variable i % addresses and is its element number i / addresses, the rank. */

// region operands
enum { ATOMIC_LIMIT = 1000 }; /* of inc and dec */

/* The operand of the element of that rank, in `bits` bits. */
LAB_HOST_DEVICE uint64_t atomic_operand(enum atomic_operation operation, uint64_t rank, unsigned bits)
{
    switch (operation) {
    case ATOMIC_INC:
    case ATOMIC_DEC:
        return ATOMIC_LIMIT;
    case ATOMIC_MIN:
        return ~rank;
    case ATOMIC_MAX:
        return rank;
    case ATOMIC_AND:
        return ~(UINT64_C(1) << rank % (bits - 1));
    case ATOMIC_OR:
        return UINT64_C(1) << rank % (bits - 1);
    case ATOMIC_XOR:
        return rank + 1;
    default:
        return 1 + rank % 2; /* of add and sub */
    }
}
// end

LAB_HOST_DEVICE bool atomic_is_wide(const uint64_t parameters[3])
{
    uint64_t type = parameters[ATOMIC_KIND] >> ATOMIC_TYPE_BIT;
    return type == ATOMIC_INT64 || type == ATOMIC_FP64;
}

/* Word `word` of a value of 64 bits, or the lower ones of one of 32. */
LAB_HOST_DEVICE uint32_t atomic_word(uint64_t value, uint64_t word)
{
    return (uint32_t)(word == 0 ? value : value >> 32);
}

/* Word `i` of the variables before the first operation. */
LAB_HOST_DEVICE uint32_t atomic_initial(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    enum atomic_operation operation = (enum atomic_operation)(parameters[ATOMIC_KIND] & 255);
    (void)i, (void)seed;
    return operation == ATOMIC_MIN || operation == ATOMIC_AND ? UINT32_MAX : 0;
}

/* The value that a variable must have after `count` operations, a power of two; of those of which one result is
 * right. */
LAB_HOST_DEVICE uint64_t atomic_result(enum atomic_operation operation, uint64_t count, unsigned bits)
{
    uint64_t cycle = ATOMIC_LIMIT + 1, sum = count / 2 * 3 + count % 2, used = count < bits - 1 ? count : bits - 1;
    switch (operation) {
    case ATOMIC_SUB:
        return 0 - sum;
    case ATOMIC_INC:
        return count % cycle;
    case ATOMIC_DEC:
        return (cycle - count % cycle) % cycle;
    case ATOMIC_MIN:
        return ~(count - 1);
    case ATOMIC_MAX:
        return count - 1;
    case ATOMIC_AND:
        return ~((UINT64_C(1) << used) - 1);
    case ATOMIC_OR:
        return (UINT64_C(1) << used) - 1;
    case ATOMIC_XOR:
        return count % 4 == 0 ? count : count == 1 ? 1 : 3; /* 1 ^ 2 ^ ... ^ count */
    default:
        return sum;
    }
}

/* Whether word `i` of the variables may be `found`. exch and stores leave the number of an element of the variable,
 * plus 1, and cas, which expects 0, that of the first that came. */
LAB_HOST_DEVICE bool atomic_accepted(uint32_t found, uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    enum atomic_operation operation = (enum atomic_operation)(parameters[ATOMIC_KIND] & 255);
    uint64_t type = parameters[ATOMIC_KIND] >> ATOMIC_TYPE_BIT, addresses = parameters[ATOMIC_ADDRESSES];
    bool wide = atomic_is_wide(parameters);
    uint64_t variable = wide ? i / 2 : i, word = wide ? i % 2 : 0, count = parameters[ATOMIC_ELEMENTS] / addresses;
    (void)seed;
    if (operation >= ATOMIC_EXCH)
        return word == 1 ? found == 0
                         : found >= 1 && found <= parameters[ATOMIC_ELEMENTS] && (found - 1) % addresses == variable;
    uint64_t result = atomic_result(operation, count, wide ? 64 : 32);
    if (type == ATOMIC_FP32)
        return found == lab_float_bits((float)result);
    if (type == ATOMIC_FP64) {
        double value = (double)result;
        memcpy(&result, &value, sizeof result);
    }
    return found == atomic_word(result, word);
}

#endif
