/* Kernels that fill a benchmark's inputs and check its result, element by element. One function gives the bits that an
 * element must have; it is compiled for the device in NAME.cu and for the host in NAME_host.c:
 *
 *     LAB_HOST_DEVICE uint32_t name_expected(uint64_t index, uint64_t seed, const uint64_t parameters[3]);
 *     LAB_CHECK_KERNEL(name_check, name_expected)     in NAME.cu
 *     LAB_CHECK_HOST(name_check, name_expected)       in NAME_host.c
 *
 * Where several results of an element are right, LAB_ACCEPT_KERNEL and LAB_ACCEPT_HOST take a function that says
 * whether one is:
 *
 *     LAB_HOST_DEVICE bool name_accepted(uint32_t found, uint64_t index, uint64_t seed, const uint64_t parameters[3]);
 *
 * The kernels take: the buffer, its number of elements, seed, three parameters, and struct lab_check_result. A kernel
 * with these parameters that is written by hand can check what is not a function of the index, and find the largest
 * error.
 *
 * lab_check_total adds up what the threads of such a kernel find, to check a result that is a sum over all elements.
 *
 * LAB_FILL_KERNEL and LAB_FILL_HOST make the kernel that fills an input with the values of such a function.
 */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "runtime/pattern.h"
#ifndef __CUDACC__
#include "runtime/module.h"

#include <string.h>
#endif

/* What a check found; it is zero before. */
struct lab_check_result {
    unsigned long long wrong; /* number of wrong elements */
    /* The largest error, as the bits of a double that is not negative: atomicMax finds the largest. */
    unsigned long long error;
    double mean_square;            /* of the errors: the sum of their squares, divided by the number of elements */
    unsigned long long sum, parts; /* of lab_check_total */
    /* The complement of the index of the first wrong element, the largest of which atomicMax finds; 0: not known. A
     * check that begins with `asked` set to it sets `must_be` to the bits of that element. */
    unsigned long long first, asked;
    uint32_t must_be;
};

enum { LAB_CHECK_BLOCKS = 1024, LAB_CHECK_THREADS = 256 }; /* with which the kernels are launched */

#ifdef __CUDACC__
#define LAB_FILL_KERNEL(name, value)                                                                                   \
    extern "C" __global__ void name(uint32_t *input, uint64_t count, uint64_t seed, uint64_t p0, uint64_t p1,          \
                                    uint64_t p2)                                                                       \
    {                                                                                                                  \
        const uint64_t parameters[3] = {p0, p1, p2};                                                                   \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;                                  \
             i += (uint64_t)gridDim.x * blockDim.x)                                                                    \
            input[i] = value(i, seed, parameters);                                                                     \
    }

#define LAB_CHECK_KERNEL(name, expected)                                                                               \
    extern "C" __global__ void name(const uint32_t *result, uint64_t count, uint64_t seed, uint64_t p0, uint64_t p1,   \
                                    uint64_t p2, struct lab_check_result *of_check)                                    \
    {                                                                                                                  \
        const uint64_t parameters[3] = {p0, p1, p2};                                                                   \
        const uint64_t asked = of_check->asked;                                                                        \
        unsigned long long found = 0, first = 0;                                                                       \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;                                  \
             i += (uint64_t)gridDim.x * blockDim.x) {                                                                  \
            const uint32_t right = expected(i, seed, parameters);                                                      \
            found += result[i] != right;                                                                               \
            first = first == 0 && result[i] != right ? ~i : first;                                                     \
            if (~i == asked)                                                                                           \
                of_check->must_be = right;                                                                             \
        }                                                                                                              \
        if (found > 0) {                                                                                               \
            atomicAdd(&of_check->wrong, found);                                                                        \
            atomicMax(&of_check->first, first);                                                                        \
        }                                                                                                              \
    }

#define LAB_ACCEPT_KERNEL(name, accepted)                                                                              \
    extern "C" __global__ void name(const uint32_t *result, uint64_t count, uint64_t seed, uint64_t p0, uint64_t p1,   \
                                    uint64_t p2, struct lab_check_result *of_check)                                    \
    {                                                                                                                  \
        const uint64_t parameters[3] = {p0, p1, p2};                                                                   \
        unsigned long long found = 0;                                                                                  \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;                                  \
             i += (uint64_t)gridDim.x * blockDim.x)                                                                    \
            found += !accepted(result[i], i, seed, parameters);                                                        \
        if (found > 0)                                                                                                 \
            atomicAdd(&of_check->wrong, found);                                                                        \
    }

/* Called once by each thread of the grid: adds `value` to the total, modulo 2^64. Returns true in one thread, after all
 * have called it, with *total set. */
