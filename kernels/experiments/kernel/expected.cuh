/* What the kernel is made with that computes what the outputs of an own kernel must be (descriptor/expected_source.h):
 * the elements and scalars of each type as numbers with which an expression computes, and what an expression can use
 * more.
 */
#ifndef LAB_KERNEL_EXPECTED_CUH
#define LAB_KERNEL_EXPECTED_CUH

#include "experiments/kernel/elements.h"

#pragma nv_diag_suppress 177 /* an argument that no expression uses */

/* By type (enum kernel_type) `number`, with which expressions compute, and `bits`, in which a scalar is passed. */
template <uint32_t TYPE> struct kernel_number {
    using number = double;
    using bits = uint32_t;
};
#define KERNEL_NUMBER(TYPE, NUMBER, BITS)                                                                              \
    template <> struct kernel_number<TYPE> {                                                                           \
        using number = NUMBER;                                                                                         \
        using bits = BITS;                                                                                             \
    };
KERNEL_NUMBER(KERNEL_FP16, double, uint16_t)
KERNEL_NUMBER(KERNEL_BF16, double, uint16_t)
KERNEL_NUMBER(KERNEL_FP64, double, uint64_t)
KERNEL_NUMBER(KERNEL_I8, int8_t, uint8_t)
KERNEL_NUMBER(KERNEL_I16, int16_t, uint16_t)
KERNEL_NUMBER(KERNEL_I32, int32_t, uint32_t)
KERNEL_NUMBER(KERNEL_I64, int64_t, uint64_t)
KERNEL_NUMBER(KERNEL_U8, uint8_t, uint8_t)
KERNEL_NUMBER(KERNEL_U16, uint16_t, uint16_t)
KERNEL_NUMBER(KERNEL_U32, uint32_t, uint32_t)
KERNEL_NUMBER(KERNEL_U64, uint64_t, uint64_t)

template <uint32_t TYPE> using kernel_bits = typename kernel_number<TYPE>::bits;

template <uint32_t TYPE> struct kernel_elements {
    using number = typename kernel_number<TYPE>::number;

    const void *data;

    __device__ number operator[](int64_t i) const
    {
        uint64_t bits = kernel_load(data, TYPE, (uint64_t)i);
        return kernel_type_is_float(TYPE) ? (number)kernel_value_of(TYPE, bits) : (number)bits;
    }
};

/* A table of buffers with `each` elements, which lie one after the other: a[b][i] is element i of buffer b. */
template <uint32_t TYPE> struct kernel_table {
    const void *data;
    uint64_t each;

    __device__ kernel_elements<TYPE> operator[](int64_t buffer) const
    {
        return {(const char *)data + buffer * each * kernel_type_bytes(TYPE)};
    }
};

/* Rounds a value to the type and stores it as element i. */
template <uint32_t TYPE, typename VALUE> __device__ void kernel_put(void *data, int64_t i, VALUE value)
{
    struct kernel_fill fill = {TYPE, KERNEL_VALUE};
    fill.value = kernel_type_is_float(TYPE) ? kernel_bits_of(TYPE, (double)value)
                                            : (uint64_t)(typename kernel_number<TYPE>::number)value;
    kernel_store(data, &fill, (uint64_t)i);
}

/* Over the integers k from `first` to `end` - 1. The last argument may have commas. */
#define KERNEL_LOOP(k, first, end, start, next)                                                                        \
    ([&]() -> double {                                                                                                 \
        double kernel_result = start;                                                                                  \
        for (int64_t k = (first); k < (end); k++)                                                                      \
            kernel_result = next;                                                                                      \
        return kernel_result;                                                                                          \
    }())
#define sum(k, first, end, ...) KERNEL_LOOP(k, first, end, 0, kernel_result + (__VA_ARGS__))
#define largest(k, first, end, ...) KERNEL_LOOP(k, first, end, -INFINITY, fmax(kernel_result, (double)(__VA_ARGS__)))

#endif
