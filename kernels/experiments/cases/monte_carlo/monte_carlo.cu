/* Monte Carlo sums: random numbers that are stored or made where they are used, and sums of blocks that a second launch
 * or atomic operations add up. Each thread has a stream of random numbers of its own. */
#include "benchmark/check.h"
#include "monte_carlo.h"

#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>
#endif

/* The stream of a thread. */
__device__ static uint32_t stream()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// region numbers
/* The random numbers of a draw: four in fp32, two in fp64, which one instruction stores. */
template <typename T> struct alignas(16) numbers {
    static constexpr uint32_t count = 16 / sizeof(T);
    T value[count];
};

__device__ static void uniform(const philox_words &words, numbers<float> &u)
{
    for (uint32_t i = 0; i < 4; i++)
        u.value[i] = philox_uniform_fp32(words.word[i]);
}

__device__ static void uniform(const philox_words &words, numbers<double> &u)
{
    for (uint32_t i = 0; i < 2; i++)
        u.value[i] = philox_uniform_fp64(words.word[2 * i], words.word[2 * i + 1]);
}
// end

// region normal
/* Two normally distributed numbers of two uniform ones: radius and angle of a point (Box-Muller transform). The fast
 * logarithm, sine and cosine are precise enough here: their error, 2^-21, is a small part of the standard error. */
__device__ static void normal(const philox_words &words, numbers<float> &z)
{
    for (uint32_t i = 0; i < 4; i += 2) {
        float radius = sqrtf(-1.38629436f * __log2f(philox_uniform_fp32(words.word[i])));
        float angle = (float)words.word[i + 1] * 1.46291808e-9f + 7.31459040e-10f; /* 2 pi / 2^32 and half of it */
        z.value[i] = radius * __sinf(angle);
        z.value[i + 1] = radius * __cosf(angle);
    }
}

__device__ static void normal(const philox_words &words, numbers<double> &z)
{
    numbers<double> u;
    uniform(words, u);
    double radius = sqrt(-2 * log(u.value[0])), sine, cosine;
    sincospi(2 * u.value[1], &sine, &cosine);
    z.value[0] = radius * sine;
    z.value[1] = radius * cosine;
}
// end

// region pi
/* A sample is 1 if the point with two random numbers as coordinates is in the quarter of the circle, which has pi / 4
 * of the square. */
struct pi {
    static constexpr bool is_normal = false;

    template <typename T, class Add> static __device__ void samples(const numbers<T> &u, Add add)
    {
        for (uint32_t i = 0; i < u.count; i += 2)
            add(u.value[i] * u.value[i] + u.value[i + 1] * u.value[i + 1] <= 1 ? (T)1 : (T)0);
    }
};
// end

// region call
/* A sample is what the option is worth at the end: the price of the share then, less that for which it may be bought,
 * if that is positive. */
struct call {
    static constexpr bool is_normal = true;

    template <typename T, class Add> static __device__ void samples(const numbers<T> &z, Add add)
    {
        const T median = (T)MONTE_CARLO_LOG2_MEDIAN, deviation = (T)MONTE_CARLO_LOG2_DEVIATION;
        for (uint32_t i = 0; i < z.count; i++) {
            T gain = exp2(median + deviation * z.value[i]) - (T)MONTE_CARLO_STRIKE;
            add(gain > 0 ? gain : (T)0);
        }
    }
};
// end

// region made
/* Numbers made where they are used, by the generator of philox.h. The compiler would compute the keys of the rounds
 * again for each draw, because they follow from an argument of the kernel. An empty instruction that could change them
 * prevents it: they stay in registers. */
struct made {
    philox_keys keys;
    uint32_t stream;

    __device__ made(uint64_t seed, uint32_t stream) : keys(philox_keys_of(seed)), stream(stream)
    {
        for (auto &round : keys.word)
            for (uint32_t &word : round)
                asm volatile("" : "+r"(word));
    }

    template <class Problem, typename T> __device__ numbers<T> draw(uint32_t index)
    {
        numbers<T> drawn;
        philox_words words = philox(philox_counter(stream, index), &keys);
        if constexpr (Problem::is_normal)
            normal(words, drawn);
        else
            uniform(words, drawn);
        return drawn;
    }
};
// end

// region stored
/* Numbers that an earlier kernel has stored. The draws of neighbouring threads are neighbours in memory. */
template <typename T> struct stored {
    const numbers<T> *memory;
    uint32_t stream, streams;

    template <class Problem, typename> __device__ numbers<T> draw(uint32_t index)
    {
        return memory[(uint64_t)index * streams + stream];
    }
};