static __device__ inline bool lab_check_total(struct lab_check_result *of_check, uint64_t value, uint64_t *total)
{
    constexpr unsigned warp = 32;
    for (unsigned offset = warp / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % warp != 0)
        return false;
    atomicAdd(&of_check->sum, (unsigned long long)value);
    __threadfence();
    if (atomicAdd(&of_check->parts, 1ULL) + 1 != (unsigned long long)gridDim.x * (blockDim.x / warp))
        return false;
    *total = atomicAdd(&of_check->sum, 0ULL);
    return true;
}
#else
/* Adds what a part has found. */
static inline void lab_check_add(struct lab_check_result *of_check, uint64_t wrong, uint64_t first)
{
    unsigned long long known = __atomic_load_n(&of_check->first, __ATOMIC_RELAXED);
    __atomic_fetch_add(&of_check->wrong, wrong, __ATOMIC_RELAXED);
    while (known < first &&
           !__atomic_compare_exchange_n(&of_check->first, &known, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* Raises the largest error to `error`, which is not negative. */
static inline void lab_check_raise_error(struct lab_check_result *of_check, double error)
{
    unsigned long long bits, known = __atomic_load_n(&of_check->error, __ATOMIC_RELAXED);
    memcpy(&bits, &error, sizeof bits);
    while (known < bits &&
           !__atomic_compare_exchange_n(&of_check->error, &known, bits, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* Adds the errors of a part: the largest, and the part's share of the mean of their squares. */
static inline void lab_check_add_errors(struct lab_check_result *of_check, double largest, double mean_square)
{
    double before, after;
    lab_check_raise_error(of_check, largest);
    __atomic_load(&of_check->mean_square, &before, __ATOMIC_RELAXED);
    do
        after = before + mean_square;
    while (
        !__atomic_compare_exchange(&of_check->mean_square, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

#define LAB_FILL_HOST(name, value)                                                                                     \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        uint32_t *input = arguments[0].pointer;                                                                        \
        const uint64_t parameters[3] = {arguments[3].u64, arguments[4].u64, arguments[5].u64};                         \
        uint64_t begin, end;                                                                                           \
        lab_host_part_range(part, arguments[1].u64, 1, &begin, &end);                                                  \
        for (uint64_t i = begin; i < end; i++)                                                                         \
            input[i] = value(i, arguments[2].u64, parameters);                                                         \
    }

#define LAB_CHECK_HOST(name, expected)                                                                                 \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        const uint32_t *result = arguments[0].pointer;                                                                 \
        const uint64_t parameters[3] = {arguments[3].u64, arguments[4].u64, arguments[5].u64};                         \
        struct lab_check_result *of_check = arguments[6].pointer;                                                      \
        uint64_t begin, end, found = 0, first = 0;                                                                     \
        lab_host_part_range(part, arguments[1].u64, 1, &begin, &end);                                                  \
        for (uint64_t i = begin; i < end; i++) {                                                                       \
            const uint32_t right = expected(i, arguments[2].u64, parameters);                                          \
            found += result[i] != right;                                                                               \
            first = first == 0 && result[i] != right ? ~i : first;                                                     \
            if (~i == of_check->asked)                                                                                 \
                of_check->must_be = right;                                                                             \
        }                                                                                                              \
        lab_check_add(of_check, found, first);                                                                         \
    }

#define LAB_ACCEPT_HOST(name, accepted)                                                                                \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        const uint32_t *result = arguments[0].pointer;                                                                 \
        const uint64_t parameters[3] = {arguments[3].u64, arguments[4].u64, arguments[5].u64};                         \
        uint64_t begin, end, found = 0;                                                                                \
        lab_host_part_range(part, arguments[1].u64, 1, &begin, &end);                                                  \
        for (uint64_t i = begin; i < end; i++)                                                                         \
            found += !accepted(result[i], i, arguments[2].u64, parameters);                                            \
        lab_check_add(arguments[6].pointer, found, 0);                                                                 \
    }

/* Adds the value that a part of a kernel on the host contributes to a total; called once by each part. Returns true in
 * the last part, with the total of all parts. */
static inline bool lab_check_total(struct lab_check_result *of_check, const struct lab_host_part *part, uint64_t value,
                                   uint64_t *total)
{
    __atomic_fetch_add(&of_check->sum, value, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&of_check->parts, 1, __ATOMIC_ACQ_REL) != part->count)
        return false;
    *total = __atomic_load_n(&of_check->sum, __ATOMIC_RELAXED);
    return true;
}
#endif

#endif
