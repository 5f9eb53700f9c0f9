/* The kernels of monte-carlo for host devices: each core takes a part of the blocks of streams. Sums are made in fp64;
 * the type is that of the random numbers and of the samples. */
#include "benchmark/check.h"
#include "monte_carlo.h"

// region numbers
/* The random numbers of a draw. */
union numbers {
    float fp32[4];
    double fp64[2];
};

static union numbers uniform_fp32(struct philox_words words)
{
    union numbers u;
    for (int i = 0; i < 4; i++)
        u.fp32[i] = philox_uniform_fp32(words.word[i]);
    return u;
}

static union numbers uniform_fp64(struct philox_words words)
{
    union numbers u;
    for (int i = 0; i < 2; i++)
        u.fp64[i] = philox_uniform_fp64(words.word[2 * i], words.word[2 * i + 1]);
    return u;
}

/* Normally distributed numbers (Box-Muller transform). */
static union numbers normal_fp32(struct philox_words words)
{
    const float two_pi = 6.28318531f;
    union numbers z = uniform_fp32(words);
    for (int i = 0; i < 4; i += 2) {
        float radius = sqrtf(-2 * logf(z.fp32[i])), angle = two_pi * z.fp32[i + 1];
        z.fp32[i] = radius * sinf(angle);
        z.fp32[i + 1] = radius * cosf(angle);
    }
    return z;
}

static union numbers normal_fp64(struct philox_words words)
{
    const double two_pi = 6.283185307179586;
    union numbers z = uniform_fp64(words);
    double radius = sqrt(-2 * log(z.fp64[0])), angle = two_pi * z.fp64[1];
    z.fp64[0] = radius * sin(angle);
    z.fp64[1] = radius * cos(angle);
    return z;
}
// end

// region samples
static void add(struct monte_carlo_moments *moments, double value)
{
    moments->sum += value;
    moments->squares += value * value;
}

static void add_pi_fp32(const union numbers *u, struct monte_carlo_moments *moments)
{
    for (int i = 0; i < 4; i += 2)
        add(moments, u->fp32[i] * u->fp32[i] + u->fp32[i + 1] * u->fp32[i + 1] <= 1);
}

static void add_pi_fp64(const union numbers *u, struct monte_carlo_moments *moments)
{
    add(moments, u->fp64[0] * u->fp64[0] + u->fp64[1] * u->fp64[1] <= 1);
}

static void add_call_fp32(const union numbers *z, struct monte_carlo_moments *moments)
{
    const float median = (float)MONTE_CARLO_LOG2_MEDIAN, deviation = (float)MONTE_CARLO_LOG2_DEVIATION;
    for (int i = 0; i < 4; i++)
        add(moments, fmax(exp2f(median + deviation * z->fp32[i]) - (float)MONTE_CARLO_STRIKE, 0));
}

static void add_call_fp64(const union numbers *z, struct monte_carlo_moments *moments)
{
    for (int i = 0; i < 2; i++)
        add(moments,
            fmax(exp2(MONTE_CARLO_LOG2_MEDIAN + MONTE_CARLO_LOG2_DEVIATION * z->fp64[i]) - MONTE_CARLO_STRIKE, 0));
}
// end

// step stored "Stored random numbers" shows numbers, samples, sums
/* All cores store the random numbers, and then load them and add up the samples. */

// step in-registers "Numbers made where they are used" shows philox.h:philox, numbers, samples, sums
/* Each core makes the numbers that it needs, and stores nothing but sums. */

// region sums
typedef union numbers (*draw_function)(struct philox_words words);
typedef void (*add_function)(const union numbers *numbers, struct monte_carlo_moments *moments);

/* The streams of a block. */
static void block_range(uint64_t block, uint32_t streams, uint32_t *begin, uint32_t *end)
{
    *begin = (uint32_t)block * MONTE_CARLO_BLOCK;
    *end = *begin + MONTE_CARLO_BLOCK < streams ? *begin + MONTE_CARLO_BLOCK : streams;
}

/* Stores the numbers of all draws. */
static inline void store(const struct lab_host_part *part, const struct lab_argument *arguments, draw_function draw)
{
    union numbers *memory = arguments[0].pointer;
    uint32_t streams = arguments[2].u32;
    uint64_t begin, end;
    lab_host_part_range(part, (uint64_t)streams * arguments[3].u32, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        memory[i] = draw(philox_draw(arguments[1].u64, (uint32_t)(i % streams), (uint32_t)(i / streams)));
}

/* The sums of each block, of numbers that are stored. */
static inline void sum_stored(const struct lab_host_part *part, const struct lab_argument *arguments,
                              add_function add_draw)
{
    const union numbers *memory = arguments[0].pointer;
    struct monte_carlo_moments *of_blocks = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, part->launch->grid[0], 1, &begin, &end);
    for (uint64_t block = begin; block < end; block++) {
        struct monte_carlo_moments moments = {0};
        uint32_t first, after, streams = arguments[2].u32;
        block_range(block, streams, &first, &after);
        for (uint32_t i = 0; i < arguments[3].u32; i++)
            for (uint32_t stream = first; stream < after; stream++)
                add_draw(&memory[(uint64_t)i * streams + stream], &moments);
        of_blocks[block] = moments;
    }
}