template <class Problem, typename T>
__device__ void store(numbers<T> *memory, uint64_t seed, uint32_t streams, uint32_t draws)
{
    made source{seed, stream()};
    for (uint32_t draw = 0; stream() < streams && draw < draws; draw++)
        memory[(uint64_t)draw * streams + stream()] = source.draw<Problem, T>(draw);
}
// end

// region library
#ifdef CURAND_KERNEL_H_
/* The same numbers by cuRAND's device functions. */
struct library {
    curandStatePhilox4_32_10_t state;

    __device__ library(uint64_t seed, uint32_t stream)
    {
        curand_init(seed, stream, 0, &state);
    }

    template <class Problem, typename T> __device__ numbers<T> draw(uint32_t)
    {
        if constexpr (sizeof(T) == sizeof(double)) {
            double2 two = Problem::is_normal ? curand_normal2_double(&state) : curand_uniform2_double(&state);
            return {two.x, two.y};
        } else {
            float4 four = Problem::is_normal ? curand_normal4(&state) : curand_uniform4(&state);
            return {four.x, four.y, four.z, four.w};
        }
    }
};
#endif
// end

// step library "cuRAND (library)" shows library, sums
/* The step before with NVIDIA's device functions, as the reference: a state for each thread, of the same generator. */

// region sums
/* The sum of the samples of a thread and of their squares. */
template <class Problem, typename T, class Source>
__device__ monte_carlo_moments thread_sums(Source source, uint32_t draws)
{
    T sum = 0, squares = 0;
#pragma unroll 2 /* the rounds of two draws do not wait for each other */
    for (uint32_t draw = 0; draw < draws; draw++)
        Problem::samples(source.template draw<Problem, T>(draw), [&](T value) {
            sum += value;
            squares += value * value;
        });
    return {sum, squares};
}
// end

// region block-sum
constexpr uint32_t warp = 32;

