/* Kernels in which element i changes variable i % addresses by one operation. Neighbouring threads have neighbouring
 * elements; addresses is a power of two. */
#include "atomic_operations.h"
#include "benchmark/check.h"

// region elements
/* Calls operate(i, variable, rank) for each of the n elements. */
template <typename Operate> __device__ void for_each_element(uint32_t n, uint32_t addresses, Operate operate)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        operate(i, i & (addresses - 1), i / addresses);
}

/* Keeps the result of an operation alive, so that it must be returned. */
__device__ static void use(unsigned value)
{
    asm volatile("" ::"r"(value));
}

__device__ static void use(unsigned long long value)
{
    asm volatile("" ::"l"(value));
}

__device__ static void use(float value)
{
    asm volatile("" ::"f"(value));
}

__device__ static void use(double value)
{
    asm volatile("" ::"d"(value));
}

/* Two kernels: one drops what the operation returns, the other needs it. */
#define KERNELS(name, T, operation)                                                                                    \
    extern "C" __global__ void atomic_operations_##name(T *variables, uint32_t n, uint32_t addresses)                  \
    {                                                                                                                  \
        for_each_element(n, addresses, [=](uint32_t i, uint32_t variable, uint32_t rank) {                             \
            T *p = &variables[variable];                                                                               \
            operation;                                                                                                 \
            (void)i, (void)rank;                                                                                       \
        });                                                                                                            \
    }                                                                                                                  \
    extern "C" __global__ void atomic_operations_##name##_used(T *variables, uint32_t n, uint32_t addresses)           \
    {                                                                                                                  \
        for_each_element(n, addresses, [=](uint32_t i, uint32_t variable, uint32_t rank) {                             \
            T *p = &variables[variable];                                                                               \
            use(operation);                                                                                            \
            (void)i, (void)rank;                                                                                       \
        });                                                                                                            \
    }
// end

// steps use atomic_operations.h:operands, elements

// region add "atomicAdd"
/* The sum. The cache has a unit for it, of integers and of floats. */
KERNELS(add_int32, unsigned, atomicAdd(p, (unsigned)atomic_operand(ATOMIC_ADD, rank, 32)))
KERNELS(add_int64, unsigned long long, atomicAdd(p, (unsigned long long)atomic_operand(ATOMIC_ADD, rank, 64)))
KERNELS(add_fp32, float, atomicAdd(p, (float)atomic_operand(ATOMIC_ADD, rank, 32)))
KERNELS(add_fp64, double, atomicAdd(p, (double)atomic_operand(ATOMIC_ADD, rank, 64)))
// end

// region sub "atomicSub"
/* The addition of the negative value. */
KERNELS(sub_int32, unsigned, atomicSub(p, (unsigned)atomic_operand(ATOMIC_SUB, rank, 32)))
// end

// region inc "atomicInc"
/* Counts up to a limit, then from 0 again: an index into a ring. */
KERNELS(inc_int32, unsigned, atomicInc(p, (unsigned)atomic_operand(ATOMIC_INC, rank, 32)))
// end

// region dec "atomicDec"
/* Counts down to 0, then from the limit again. */
KERNELS(dec_int32, unsigned, atomicDec(p, (unsigned)atomic_operand(ATOMIC_DEC, rank, 32)))
// end

// region min "atomicMin"
/* The smallest value. */
KERNELS(min_int32, unsigned, atomicMin(p, (unsigned)atomic_operand(ATOMIC_MIN, rank, 32)))
KERNELS(min_int64, unsigned long long, atomicMin(p, (unsigned long long)atomic_operand(ATOMIC_MIN, rank, 64)))
// end

// region max "atomicMax"
/* The largest value. */
KERNELS(max_int32, unsigned, atomicMax(p, (unsigned)atomic_operand(ATOMIC_MAX, rank, 32)))
KERNELS(max_int64, unsigned long long, atomicMax(p, (unsigned long long)atomic_operand(ATOMIC_MAX, rank, 64)))
// end

// region and "atomicAnd"
/* Clears bits. */
KERNELS(and_int32, unsigned, atomicAnd(p, (unsigned)atomic_operand(ATOMIC_AND, rank, 32)))
KERNELS(and_int64, unsigned long long, atomicAnd(p, (unsigned long long)atomic_operand(ATOMIC_AND, rank, 64)))
// end

// region or "atomicOr"
/* Sets bits. */
KERNELS(or_int32, unsigned, atomicOr(p, (unsigned)atomic_operand(ATOMIC_OR, rank, 32)))
KERNELS(or_int64, unsigned long long, atomicOr(p, (unsigned long long)atomic_operand(ATOMIC_OR, rank, 64)))
// end

// region xor "atomicXor"
/* Changes bits. */
KERNELS(xor_int32, unsigned, atomicXor(p, (unsigned)atomic_operand(ATOMIC_XOR, rank, 32)))
KERNELS(xor_int64, unsigned long long, atomicXor(p, (unsigned long long)atomic_operand(ATOMIC_XOR, rank, 64)))
// end

// region exch "atomicExch"
/* Stores a value and returns the one before. The element that comes last decides what remains. */
KERNELS(exch_int32, unsigned, atomicExch(p, i + 1))
KERNELS(exch_int64, unsigned long long, atomicExch(p, i + 1ULL))
// end

// region cas "atomicCAS"
/* Stores a value if the variable is 0. Only the first element of each variable succeeds; the others are compared in
 * vain. */
KERNELS(cas_int32, unsigned, atomicCAS(p, 0U, i + 1))
KERNELS(cas_int64, unsigned long long, atomicCAS(p, 0ULL, i + 1ULL))
// end

// steps use elements

// region store "A store"
/* No atomic operation: which element comes last is open, but a word is never mixed of two. */
#define STORE_KERNEL(name, fence)                                                                                      \
    extern "C" __global__ void atomic_operations_##name##_int32(unsigned *variables, uint32_t n, uint32_t addresses)   \
    {                                                                                                                  \
        for_each_element(n, addresses, [=](uint32_t i, uint32_t variable, uint32_t) {                                  \
            *static_cast<volatile unsigned *>(&variables[variable]) = i + 1;                                           \
            fence;                                                                                                     \
        });                                                                                                            \
    }
STORE_KERNEL(store, )
STORE_KERNEL(fence_block, __threadfence_block())
STORE_KERNEL(fence, __threadfence())
STORE_KERNEL(fence_system, __threadfence_system())
// end

// step fence-block "A store and __threadfence_block" shows elements, store
/* The thread goes on when the other threads of its block can see the store. */

// step fence "A store and __threadfence" shows elements, store
/* The thread waits until all threads of the device can see the store: for a round trip to the cache that they share. */

// step fence-system "A store and __threadfence_system" shows elements, store
/* The thread waits until also the host and other devices can see it. */

LAB_FILL_KERNEL(atomic_operations_fill, atomic_initial)
LAB_ACCEPT_KERNEL(atomic_operations_check, atomic_accepted)