/* The same, of numbers that are made where they are used. */
static inline void sum_drawn(const struct lab_host_part *part, const struct lab_argument *arguments, draw_function draw,
                             add_function add_draw)
{
    struct monte_carlo_moments *of_blocks = arguments[0].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, part->launch->grid[0], 1, &begin, &end);
    for (uint64_t block = begin; block < end; block++) {
        struct monte_carlo_moments moments = {0};
        uint32_t first, after;
        block_range(block, arguments[2].u32, &first, &after);
        for (uint32_t stream = first; stream < after; stream++)
            for (uint32_t i = 0; i < arguments[3].u32; i++) {
                union numbers numbers = draw(philox_draw(arguments[1].u64, stream, i));
                add_draw(&numbers, &moments);
            }
        of_blocks[block] = moments;
    }
}
// end

/* The kernels of a problem; their arguments are those of the device's kernels. */
#define STORE(name, draw)                                                                                              \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        store(part, arguments, draw);                                                                                  \
    }
#define SUM_STORED(name, add_draw)                                                                                     \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        sum_stored(part, arguments, add_draw);                                                                         \
    }
#define SUM_DRAWN(name, draw, add_draw)                                                                                \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        sum_drawn(part, arguments, draw, add_draw);                                                                    \
    }
STORE(monte_carlo_store_pi_fp32, uniform_fp32)
SUM_STORED(monte_carlo_stored_pi_fp32, add_pi_fp32)
SUM_DRAWN(monte_carlo_in_registers_pi_fp32, uniform_fp32, add_pi_fp32)
STORE(monte_carlo_store_pi_fp64, uniform_fp64)
SUM_STORED(monte_carlo_stored_pi_fp64, add_pi_fp64)
SUM_DRAWN(monte_carlo_in_registers_pi_fp64, uniform_fp64, add_pi_fp64)
STORE(monte_carlo_store_call_fp32, normal_fp32)
SUM_STORED(monte_carlo_stored_call_fp32, add_call_fp32)
SUM_DRAWN(monte_carlo_in_registers_call_fp32, normal_fp32, add_call_fp32)
STORE(monte_carlo_store_call_fp64, normal_fp64)
SUM_STORED(monte_carlo_stored_call_fp64, add_call_fp64)
SUM_DRAWN(monte_carlo_in_registers_call_fp64, normal_fp64, add_call_fp64)

/* One core adds up the sums of the blocks. */
LAB_HOST_KERNEL(monte_carlo_finish)
{
    const struct monte_carlo_moments *of_blocks = arguments[0].pointer;
    struct monte_carlo_moments *result = arguments[1].pointer, total = {0};
    if (part->index != 0)
        return;
    for (uint32_t i = 0; i < arguments[2].u32; i++) {
        total.sum += of_blocks[i].sum;
        total.squares += of_blocks[i].squares;
    }
    *result = total;
}

// region statistics
/* Adds to a double to which other cores add at the same time. */
static void add_atomically(double *sum, double value)
{
    double old, next;
    __atomic_load(sum, &old, __ATOMIC_RELAXED);
    do
        next = old + value;
    while (!__atomic_compare_exchange(sum, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void count_words(const struct philox_words *words, double *last, struct monte_carlo_statistics *found)
{
    for (int i = 0; i < 4; i++) {
        double value = monte_carlo_centred(words->word[i]);
        found->sum += value;
        found->squares += value * value;
        found->products += value * *last;
        found->bins[monte_carlo_bin(words->word[i])]++;
        *last = value;
    }
}

LAB_HOST_KERNEL(monte_carlo_statistics)
{
    struct monte_carlo_statistics *result = arguments[0].pointer, found = {0};
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u32, 1, &begin, &end);
    for (uint64_t stream = begin; stream < end; stream++) {
        double last = 0;
        for (uint32_t draw = 0; draw < arguments[3].u32; draw++) {
            struct philox_words words = philox_draw(arguments[1].u64, (uint32_t)stream, draw);
            count_words(&words, &last, &found);
        }
    }
    add_atomically(&result->sum, found.sum);
    add_atomically(&result->squares, found.squares);
    add_atomically(&result->products, found.products);
    for (int bin = 0; bin < MONTE_CARLO_BINS; bin++)
        __atomic_fetch_add(&result->bins[bin], found.bins[bin], __ATOMIC_RELAXED);
}
// end

LAB_HOST_KERNEL(monte_carlo_check)
{
    struct lab_check_result *of_check = arguments[6].pointer;
    const struct monte_carlo_layout layout = monte_carlo_layout_of(arguments[3].u64, arguments[4].u64);
    uint64_t begin, end, units = 0, total;
    lab_host_part_range(part, layout.streams, 1, &begin, &end);
    for (uint64_t stream = begin; stream < end; stream++)
        units += monte_carlo_stream_units(&layout, arguments[2].u64, (uint32_t)stream);
    if (lab_check_total(of_check, part, units, &total) &&
        monte_carlo_is_wrong(&layout, arguments[0].pointer, total, arguments[5].f64))
        of_check->wrong = arguments[1].u64;
}