/* The sum of the values of a block's threads, in its first thread. */
__device__ static double block_sum(double value)
{
    __shared__ double sums[warp];
    uint32_t lane = threadIdx.x % warp;
    for (uint32_t offset = warp / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    __syncthreads();
    if (lane == 0)
        sums[threadIdx.x / warp] = value;
    __syncthreads();
    value = 0;
    for (uint32_t i = 0; threadIdx.x == 0 && i < blockDim.x / warp; i++)
        value += sums[i];
    return value;
}

__device__ static monte_carlo_moments block_sums(const monte_carlo_moments &of_thread)
{
    return {block_sum(of_thread.sum), block_sum(of_thread.squares)};
}
// end

// step stored "Stored random numbers" shows stored, pi, sums, two-passes
/* One kernel stores the random numbers, another one loads them and adds up the samples, a third one adds up the sums
 * of the blocks. This is how a program uses a library that fills arrays, and what the book begins with. */

// step in-registers "Numbers made where they are used" shows philox.h:philox, made, sums, two-passes
/* Each thread makes the numbers that it needs, in registers. The generator has no state, so nothing is loaded or
 * stored but the sums of the blocks. */

// region two-passes
/* Each block writes its sums, and one block of a second launch adds them up. */
__device__ static void write_sums(const monte_carlo_moments &of_thread, monte_carlo_moments *of_blocks)
{
    monte_carlo_moments of_block = block_sums(of_thread);
    if (threadIdx.x == 0)
        of_blocks[blockIdx.x] = of_block;
}

extern "C" __global__ void monte_carlo_finish(const monte_carlo_moments *of_blocks, monte_carlo_moments *result,
                                              uint32_t blocks)
{
    monte_carlo_moments total = {0, 0};
    for (uint32_t i = threadIdx.x; i < blocks; i += blockDim.x) {
        total.sum += of_blocks[i].sum;
        total.squares += of_blocks[i].squares;
    }
    write_sums(total, result);
}
// end

// steps use call, sums, block-sum

// region one-pass "One pass with atomic additions"
/* Each block adds its sums to those of all by atomic operations; the last one takes the result. There is no second
 * launch. */
/* What the blocks have added so far: zero before a launch and after it. */
struct progress {
    monte_carlo_moments moments;
    uint32_t blocks;
};

__device__ static double take(double *value)
{
    return __longlong_as_double((long long)atomicExch((unsigned long long *)value, 0ULL));
}

/* The last block to add its sums leaves 0. */
__device__ static void add_sums(const monte_carlo_moments &of_thread, monte_carlo_moments *result, progress *progress)
{
    monte_carlo_moments of_block = block_sums(of_thread);
    if (threadIdx.x != 0)
        return;
    atomicAdd(&progress->moments.sum, of_block.sum);
    atomicAdd(&progress->moments.squares, of_block.squares);
    __threadfence();
    if (atomicInc(&progress->blocks, gridDim.x - 1) == gridDim.x - 1)
        *result = {take(&progress->moments.sum), take(&progress->moments.squares)};
}
// end

/* --- the kernels of the image ------------------------------------------------------------------------------------- */

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(MONTE_CARLO_BLOCK) monte_carlo_##name(__VA_ARGS__)

/* Threads beyond the last stream add nothing. */
#define SUMS(problem, T, ...) thread_sums<problem, T>(__VA_ARGS__, stream() < streams ? draws : 0)

#define KERNELS(problem, T, type)                                                                                      \
    KERNEL(store_##problem##_##type, numbers<T> *memory, uint64_t seed, uint32_t streams, uint32_t draws)              \
    {                                                                                                                  \
        store<problem, T>(memory, seed, streams, draws);                                                               \
    }                                                                                                                  \
    KERNEL(stored_##problem##_##type, const numbers<T> *memory, monte_carlo_moments *of_blocks, uint32_t streams,      \
           uint32_t draws)                                                                                             \
    {                                                                                                                  \
        write_sums(SUMS(problem, T, stored<T>{memory, stream(), streams}), of_blocks);                                 \
    }                                                                                                                  \
    KERNEL(in_registers_##problem##_##type, monte_carlo_moments *of_blocks, uint64_t seed, uint32_t streams,           \
           uint32_t draws)                                                                                             \
    {                                                                                                                  \
        write_sums(SUMS(problem, T, made{seed, stream()}), of_blocks);                                                 \
    }                                                                                                                  \
    KERNEL(one_pass_##problem##_##type, monte_carlo_moments *result, progress *progress, uint64_t seed,                \
           uint32_t streams, uint32_t draws)                                                                           \
    {                                                                                                                  \
        add_sums(SUMS(problem, T, made{seed, stream()}), result, progress);                                            \
    }

KERNELS(pi, float, fp32)
KERNELS(pi, double, fp64)
KERNELS(call, float, fp32)
KERNELS(call, double, fp64)

#ifdef CURAND_KERNEL_H_
#define LIBRARY_KERNEL(problem, T, type)                                                                               \
    KERNEL(library_##problem##_##type, monte_carlo_moments *result, progress *progress, uint64_t seed,                 \
           uint32_t streams, uint32_t draws)                                                                           \
    {                                                                                                                  \
        add_sums(SUMS(problem, T, library{seed, stream()}), result, progress);                                         \
    }

LIBRARY_KERNEL(pi, float, fp32)
LIBRARY_KERNEL(pi, double, fp64)
LIBRARY_KERNEL(call, float, fp32)
LIBRARY_KERNEL(call, double, fp64)
#endif

// region statistics
/* Adds to the result, which is zero before, what uniform numbers must be tested for. The bins of a block are in its
 * shared memory. */
extern "C" __global__ void monte_carlo_statistics(monte_carlo_statistics *result, uint64_t seed, uint32_t streams,
                                                  uint32_t draws)
{
    __shared__ uint32_t bins[MONTE_CARLO_BINS];
    if (threadIdx.x < MONTE_CARLO_BINS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    double sum = 0, squares = 0, products = 0, last = 0;
    for (uint32_t draw = 0; stream() < streams && draw < draws; draw++) {
        philox_words words = philox_draw(seed, stream(), draw);
        for (uint32_t i = 0; i < 4; i++) {
            double value = monte_carlo_centred(words.word[i]);
            sum += value;
            squares += value * value;
            products += value * last;
            last = value;
            atomicAdd(&bins[monte_carlo_bin(words.word[i])], 1);
        }
    }
    double of_block[3] = {block_sum(sum), block_sum(squares), block_sum(products)};
    if (threadIdx.x == 0) {
        atomicAdd(&result->sum, of_block[0]);
        atomicAdd(&result->squares, of_block[1]);
        atomicAdd(&result->products, of_block[2]);
    }
    if (threadIdx.x < MONTE_CARLO_BINS)
        atomicAdd(&result->bins[threadIdx.x], (unsigned long long)bins[threadIdx.x]);
}
// end

/* `what` is problem and type, `size` streams and draws, `bits` those of the relative error that is allowed. */
extern "C" __global__ void monte_carlo_check(const void *result, uint64_t count, uint64_t seed, uint64_t what,
                                             uint64_t size, uint64_t bits, struct lab_check_result *of_check)
{
    const monte_carlo_layout layout = monte_carlo_layout_of(what, size);
    uint64_t units = 0, total;
    for (uint64_t stream = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; stream < layout.streams;
         stream += (uint64_t)gridDim.x * blockDim.x)
        units += monte_carlo_stream_units(&layout, seed, (uint32_t)stream);
    if (lab_check_total(of_check, units, &total) &&
        monte_carlo_is_wrong(&layout, result, total, __longlong_as_double((long long)bits)))
        of_check->wrong = count;
}
