/* The kernels of atomic-operations for host devices: each core takes a contiguous part of the elements. */
#include "atomic_operations.h"
#include "benchmark/check.h"

// region elements
/* Defines the kernel of an operation on a variable of type T, by the statement `operation`; `operand` is that of the
 * element. */
#define ATOMIC_KERNEL(name, kind, T, operation)                                                                        \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        __typeof__(T) *variables = arguments[0].pointer;                                                               \
        uint32_t addresses = arguments[2].u32;                                                                         \
        uint64_t begin, end;                                                                                           \
        lab_host_part_range(part, arguments[1].u32, 1, &begin, &end);                                                  \
        for (uint64_t i = begin; i < end; i++) {                                                                       \
            __typeof__(T) *p = &variables[i % addresses],                                                              \
                          operand = (T)atomic_operand(kind, i / addresses, 8 * sizeof(T));                             \
            operation;                                                                                                 \
            (void)operand;                                                                                             \
        }                                                                                                              \
    }

/* Repeats compare and swap until it has replaced `old` by `value`, an expression of it. */
#define REPLACE(T, value)                                                                                              \
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                                      \
    while (!__atomic_compare_exchange_n(p, &old, (value), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))                   \
    continue

/* The same for floats, which have no such function of values. */
#define ADD_FLOAT(T)                                                                                                   \
    T old, sum;                                                                                                        \
    __atomic_load(p, &old, __ATOMIC_RELAXED);                                                                          \
    do                                                                                                                 \
        sum = old + operand;                                                                                           \
    while (!__atomic_compare_exchange(p, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))

/* Stores the element's number if the variable is 0. */
#define COMPARE(T)                                                                                                     \
    T expected = 0;                                                                                                    \
    __atomic_compare_exchange_n(p, &expected, (T)(i + 1), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
// end

// steps use atomic_operations.h:operands, elements

// region add
ATOMIC_KERNEL(atomic_operations_add_int32, ATOMIC_ADD, uint32_t, __atomic_fetch_add(p, operand, __ATOMIC_RELAXED))
ATOMIC_KERNEL(atomic_operations_add_int64, ATOMIC_ADD, uint64_t, __atomic_fetch_add(p, operand, __ATOMIC_RELAXED))
ATOMIC_KERNEL(atomic_operations_add_fp32, ATOMIC_ADD, float, ADD_FLOAT(float))
ATOMIC_KERNEL(atomic_operations_add_fp64, ATOMIC_ADD, double, ADD_FLOAT(double))
// end

// region sub
ATOMIC_KERNEL(atomic_operations_sub_int32, ATOMIC_SUB, uint32_t, __atomic_fetch_sub(p, operand, __ATOMIC_RELAXED))
// end

// region inc
ATOMIC_KERNEL(atomic_operations_inc_int32, ATOMIC_INC, uint32_t, REPLACE(uint32_t, old >= operand ? 0 : old + 1))
// end

// region dec
ATOMIC_KERNEL(atomic_operations_dec_int32, ATOMIC_DEC, uint32_t,
              REPLACE(uint32_t, old == 0 || old > operand ? operand : old - 1))
// end

// region min
ATOMIC_KERNEL(atomic_operations_min_int32, ATOMIC_MIN, uint32_t, REPLACE(uint32_t, old < operand ? old : operand))
ATOMIC_KERNEL(atomic_operations_min_int64, ATOMIC_MIN, uint64_t, REPLACE(uint64_t, old < operand ? old : operand))
// end

// region max
ATOMIC_KERNEL(atomic_operations_max_int32, ATOMIC_MAX, uint32_t, REPLACE(uint32_t, old > operand ? old : operand))
ATOMIC_KERNEL(atomic_operations_max_int64, ATOMIC_MAX, uint64_t, REPLACE(uint64_t, old > operand ? old : operand))
// end

// region and
ATOMIC_KERNEL(atomic_operations_and_int32, ATOMIC_AND, uint32_t, __atomic_fetch_and(p, operand, __ATOMIC_RELAXED))
ATOMIC_KERNEL(atomic_operations_and_int64, ATOMIC_AND, uint64_t, __atomic_fetch_and(p, operand, __ATOMIC_RELAXED))
// end

// region or
ATOMIC_KERNEL(atomic_operations_or_int32, ATOMIC_OR, uint32_t, __atomic_fetch_or(p, operand, __ATOMIC_RELAXED))
ATOMIC_KERNEL(atomic_operations_or_int64, ATOMIC_OR, uint64_t, __atomic_fetch_or(p, operand, __ATOMIC_RELAXED))
// end

// region xor
ATOMIC_KERNEL(atomic_operations_xor_int32, ATOMIC_XOR, uint32_t, __atomic_fetch_xor(p, operand, __ATOMIC_RELAXED))
ATOMIC_KERNEL(atomic_operations_xor_int64, ATOMIC_XOR, uint64_t, __atomic_fetch_xor(p, operand, __ATOMIC_RELAXED))
// end

// region exch
ATOMIC_KERNEL(atomic_operations_exch_int32, ATOMIC_EXCH, uint32_t,
              __atomic_exchange_n(p, (uint32_t)(i + 1), __ATOMIC_RELAXED))
ATOMIC_KERNEL(atomic_operations_exch_int64, ATOMIC_EXCH, uint64_t, __atomic_exchange_n(p, i + 1, __ATOMIC_RELAXED))
// end

// region cas
ATOMIC_KERNEL(atomic_operations_cas_int32, ATOMIC_CAS, uint32_t, COMPARE(uint32_t))
ATOMIC_KERNEL(atomic_operations_cas_int64, ATOMIC_CAS, uint64_t, COMPARE(uint64_t))
// end

// steps use elements

// region store
ATOMIC_KERNEL(atomic_operations_store_int32, ATOMIC_STORE, uint32_t,
              __atomic_store_n(p, (uint32_t)(i + 1), __ATOMIC_RELAXED))
// end

LAB_FILL_HOST(atomic_operations_fill, atomic_initial)
LAB_ACCEPT_HOST(atomic_operations_check, atomic_accepted)
